"""Requests that attack a server (attacks.toml): none is answered otherwise than its entry says, or tells a secret.

Each entry is sent byte by byte to a server that listens. No answer has a token, a path of this machine or a traceback,
none to the sales people a name or a cell that they may not read, unless the request itself had it; the server lives on,
and no file has changed or come to be but the feedback of each role, which is its own.
"""

import hashlib
import json
import socket
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from querent.answers.feedback import Feedback
from querent.data.shipped import shipped_folder

ATTACKS: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("attacks.toml").read_text("utf-8"))["attack"]
TOKENS = {name: f"a-token-of-the-{name}-people" for name in ("sales", "boss")}  # those of conftest.py
HIDDEN = ("products", "payments", "reviews", "suppliers", "email", "joined_dt", "mail.example", "fjord")
"""Names and cells of the shop that the sales people may not read."""
NOBODYS = (*TOKENS.values(), "traceback", "site-packages", str(Path(__file__).parents[2]), "/tmp/", "root:x:")
MANY = 50_000


def exchange(address: str, sent: bytes) -> tuple[str, str]:
    """Send bytes; return the status, empty where the server hangs up, and all that comes back."""
    place = urlsplit(address)
    came = b""
    with socket.create_connection((place.hostname, place.port), timeout=60) as connection:
        try:
            connection.sendall(sent)
            while piece := connection.recv(65536):
                came += piece
                if came.startswith(b"HTTP/1.1 100"):  # it waits for a body that has come
                    came = came.partition(b"\r\n\r\n")[2]
        except ConnectionError:
            pass  # the server has hung up: what came before counts
    return came[9:12].decode("latin-1") if came.startswith(b"HTTP/1.") else "", came.decode("utf-8", "replace")


def requests(attack: dict[str, Any], host: str) -> Iterator[bytes]:
    """Yield the requests of an entry to a host."""
    yield from (raw.encode() for raw in attack.get("raw", ()))
    fill = [json.dumps(text) for text in attack.get("fill", ())] + attack.get("literal", [])
    bodies: list[str | None] = attack.get("bodies", [attack.get("body")])
    if fill:
        bodies = [str(body).replace("«»", text) for body, text in product(bodies, fill)]
    bodies += [text * MANY for text in attack.get("repeated", ())]
    of = (attack.get(name, default) for name, default in (("methods", ["GET"]), ("targets", []), ("headers", [{}])))
    for method, target, headers, body in product(*of, bodies):
        sent = b"" if body is None else body.encode("utf-8", "surrogatepass")
        usual: dict[str, str] = {"host": host, "connection": "close", "content-length": str(len(sent))}
        usual |= {} if body is None else {"content-type": "application/json"}
        usual |= {"accept": "application/json, text/event-stream"} if attack.get("server") == "tools" else {}
        role = attack.get("role", "sales")
        usual |= {"authorization": f"Bearer {TOKENS[role]}"} if role else {}
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in (usual | headers).items())]
        yield "\r\n".join([*lines, "", ""]).encode() + sent


@pytest.fixture(scope="module")
def addresses(served: Callable[[Any], str], application: Callable[..., Any], two_roles: Any, network: Any) -> Any:
    """Return the addresses of the page and of the tools."""
    pytest.importorskip("mcp")
    from querent import ToolServer

    tools = ToolServer(["shop"], parser=network)
    page = served(application("shop", "plant", roles=two_roles, query_seconds=2, seconds=60))
    return {"page": page, "tools": served(tools.app)}


def digests(folder: Path) -> dict[str, str]:
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("attack", ATTACKS, ids=[attack["kind"] for attack in ATTACKS])
def test_an_attack_is_answered_and_told_nothing(attack: dict[str, Any], addresses: Any, two_roles: Any) -> None:
    address = addresses[attack.get("server", "page")]
    before, wrong = digests(shipped_folder("shop")), list[Any]()
    hidden = HIDDEN if address == addresses["page"] and attack.get("role") != "boss" else ()
    for sent in (sending := list(requests(attack, urlsplit(address).netloc))):
        status, came = exchange(address, sent)
        known, low = sent.decode("utf-8", "replace").lower(), came.lower()
        found = [word for word in (*NOBODYS, *hidden) if word.lower() in low and word.lower() not in known]
        head = low.partition("\r\n\r\n")[0]
        found += [name for name in ("set-cookie:", "x-injected:", "access-control-") if f"\n{name}" in head]
        found += ["it failed on the way"] * ('"status": 500' in came)
        if found or status not in map(str, attack["status"]):
            wrong.append((sent[:700], status, found, came[-300:]))
    assert not wrong, "\n".join(map(repr, wrong))
    assert sending
    assert exchange(addresses["page"], b"GET /health HTTP/1.0\r\nhost: 127.0.0.1\r\n\r\n")[0] == "200"
    assert digests(shipped_folder("shop")) == before
    for role in two_roles:
        if role.feedback and role.feedback.exists():
            assert {one.user for one in Feedback(role.feedback).standing()} <= {role.name}


@pytest.mark.parametrize(
    "kept", [b"", b"GET /abo", b"POST /ask HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n\r\n{"]
)
def test_connections_that_are_held_keep_nobody_out(kept: bytes, addresses: Any) -> None:
    place = urlsplit(addresses["page"])
    with ExitStack() as stack:
        for _ in range(100):
            one = stack.enter_context(socket.create_connection((place.hostname, place.port), timeout=5))
            one.sendall(kept)
        assert exchange(addresses["page"], b"GET /health HTTP/1.0\r\nhost: 127.0.0.1\r\n\r\n")[0] == "200"
