"""Responses over HTTP: JSON, what each error is to whoever asked, an answer as lines, each as soon as it is known."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.exceptions import HTTPException

from ..answers.answer import Tell
from ..data.errors import InputError, QuerentError, TimeLimitError
from .desk import BusyError, LateError
from .open_databases import GoneError
from .shown import error_shown, problem_shown

__all__ = ["PlainJson", "failure", "streamed"]

_NO_TOKEN = {"www-authenticate": "Bearer"}


class PlainJson(JSONResponse):
    """JSON in ASCII: half a character, which may stand in a text, is no UTF-8."""

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def failure(error: Exception) -> PlainJson:
    """Return the response to a request that failed in a way that is known; others are for `Guard`."""
    headers: dict[str, str] = {}
    match error:
        case BusyError():
            status, told, headers = 429, error_shown(error), {"retry-after": str(error.seconds)}
        case GoneError():
            status, told = 503, problem_shown("the database cannot be read at present", hint="ask again later")
            headers = {"retry-after": "5"}
        case RequestValidationError():
            status, told = 422, _misread(error)
        case HTTPException():
            status, told = error.status_code, problem_shown(error.detail)
            headers = dict(error.headers or {}) | (_NO_TOKEN if status == 401 else {})
        case LateError() | TimeLimitError():
            status, told = 504, error_shown(error)
        case InputError():
            status, told = (404 if error.field == "database" else 422), error_shown(error)
        case QuerentError():
            status, told = 422, error_shown(error)
        case _:
            raise error
    return PlainJson(told, status, headers)


def _misread(error: RequestValidationError) -> dict[str, Any]:
    """Return the first field that is wrong; what stood there is not repeated."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"] if part != "body")
    if first["type"] == "json_invalid":
        return problem_shown("the body is no JSON", hint="see /openapi.json")
    return problem_shown(first["msg"], field=field or None, hint="see /openapi.json")


def streamed(begin: Callable[[Tell], Awaitable[Any]]) -> StreamingResponse:
    """Return a response of lines: ``{"step": "values", "told": […]}``, ``queries``, and ``answer`` or ``error`` last.

    Args:
        begin: begins to answer, and calls what it gets from another thread.

    Raises:
        BusyError: as from ``begin``.
    """
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any]]()

    def tell(step: str, told: tuple[str, ...]) -> None:
        loop.call_soon_threadsafe(lines.put_nowait, {"step": step, "told": told})

    answering = asyncio.ensure_future(_last(begin(tell), lines))
    return StreamingResponse(_written(lines, answering), media_type="application/x-ndjson")


async def _last(answer: Awaitable[Any], lines: asyncio.Queue[dict[str, Any]]) -> None:
    try:
        last = {"step": "answer", **await answer}
    except Exception as error:
        try:
            refused = failure(error)
            last = {"step": "error", "status": refused.status_code, **json.loads(bytes(refused.body))}
        except Exception:
            last = {"step": "error", "status": 500, "error": {"problem": "something went wrong here"}}
    lines.put_nowait(last)


async def _written(lines: asyncio.Queue[dict[str, Any]], answering: asyncio.Task[None]) -> AsyncIterator[bytes]:
    step = ""
    while step not in ("answer", "error"):
        line = await lines.get()
        step = line["step"]
        yield json.dumps(line, allow_nan=False).encode() + b"\n"
    await answering
