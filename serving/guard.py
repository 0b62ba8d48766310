"""The guard before the routes: the headers of every response, and the requests that are refused unread.

In a browser only the page may ask: another site can neither read responses (no CORS) nor send requests (its origin, and
JSON alone). Tokens come in a header and there are no cookies, so that a browser adds nothing by itself.
"""

import asyncio
import logging
import time
import traceback
from dataclasses import dataclass
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
"""The seconds in which a body must arrive."""

_PLACES = 20
"""The lines of code of an error in the log, the nearest ones."""

_log = logging.getLogger("querent.serving")


@dataclass(eq=False)
class RefusedError(Exception):
    """A request that is refused before any route sees it."""

    status: int
    problem: str
    hint: str


class Guard:
    """The outermost layer of the application.

    Args:
        app: the routes.
        body: the most bytes of a request.
        log_errors: whether to log the messages of errors, which may contain values.
    """

    def __init__(self, app: ASGIApp, *, body: int, log_errors: bool = False) -> None:
        self._app, self._body, self._log_errors = app, body, log_errors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, refuse it, or report an internal error."""
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
            _refuse_foreign(scope["method"], Headers(scope=scope))
            await self._app(scope, await self._whole(scope, receive), guarded)
        except RefusedError as refused:
            closing = {"connection": "close"}  # the rest of the request is not read
            body = problem_json(refused.problem, hint=refused.hint)
            await JSONResponse(body, refused.status, closing)(scope, receive, guarded)
        except Exception as error:
            self._report(error)
            if not status:
                body = problem_json("something went wrong here", hint="the log tells more")
                await JSONResponse(body, 500)(scope, receive, guarded)
        finally:
            entry = " ".join(f"{name}={value}" for name, value in scope.get("state", {}).get("logged", {}).items())
            spent = 1000 * (time.monotonic() - begun)
            level = logging.INFO if entry or status >= 400 else logging.DEBUG  # files of the page are not logged
            path = quote(scope["path"])  # the end of a line in it would begin a forged line
            _log.log(level, "%s %s %d %.0f ms %s", scope["method"], path, status, spent, entry)

    async def _whole(self, scope: Scope, receive: Receive) -> Receive:
        """Return a function that gives the whole body of a request, after it has arrived.

        Raises:
            RefusedError: it is too large, possibly by its headers alone, or too slow.
        """
        hint = "send less; forget old turns of the conversation"
        too_large = RefusedError(413, f"the body has over {self._body} bytes", hint)
        length = Headers(scope=scope).get("content-length", "0")
        if not length.isdecimal() or int(length) > self._body:
            raise too_large
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                body, whole = b"", False
                while not whole:
                    message = await receive()
                    body += message.get("body", b"")
                    whole = not message.get("more_body", False)
                    if len(body) > self._body:
                        raise too_large
        except TimeoutError:
            raise RefusedError(408, "the request did not come whole", "send it faster") from None
        first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return first.pop() if first else await receive()

        return again

    def _report(self, error: Exception) -> None:
        """Log the places of an error, and its message if that is allowed."""
        places = [
            f"{Path(one.filename).name}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__, -_PLACES)
        ]
        message = f": {error}" if self._log_errors else ""
        _log.error("%s%s at %s", type(error).__name__, message, " < ".join(reversed(places)))


def _refuse_foreign(method: str, headers: Headers) -> None:
    """Raise an error for a request of another site, and for one that is no JSON."""
    if method in ("GET", "HEAD", "OPTIONS"):
        return
    host, origin = headers.get("host", ""), headers.get("origin")
    foreign = origin is not None and origin.partition("://")[2].lower() != host.lower()
    if foreign or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise RefusedError(403, "the request comes from another site", "open the page of this server")
    plain = headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
    if method == "POST" and not plain:  # other methods get their own error from the routes
        raise RefusedError(415, "the body is no JSON", "send content-type: application/json")
