"""What each error is to whoever asked: a status, and what may be told of it."""

from __future__ import annotations

import json
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from ..data.errors import InputError, QuerentError, TimeLimitError
from .answers_shown import error_shown, problem_shown
from .desk import BusyError, LateError
from .open_databases import GoneError

__all__ = ["PlainJson", "failure"]

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
