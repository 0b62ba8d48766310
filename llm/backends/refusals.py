"""What the openai client raises, as one line for the user or as a reason to try again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from socket import gaierror
from typing import Any, cast

from ...data.errors import LlmError, did_you_mean
from .endpoint import KEYS, Endpoint
from .retries import TryAgainError

__all__ = ["explained", "retry_after"]

_LONGEST = 300
"""Letters of what a server says that a message repeats."""

_LISTED = 12
"""Models of a server that a message names."""


def explained(
    error: Exception, endpoint: Endpoint, models: Callable[[], Sequence[str] | None]
) -> LlmError | TryAgainError:
    """Return what to raise instead of an error of the client.

    Args:
        models: asks the server what models it has; None if it does not say.
    """
    import openai  # whoever has its error has it loaded

    if isinstance(error, openai.APIStatusError):
        return _of_status(error.status_code, _said(error.body, error.message, endpoint), error, endpoint, models)
    chain = list(_causes(error))
    if guarded := next((one for one in chain if isinstance(one, LlmError)), None):
        return guarded
    if isinstance(error, openai.APITimeoutError) or any("Timeout" in type(one).__name__ for one in chain):
        return TryAgainError("no answer in time")
    if refused := next((one for one in chain if isinstance(one, ConnectionRefusedError | gaierror)), None):
        hint = "is the server running, and the address right?"
        return LlmError(f"no server at {endpoint.url}: {refused.strerror or refused}", field="llm", hint=hint)
    said = endpoint.cleaned(str(chain[-1]) or type(error).__name__)
    return TryAgainError(f"the connection broke: {said[:_LONGEST]}")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait (RFC 9110, section 10.2.3), None if it does not say."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except ValueError:
        return None


def _of_status(
    status: int,
    said: str,
    error: Any,
    endpoint: Endpoint,
    models: Callable[[], Sequence[str] | None],
) -> LlmError | TryAgainError:
    told = f"{status}: {said}" if said else str(status)
    if status in (401, 403):
        return LlmError(f"{endpoint.url} refuses the key ({told})", field="llm", hint=f"set {KEYS[0]}")
    if status == 429 and error.code == "insufficient_quota":
        return LlmError(f"{endpoint.url} has no credit left for this key ({told})", field="llm")
    if status in (408, 425, 429) or status >= 500:
        return TryAgainError(told, retry_after(error.response.headers))
    if status in (400, 404) and (unknown := _unknown_model(endpoint, models())):
        return unknown
    if status == 404:
        hint = "most addresses end in /v1"
        return LlmError(f"{endpoint.url} has nothing to chat with ({told})", field="llm", hint=hint)
    return LlmError(f"{endpoint.url} refuses the question ({told})", field="llm")


def _unknown_model(endpoint: Endpoint, models: Sequence[str] | None) -> LlmError | None:
    """Return an error that names the server's models, None if the one asked for is among them or nobody knows."""
    if not models or endpoint.model in models:
        return None
    listed = ", ".join(models[:_LISTED]) + (", …" if len(models) > _LISTED else "")
    hint = did_you_mean(endpoint.model, models) or "write URL#model with one of them"
    return LlmError(f"{endpoint.url} has no model {endpoint.model!r}; it has {listed}", field="llm", hint=hint)


def _said(body: object, message: str, endpoint: Endpoint) -> str:
    """Return what a server says of its refusal: the message in its JSON where there is one."""
    fields = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    inner: Any = fields.get("error")
    found: Any = fields.get("message") or fields.get("detail") or inner
    said = found if isinstance(found, str) else message
    return endpoint.cleaned(said)[:_LONGEST]


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, what it was raised from, and so on."""
    at: BaseException | None = error
    while at is not None:
        yield at
        at = at.__cause__ or at.__context__
