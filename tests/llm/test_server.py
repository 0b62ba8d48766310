"""A model behind a server: what it answers, what is tried again, what is an error at once; its key is shown nowhere."""

import logging
import traceback
from importlib.util import find_spec

import pytest
from cases import table
from loopback import Loopback, backend, broken, chat, cut_short, dribbling, hanging, status

from querent.data.errors import InputError, LlmError
from querent.llm.backends.endpoint import Endpoint
from querent.llm.messages import Backend, Completions, ConstrainedBackend, Message, likely_tokens

pytestmark = pytest.mark.skipif(find_spec("openai") is None, reason="pip install '.[llm]'")
ASKED = [Message("system", "Write SQL."), Message("user", "how many books?")]


def refused(server: Loopback, **settings) -> str:
    """Return the line of the error that a server's replies lead to."""
    with pytest.raises(LlmError) as raised:
        backend(server).complete(ASKED, **settings)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_good_answer_with_its_tokens():
    with Loopback(chat("SELECT 1", usage={"prompt_tokens": 20, "completion_tokens": 3})) as server:
        asking = backend(server)
        assert asking.complete(ASKED, max_tokens=9) == Completions(("SELECT 1",), 20, 3)
        assert isinstance(asking, Backend)
        assert not isinstance(asking, ConstrainedBackend)
        ((body, headers),) = server.asked
    assert body["messages"] == [
        {"role": "system", "content": "Write SQL."},
        {"role": "user", "content": "how many books?"},
    ]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("small", 0.0, 9)
    assert headers["authorization"] == "Bearer none"
    with Loopback(chat("SELECT 1")) as server:
        assert backend(server).complete(ASKED) == Completions(("SELECT 1",), None, None)


def test_a_server_that_gives_one_answer_at_a_time_is_asked_for_the_rest():
    use = {"prompt_tokens": 20, "completion_tokens": 3}
    with Loopback(chat("a", usage=use), chat("b", "c", usage=use)) as server:
        assert backend(server).complete(ASKED, n=3, temperature=0.7) == Completions(("a", "b", "c"), 20, 6)
        assert [body["n"] for body, _ in server.asked] == [3, 2]


PASSING = {
    "429: slow down": status(429, {"error": {"message": "slow down"}}, Retry_After="0.01"),
    "500: ": status(500, "<h1>oops</h1>"),
    "still loading the model": status(503, {"error": {"message": "still loading the model"}}),
    "no answer in time": hanging,
    " no answer in time": dribbling,
    "the connection broke: ": cut_short,
    " the connection broke: ": broken,
}
LASTING = {
    "what came is no JSON: ": status(200, '{"choices": [{"message": {"content": "SELE'),
    "the answer is empty": chat(" \n"),
    " the answer is empty": chat(None),
    "the model behind is busy": status(200, {"error": {"message": "the model behind is busy"}}),
    "what came is no JSON: '<html>": status(200, "<html>proxy</html>", Content_Type="text/html"),
}


@pytest.mark.parametrize("said", PASSING)
def test_what_passes_is_tried_again_and_told_after_three_tries(said, monkeypatch):
    monkeypatch.setattr("openai._base_client.time.sleep", lambda _: None)
    with Loopback(PASSING[said], chat("SELECT 1")) as server:
        assert backend(server).complete(ASKED).texts == ("SELECT 1",)
        (first, _), (second, _) = server.asked
        assert first == second
    with Loopback(*[PASSING[said]] * 5, chat("SELECT 1")) as server:
        line = refused(server)
        assert len(server.asked) == 3
    assert f"{server.url}#small does not answer, asked 3 times: " in line
    assert said.strip() in line


@pytest.mark.parametrize("said", LASTING)
def test_what_is_no_answer_is_one_line_at_once(said):
    with Loopback(LASTING[said]) as server:
        assert said.strip() in refused(server)
        assert len(server.asked) == 1


def test_an_unknown_model_is_told_with_those_there_are():
    missing = status(404, {"error": {"message": "model 'qwen25' not found"}})
    with Loopback(missing, models=[{"id": "qwen2.5"}, {"id": "llama3"}]) as server:
        with pytest.raises(LlmError) as raised:
            backend(server, model="qwen25").complete(ASKED)
        assert len(server.asked) == 1
    assert str(raised.value) == (
        f"field 'llm': {server.url} has no model 'qwen25'; it has qwen2.5, llama3 (did you mean 'qwen2.5'?)"
    )


