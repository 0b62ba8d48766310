"""What stands before the routes: headers of every response, and requests that are refused unread.

The page is the only one that may ask from within a browser: another site can neither read (no CORS) nor have a form or
script of its own ask (its origin, and JSON alone). Tokens come in a header, no cookie is ever set, so that a browser
adds nothing by itself.
"""

import asyncio
import logging
import time
import traceback
from pathlib import Path
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .replies import problem_json

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
_BODY_SECONDS = 10.0
"""How long a body may take to come."""

_PLACES = 20
"""Lines of code that are told of an error, those nearest to it."""

_log = logging.getLogger("querent.serving")


class RefusedError(Exception):
    """A request is refused before any route sees it."""

    def __init__(self, status: int, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.status, self.problem, self.hint = status, problem, hint


class Guard:
    """The outermost layer of the application.

    Args:
        app: the routes.
        body: bytes that a request may have.
        log_errors: whether the texts of errors, which may hold values, are logged.
    """

    def __init__(self, app: ASGIApp, *, body: int, log_errors: bool = False) -> None:
        self._app, self._body, self._log_errors = app, body, log_errors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, refuse it, or say that something went wrong."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.monotonic(), 0

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                page = headers.get("content-type", "").partition(";")[0] != "application/json"
                headers["cache-control"] = "no-cache" if page else "no-store"
            await send(message)

        try:
            _refuse_others(scope["method"], Headers(scope=scope))
            await self._app(scope, await self._whole(scope, receive), guarded)
        except RefusedError as refused:
            closing = {"connection": "close"}  # what it still sends is not read
            body = problem_json(refused.problem, hint=refused.hint)
            await JSONResponse(body, refused.status, closing)(scope, receive, guarded)
        except Exception as error:
            self._report(error)
            if not status:
                body = problem_json("something went wrong here", hint="the log tells more")
                await JSONResponse(body, 500)(scope, receive, guarded)
        finally:
            told = " ".join(f"{name}={value}" for name, value in scope.get("state", {}).get("told", {}).items())
            spent = 1000 * (time.monotonic() - begun)
            level = logging.INFO if told or status >= 400 else logging.DEBUG  # a file of the page is nothing to tell
            path = quote(scope["path"])  # a line's end in it would begin a line of somebody's own
            _log.log(level, "%s %s %d %.0f ms %s", scope["method"], path, status, spent, told)

    async def _whole(self, scope: Scope, receive: Receive) -> Receive:
        """Return what gives a request's body, which has all come.

        Raises:
            RefusedError: it is too large, which may show before any of it is read, or too slow.
        """
        length = Headers(scope=scope).get("content-length", "0")
        if not length.isdecimal() or int(length) > self._body:
            raise _too_large(self._body)
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                body, whole = b"", False
                while not whole:
                    message = await receive()
                    body += message.get("body", b"")
                    whole = not message.get("more_body", False)
                    if len(body) > self._body:
                        raise _too_large(self._body)
        except TimeoutError:
            raise RefusedError(408, "the request did not come whole", "send it faster") from None
        first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return first.pop() if first else await receive()

        return again

    def _report(self, error: Exception) -> None:
        """Log where an error came from; what it says only if it may."""
        places = [
            f"{Path(one.filename).name}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__, -_PLACES)
        ]
        said = f": {error}" if self._log_errors else ""
        _log.error("%s%s at %s", type(error).__name__, said, " < ".join(reversed(places)))


def _refuse_others(method: str, headers: Headers) -> None:
    """Refuse what another site has sent, and what is no JSON.

    Raises:
        RefusedError: so it is.
    """
    if method in ("GET", "HEAD", "OPTIONS"):
        return
    host, origin = headers.get("host", ""), headers.get("origin")
    foreign = origin is not None and origin.partition("://")[2].lower() != host.lower()
    if foreign or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise RefusedError(403, "the request comes from another site", "open the page of this server")
    plain = headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
    if method == "POST" and not plain:  # what no route takes is told so, whatever its body
        raise RefusedError(415, "the body is no JSON", "send content-type: application/json")


def _too_large(most: int) -> RefusedError:
    return RefusedError(413, f"the body has over {most} bytes", "send less; forget old turns of the conversation")
