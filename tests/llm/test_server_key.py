"""The key of a server is sent to it and shown nowhere; names of servers and what is wrong with them."""

from __future__ import annotations

import logging
import traceback
from importlib.util import find_spec

import pytest
from cases import table
from loopback import Loopback, backend, status

from querent.data.errors import InputError, LlmError
from querent.llm.backends.endpoint import Endpoint
from querent.llm.messages import Message

pytestmark = pytest.mark.skipif(find_spec("openai") is None, reason="pip install '.[llm]'")
ASKED = [Message("user", "how many books?")]
KEY = "sk-very-secret-0123456789"


@pytest.mark.parametrize("reply", [status(401, {"error": {"message": f"Incorrect API key: {KEY}"}}), status(403, KEY)])
def test_the_key_is_sent_and_shown_nowhere(reply, monkeypatch, caplog, capsys):
    monkeypatch.setenv("QUERENT_API_KEY", f" {KEY}\n")
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    caplog.set_level(logging.DEBUG)
    with Loopback(status(500, f"echo {KEY}"), reply) as server:
        asking = backend(server)
        with pytest.raises(LlmError, match="refuses the key") as raised:
            asking.complete(ASKED)
        assert [headers["authorization"] for _, headers in server.asked] == [f"Bearer {KEY}"] * 2
    shown = [repr(asking), asking.name, repr(asking._endpoint), caplog.text, *capsys.readouterr()]
    shown += traceback.format_exception(raised.value)
    assert KEY not in "".join(shown)
    assert raised.value.__context__ is None


def test_a_key_repeated_in_every_kind_of_answer_is_not_shown(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for body in (f"not JSON {KEY}", f"{'x' * 48}{KEY}", {"error": {"message": KEY}}, {"detail": [KEY]}):
        for code in (200, 400, 404, 500):
            with Loopback(*[status(code, body)] * 3) as server:
                with pytest.raises(LlmError) as raised:
                    backend(server).complete(ASKED)
                assert KEY[:9] not in str(raised.value)


def test_a_key_is_wanted_for_other_machines_alone(monkeypatch):
    with pytest.raises(InputError, match=r"no key for api\.example\.com \(set QUERENT_API_KEY"):
        Endpoint.read("https://api.example.com/v1#m")
    for host in ("localhost:1", "127.0.0.1", "[::1]:80"):
        assert Endpoint.read(f"http://{host}/v1/#m").key == ""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert Endpoint.read("https://api.example.com/v1#m") == Endpoint("https://api.example.com/v1", "m", KEY)
    monkeypatch.setenv("QUERENT_API_KEY", "secret\nsecret")
    with pytest.raises(InputError) as raised:
        Endpoint.read("http://localhost/v1#m")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(("spec", "problem"), table(__file__, "a_url_that_is_none_is_told_without_its_secrets"))
def test_a_url_that_is_none_is_told_without_its_secrets(spec, problem):
    with pytest.raises(InputError, match=problem) as raised:
        Endpoint.read(spec)
    assert "secret" not in str(raised.value)
