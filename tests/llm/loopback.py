"""A server on this machine that answers as a test tells it to."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from querent.llm.backends.server import ServerBackend

Reply = Callable[[BaseHTTPRequestHandler], None]


def chat(*texts: str | None, usage: dict[str, int] | None = None, reason: str = "stop") -> Reply:
    """Return a reply of some texts."""
    choices = [
        {"index": i, "finish_reason": reason, "message": {"role": "assistant", "content": text}}
        for i, text in enumerate(texts)
    ]
    told = {"id": "1", "object": "chat.completion", "created": 1, "model": "small", "choices": choices}
    return status(200, told if usage is None else told | {"usage": usage})


def status(code: int, body: object = "", **headers: str) -> Reply:
    """Return a reply of a status; a body that is no text is sent as JSON."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        handler.send_response(code)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return reply


def cut_short(handler: BaseHTTPRequestHandler) -> None:
    """Promise a hundred bytes, send twelve and go."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"choices": ')


def broken(handler: BaseHTTPRequestHandler) -> None:
    """Close without a word."""
    handler.close_connection = True


def hanging(handler: BaseHTTPRequestHandler) -> None:
    """Say nothing until the test is over."""
    handler.server.over.wait(20)  # type: ignore[attr-defined]


def dribbling(handler: BaseHTTPRequestHandler) -> None:
    """Send a byte every twentieth of a second until the test is over."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    while not handler.server.over.wait(0.05):  # type: ignore[attr-defined]
        handler.wfile.write(b" ")
        handler.wfile.flush()


class Loopback:
    """Gives one reply after the other, and keeps what was asked; without replies left it says 500.

    Attributes:
        replies: of chats, those to come.
        answer: gives the reply to a chat once there are none.
        models: what `/models` lists; None if it does not.
        asked: the chats asked for, as (body, headers), their names in small letters.
    """

    def __init__(
        self,
        *replies: Reply,
        models: list[dict[str, Any]] | None = None,
        answer: Callable[[dict[str, Any]], Reply] = lambda _: status(500, "no reply is left"),
    ) -> None:
        self.replies, self.models, self.asked = list(replies), models, []
        self.answer = answer
        self._lock = threading.Lock()

        loopback = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                loopback._list(self)

            def do_POST(self) -> None:
                loopback._chat(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.over = threading.Event()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Loopback:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.over.set()
        self._server.shutdown()
        self._server.server_close()

    def _list(self, handler: BaseHTTPRequestHandler) -> None:
        if self.models is None:
            status(404, "nothing here")(handler)
        else:
            status(200, {"object": "list", "data": [{"object": "model", **one} for one in self.models]})(handler)

    def _chat(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.asked.append((body, {name.lower(): value for name, value in handler.headers.items()}))
            reply = self.replies.pop(0) if self.replies else self.answer(body)
        with contextlib.suppress(OSError):  # the client has gone
            reply(handler)


def backend(server: Loopback, *, model: str = "small", tries: int = 3, timeout: float = 0.5) -> ServerBackend:
    """Return a client of a server."""
    return ServerBackend(f"{server.url}#{model}", tries=tries, timeout=timeout)
