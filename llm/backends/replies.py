"""Reads the replies of a server: an answer, or an error in one line without the key. Their size is bounded."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from socket import gaierror
from types import ModuleType
from typing import Any, cast

from ...data.errors import LlmError, did_you_mean
from ...data.texts import json_of
from ..messages import Completions
from .endpoint import KEYS, Endpoint

_LONGEST = 16 << 20
"""The greatest size of an answer in bytes."""

_QUOTED = 300
"""How many letters of a server's message an error repeats."""

_LISTED = 12
"""How many models of a server an error names."""


class SilentError(LlmError):
    """A server did not answer after all tries, for a reason that may pass."""


def read_answer(body: bytes, endpoint: Endpoint, max_tokens: int) -> Completions:
    """Return the texts that are not empty, at least one, and the numbers of tokens if the server gives them.

    Raises:
        LlmError: this is no answer, or an empty one; or the model used up its tokens before any text, as those that
            reason first may.
    """
    try:
        data: Any = json_of(body, halves=True)
    except ValueError:
        start = endpoint.cleaned(body.decode("utf-8", "replace"))  # before it is cut, which could halve a key
        raise LlmError(f"what came is no JSON: {start[:60]!r}, {len(body)} bytes") from None
    choices: Any = data.get("choices") if isinstance(data, dict) else None
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        found = endpoint.cleaned(json.dumps(data, ensure_ascii=False))[:200]
        raise LlmError(f"what came has no answers: {found}")
    messages = [one["message"] for one in choices if isinstance(one.get("message"), dict)]
    texts = [text for one in messages if isinstance(text := one.get("content"), str) and text.strip()]
    if not texts and any(choice.get("finish_reason") == "length" for choice in choices):
        hint = "allow more tokens: a model that reasons first may use up hundreds"
        raise LlmError(f"{endpoint.model} wrote no text within {max_tokens} tokens", hint=hint)
    if not texts:
        raise LlmError("the answer is empty")
    usage: Any = data.get("usage") if isinstance(data.get("usage"), dict) else {}
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    return Completions(tuple(texts), *(count if isinstance(count, int) else None for count in counts))


def explained(error: Exception, endpoint: Endpoint, models: Callable[[], Sequence[str] | None], tries: int) -> LlmError:
    """Return the error to raise instead of one of the client.

    Args:
        models: requests the names of the server's models; it returns None if the server does not list any.
        tries: how many requests were sent where the error may pass.
    """
    import openai  # whoever has its error has it loaded

    if isinstance(error, openai.APIStatusError):
        return _of_status(error, _message_of(error, endpoint), endpoint, models, tries)
    chain = list(_causes(error))
    if guarded := next((one for one in chain if isinstance(one, LlmError)), None):
        return guarded
    if any("Timeout" in type(one).__name__ for one in chain):
        return _silent(endpoint, tries, "no answer in time")
    if refused := next((one for one in chain if isinstance(one, ConnectionRefusedError | gaierror)), None):
        hint = "is the server running, and the address right?"
        return LlmError(f"no server at {endpoint.url}: {refused.strerror or refused}", field="llm", hint=hint)
    message = endpoint.cleaned(str(chain[-1]) or type(error).__name__)
    return _silent(endpoint, tries, f"the connection broke: {message[:_QUOTED]}")


def _silent(endpoint: Endpoint, tries: int, reason: str) -> SilentError:
    times = "once" if tries == 1 else f"{tries} times"
    return SilentError(
        f"{endpoint.url}#{endpoint.model} does not answer, asked {times}: {reason}", hint="ask again later"
    )


def _of_status(
    error: Any, message: str, endpoint: Endpoint, models: Callable[[], Sequence[str] | None], tries: int
) -> LlmError:
    status = error.status_code
    detail = f"{status}: {message}" if message else str(status)
    if status < 400:
        where = endpoint.cleaned(error.response.headers.get("location", ""))
        hint = "give that address yourself, if you trust it"
        return LlmError(f"{endpoint.url} leads to {where}, where nothing is sent", field="llm", hint=hint)
    if status in (401, 403):
        return LlmError(f"{endpoint.url} refuses the key ({detail})", field="llm", hint=f"set {KEYS[0]}")
    if status == 429 and error.code == "insufficient_quota":
        return LlmError(f"{endpoint.url} has no credit left for this key ({detail})", field="llm")
    if status in (408, 425, 429) or status >= 500:
        return _silent(endpoint, tries, detail)
    if status in (400, 404) and (names := models()) and endpoint.model not in names:
        listed = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
        hint = did_you_mean(endpoint.model, names) or "write URL#model with one of them"
        return LlmError(f"{endpoint.url} has no model {endpoint.model!r}; it has {listed}", field="llm", hint=hint)
    problem = "has nothing to chat with" if status == 404 else "refuses the question"
    hint = "most addresses end in /v1" if status == 404 else None
    return LlmError(f"{endpoint.url} {problem} ({detail})", field="llm", hint=hint)


def _message_of(error: Any, endpoint: Endpoint) -> str:
    """Return the message of a server's refusal, from its JSON where there is one."""
    fields = cast("dict[str, Any]", error.body) if isinstance(error.body, dict) else {}
    found: Any = fields.get("message") or fields.get("detail") or fields.get("error")
    return endpoint.cleaned(found if isinstance(found, str) else error.message)[:_QUOTED]


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, what it was raised from, and so on."""
    at: BaseException | None = error
    while at is not None:
        yield at
        at = at.__cause__ or at.__context__


def guard(http: ModuleType, seconds: float) -> Callable[[Any], None]:
    """Return a hook for each response of a client, called before its body is read.

    It raises `LlmError` where a response comes compressed, which was not requested. Reading the body raises one after
    16 MiB, and a time-out after some seconds: the client's own limit is for each read alone.

    Args:
        http: httpx, or its successor.
    """

    class Bounded(http.SyncByteStream):
        """The body of a response, up to a limit of size and time."""

        def __init__(self, inner: Any, host: str) -> None:
            self._inner, self._host = inner, host

        def __iter__(self) -> Iterator[bytes]:
            read, ends = 0, time.monotonic() + seconds
            for part in self._inner:
                read += len(part)
                if time.monotonic() > ends:
                    raise http.ReadTimeout("no end of the answer")
                if read > _LONGEST:
                    problem = f"{self._host} answers with more than {_LONGEST >> 20} MiB"
                    raise LlmError(problem, field="llm", hint="is it the server of a language model?")
                yield part

        def close(self) -> None:
            self._inner.close()

    def check(response: Any) -> None:
        host = response.request.url.netloc.decode()
        if packed := response.headers.get("content-encoding", "identity").replace("identity", ""):
            raise LlmError(f"{host} answers in {packed!r}, which was not asked for", field="llm")
        response.stream = Bounded(response.stream, host)

    return check
