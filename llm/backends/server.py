"""A language model behind any server that speaks OpenAI's chat protocol, such as vLLM, Ollama or llama.cpp."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ...data.errors import LlmError
from ...data.packages import needs
from ..messages import Completions, Message, likely_tokens
from .endpoint import Endpoint
from .replies import TryAgainError, explained, guard, read_answer

if TYPE_CHECKING:
    from openai import OpenAI

__all__ = ["Patience", "ServerBackend"]

_LIMITS = ("max_tokens", "max_completion_tokens")
"""What the limit of an answer is called: by nearly all servers, and by OpenAI's own for models that reason."""


@dataclass(frozen=True)
class Patience:
    """How long a server is waited for.

    Attributes:
        timeout: seconds that one try may take.
        total: seconds that all tries of one question and the pauses between them may take.
        tries: at most.
        pause: seconds before the second try; each pause is twice the one before, less up to a half by chance, so that
            those who were refused together do not come back together.
    """

    timeout: float = 120.0
    total: float = 600.0
    tries: int = 6
    pause: float = 0.5


class ServerBackend:
    """A model of a server.

    What passes (429, 5xx, a time-out, a broken connection, half an answer, an empty one) is tried again; what does
    not is an error at once. A server that gives one answer, however many are asked for, is asked again for the rest.
    The key is in the client's headers and nowhere else. Any number of threads may ask.

    Args:
        spec: ``URL#model``.

    Attributes:
        context: most tokens of messages and answer together; None until `read_context` asks the server.

    Raises:
        InputError: the spec is no URL with a model, the key is missing, or openai is not installed.
    """

    def __init__(self, spec: str, *, patience: Patience | None = None) -> None:
        self._endpoint = Endpoint.read(spec)
        self._patience = patience or Patience()
        self._client = _client(self._endpoint)
        self.name = f"{self._endpoint.url}#{self._endpoint.model}"
        self.context: int | None = None
        self._limit = _LIMITS[0]

    def complete(
        self, messages: Sequence[Message], *, n: int = 1, temperature: float = 0.0, max_tokens: int = 256
    ) -> Completions:
        """Return ``n`` answers to a chat; at temperature 0 one is asked for, and repeated.

        Raises:
            LlmError: the server does not answer, refuses, or has no such model.
        """
        wanted = 1 if temperature == 0 else n
        settings: dict[str, Any] = {"temperature": temperature}
        texts: list[str] = []
        parts: list[Completions] = []
        while len(texts) < wanted:
            rest = wanted - len(texts)
            parts.append(self._asked(messages, settings | ({"n": rest} if rest > 1 else {}), max_tokens))
            texts += parts[-1].texts
        told = [part.completion_tokens for part in parts if part.completion_tokens is not None]
        written = sum(told) if len(told) == len(parts) else None
        return Completions(tuple((texts * n)[:n]), parts[0].prompt_tokens, written)

    def count(self, messages: Sequence[Message]) -> int:
        """Return how many tokens messages are likely to take: only the server knows its tokenizer."""
        return likely_tokens(messages)

    def models(self) -> list[str] | None:
        """Return the names of the server's models, None if it does not list any."""
        return None if (found := self._listed()) is None else [str(one.get("id")) for one in found]

    def read_context(self) -> None:
        """Ask the server how long the model's context is, as vLLM and llama.cpp tell; else leave `context` as it is.

        Raises:
            LlmError: there is no server, or it refuses the key.
        """
        listed = self._listed(strict=True) or []
        only = len(listed) == 1  # a server of one model answers to any name
        for one in [one for one in listed if only or one.get("id") == self._endpoint.model]:
            meta: Any = one.get("meta")
            told = one.get("max_model_len") or (meta.get("n_ctx") if isinstance(meta, dict) else None)
            self.context = told if isinstance(told, int) else self.context

    def _asked(self, messages: Sequence[Message], settings: dict[str, Any], max_tokens: int) -> Completions:
        """Ask until an answer comes; what may pass is tried again while there is time."""
        sent = settings | {"model": self._endpoint.model, "messages": [asdict(message) for message in messages]}
        patience, number = self._patience, 0
        ends = time.monotonic() + patience.total
        while True:
            number += 1
            try:
                return self._tried(sent, max_tokens, min(patience.timeout, max(ends - time.monotonic(), 0.001)))
            except TryAgainError as error:
                pause = patience.pause * 2 ** (number - 1) * random.uniform(0.5, 1)
                wait = pause if error.wait is None else error.wait
                if number == patience.tries or time.monotonic() + wait >= ends:
                    times = "once" if number == 1 else f"{number} times"
                    problem = f"{self.name} does not answer, asked {times}: {error.problem}"
                    raise LlmError(problem, hint=f"the next try would be {wait:.0f} s away") from None
            time.sleep(wait)

    def _tried(self, sent: dict[str, Any], max_tokens: int, seconds: float) -> Completions:
        """Ask once."""
        try:
            body = self._body(sent | {self._limit: max_tokens}, seconds)
        except _expected_errors() as error:
            refused = self._explained(error)
        else:
            return read_answer(body, self._endpoint, max_tokens)
        raise refused  # out here, so that nothing leads from it to the request and its key

    def _explained(self, error: Exception) -> LlmError | TryAgainError:
        if self._limit == _LIMITS[0] and _LIMITS[1] in str(error):
            self._limit = _LIMITS[1]
            return TryAgainError(f"{_LIMITS[0]} has another name here", wait=0)
        return explained(error, self._endpoint, self.models)

    def _body(self, sent: dict[str, Any], seconds: float) -> bytes:
        """Return what the server answers; it comes as a stream, since the client's limit is for each read alone."""
        ends = time.monotonic() + seconds
        parts: list[bytes] = []
        with self._client.chat.completions.with_streaming_response.create(**sent, timeout=seconds) as response:
            for part in response.iter_bytes():
                parts.append(part)
                if time.monotonic() > ends:
                    raise TryAgainError(f"no end of the answer within {seconds:.0f} s")
        return b"".join(parts)

    def _listed(self, *, strict: bool = False) -> list[dict[str, Any]] | None:
        """Return what the server tells of its models, None if it does not list any.

        Args:
            strict: whether no server and a refused key are errors.
        """
        seconds = min(self._patience.timeout, 10.0)
        try:
            return [one.model_dump() for one in self._client.models.list(timeout=seconds)]
        except _expected_errors() as error:
            found = explained(error, self._endpoint, lambda: None)
            if strict and isinstance(found, LlmError) and getattr(error, "status_code", 0) not in (400, 404, 405):
                raise found from None
        except (ValueError, TypeError, AttributeError):  # a list of another shape
            pass
        return None


def _client(endpoint: Endpoint) -> OpenAI:
    """Return a client that does not try again by itself, and goes to this machine through no proxy."""
    with needs("openai", "llm", field="llm"):
        import openai  # takes half a second, for those who ask a server alone

    client = openai.DefaultHttpxClient(
        trust_env=not endpoint.is_local,
        follow_redirects=False,  # nothing is sent to another address than the one that was given
        headers={"Accept-Encoding": "identity"},  # packed bytes would grow behind the bound
        event_hooks={"response": [guard(_http_library())]},
    )
    return openai.OpenAI(base_url=endpoint.url, api_key=endpoint.key or "none", max_retries=0, http_client=client)


def _http_library() -> Any:
    """Return httpx, or what took its place below the client."""
    import openai  # loaded with the client

    below = next(kind for kind in openai.DefaultHttpxClient.__mro__ if kind.__module__.partition(".")[0] != "openai")
    return sys.modules[below.__module__.partition(".")[0]]


def _expected_errors() -> tuple[type[Exception], ...]:
    """Return what the client raises, and what the HTTP library below it raises while a body is read."""
    import openai  # loaded with the client

    return openai.OpenAIError, _http_library().HTTPError
