"""What a server replies: an answer, or an error in one line; within bounds, and without the key."""

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
"""Bytes of an answer; a longer one is none of a language model."""

_SAID = 300
"""Letters of what a server says that a message repeats."""

_LISTED = 12
"""Models of a server that a message names."""


class SilentError(LlmError):
    """A server did not answer, as often as it was asked, in a way that passes."""


def read_answer(body: bytes, endpoint: Endpoint, max_tokens: int) -> Completions:
    """Return the texts that are not empty, at least one, and the numbers of tokens if the server gives them.

    Raises:
        LlmError: this is no answer, or an empty one; or the model wrote no text within its tokens, as those that reason
            first do.
    """
    try:
        data: Any = json_of(body, halves=True)
    except ValueError:
        shown = endpoint.cleaned(body.decode("utf-8", "replace"))  # before it is cut, which could halve a key
        raise LlmError(f"what came is no JSON: {shown[:60]!r}, {len(body)} bytes") from None
    choices: Any = data.get("choices") if isinstance(data, dict) else None
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        said = endpoint.cleaned(json.dumps(data, ensure_ascii=False))[:200]
        raise LlmError(f"what came has no answers: {said}")
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
    """Return what to raise instead of an error of the client.

    Args:
        models: asks the server for the names of its models; None if it does not list any.
        tries: how often it was asked where an error passes.
    """
    import openai  # whoever has its error has it loaded

    if isinstance(error, openai.APIStatusError):
        return _of_status(error, _said(error, endpoint), endpoint, models, tries)
    chain = list(_causes(error))
    if guarded := next((one for one in chain if isinstance(one, LlmError)), None):
        return guarded
    if any("Timeout" in type(one).__name__ for one in chain):
        return _silent(endpoint, tries, "no answer in time")
    if refused := next((one for one in chain if isinstance(one, ConnectionRefusedError | gaierror)), None):
        hint = "is the server running, and the address right?"
        return LlmError(f"no server at {endpoint.url}: {refused.strerror or refused}", field="llm", hint=hint)
    said = endpoint.cleaned(str(chain[-1]) or type(error).__name__)
    return _silent(endpoint, tries, f"the connection broke: {said[:_SAID]}")


def _silent(endpoint: Endpoint, tries: int, said: str) -> SilentError:
    times = "once" if tries == 1 else f"{tries} times"
    return SilentError(
        f"{endpoint.url}#{endpoint.model} does not answer, asked {times}: {said}", hint="ask again later"
    )


def _of_status(
    error: Any, said: str, endpoint: Endpoint, models: Callable[[], Sequence[str] | None], tries: int
) -> LlmError:
    status = error.status_code
    told = f"{status}: {said}" if said else str(status)
    if status < 400:
        where = endpoint.cleaned(error.response.headers.get("location", ""))
        hint = "give that address yourself, if you trust it"
        return LlmError(f"{endpoint.url} leads to {where}, where nothing is sent", field="llm", hint=hint)
    if status in (401, 403):
        return LlmError(f"{endpoint.url} refuses the key ({told})", field="llm", hint=f"set {KEYS[0]}")
    if status == 429 and error.code == "insufficient_quota":
        return LlmError(f"{endpoint.url} has no credit left for this key ({told})", field="llm")
    if status in (408, 425, 429) or status >= 500:
        return _silent(endpoint, tries, told)
    if status in (400, 404) and (names := models()) and endpoint.model not in names:
        listed = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
        hint = did_you_mean(endpoint.model, names) or "write URL#model with one of them"
        return LlmError(f"{endpoint.url} has no model {endpoint.model!r}; it has {listed}", field="llm", hint=hint)
    problem = "has nothing to chat with" if status == 404 else "refuses the question"
    hint = "most addresses end in /v1" if status == 404 else None
    return LlmError(f"{endpoint.url} {problem} ({told})", field="llm", hint=hint)


def _said(error: Any, endpoint: Endpoint) -> str:
    """Return what a server says of its refusal: the message in its JSON where there is one."""
    fields = cast("dict[str, Any]", error.body) if isinstance(error.body, dict) else {}
    found: Any = fields.get("message") or fields.get("detail") or fields.get("error")
    return endpoint.cleaned(found if isinstance(found, str) else error.message)[:_SAID]


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, what it was raised from, and so on."""
    at: BaseException | None = error
    while at is not None:
        yield at
        at = at.__cause__ or at.__context__


def guard(http: ModuleType, seconds: float) -> Callable[[Any], None]:
    """Return a hook for each response of a client, called before its body is read.

    It raises `LlmError` where a response comes packed, which was not asked for; reading the body raises one after 16
    MiB, and a time-out after some seconds: the client's own is for each read alone.

    Args:
        http: httpx, or what took its place.
    """

    class Bounded(http.SyncByteStream):
        """The body of a response, as far as it is bounded."""

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