def test_what_a_server_refuses_for_good_is_told(monkeypatch):
    monkeypatch.setattr("openai._base_client.time.sleep", lambda _: None)
    long = status(400, {"error": {"message": "maximum context length is 2048 tokens,\nyou asked for 4000"}})
    broke = status(429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}})
    with Loopback(long, models=[{"id": "small"}]) as server:
        assert "context length is 2048 tokens, you" in refused(server)
        assert len(server.asked) == 1
    with Loopback(*[broke] * 3) as server:
        assert "has no credit left" in refused(server)


def test_a_limit_of_another_name_is_learnt_once():
    other = status(400, {"error": {"message": "Use 'max_completion_tokens' instead of 'max_tokens'."}})
    with Loopback(other, chat("a"), chat("b")) as server:
        asking = backend(server)
        assert [asking.complete(ASKED, max_tokens=9).texts for _ in range(2)] == [("a",), ("b",)]
        names = [{"max_tokens", "max_completion_tokens"} & set(body) for body, _ in server.asked]
    assert names == [{"max_tokens"}, {"max_completion_tokens"}, {"max_completion_tokens"}]


def test_a_redirect_is_not_followed():
    with Loopback(chat("SELECT 1")) as other:
        for code in (301, 302, 307, 308):
            with Loopback(status(code, Location=f"{other.url}/chat/completions")) as server:
                assert f"leads to {other.url}/chat/completions, where nothing is sent" in refused(server)
        assert other.asked == []


def endless(code: int):
    """Return a reply of a status whose body has no end, and what counts its bytes."""
    sent = [0]

    def reply(handler) -> None:
        handler.send_response(code)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        while sent[0] < 200 << 20:
            handler.wfile.write(b" " * (1 << 20))
            sent[0] += 1 << 20

    return reply, sent


@pytest.mark.parametrize("code", [200, 400])
def test_a_body_without_end_is_not_read_to_its_end(code):
    reply, sent = endless(code)
    with Loopback(reply) as server:
        with pytest.raises(LlmError, match=r"answers with more than 16 MiB \(is it the server of a language model"):
            backend(server, tries=1, timeout=20).complete(ASKED)
        assert len(server.asked) == 1
    assert sent[0] < 40 << 20


def test_a_packed_body_is_refused():
    with Loopback(status(200, "x", Content_Encoding="gzip")) as server:
        assert "answers in 'gzip', which was not asked for" in refused(server)
        ((_, headers),) = server.asked
    assert headers["accept-encoding"] == "identity"


def test_the_context_is_asked_for():
    models = [{"id": "small", "max_model_len": 4096}, {"id": "llama", "meta": {"n_ctx": 512}}, {"id": "bare"}]
    with Loopback(models=models) as server:
        told = []
        for model in ("small", "llama", "bare", "unknown"):
            asking = backend(server, model=model)
            asking.read_context()
            told.append(asking.context)
        assert told == [4096, 512, None, None]
    with Loopback(models=models[:1]) as server:
        asking = backend(server, model="any-name")
        asking.read_context()
        assert asking.context == 4096
    with Loopback() as server:
        asking = backend(server)
        asking.read_context()
        assert asking.context is None
    with pytest.raises(LlmError, match="no server at"):
        asking.read_context()


def test_tokens_are_rather_over_than_underestimated() -> None:
    """SmolLM2's own counts: 66, 32 and 36 tokens."""
    sql = (
        "SELECT T1.name, COUNT(*) FROM customer AS T1 JOIN orders AS T2 ON T1.id = T2.customer_id "
        "WHERE T2.total > 12345.67 GROUP BY T1.name ORDER BY 2 DESC LIMIT 10"
    )
    ddl = "CREATE TABLE PROD_LINE_STAT (LINE_ID INTEGER PRIMARY KEY, ts DATETIME, qty_pcs REAL)"
    for text, tokens in ((sql, 66), (ddl, 32), ("查询所有在过去一周内产量超过一百的设备名称", 36)):
        assert tokens <= likely_tokens([Message("user", text)]) <= 2 * tokens


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
