"""A language model behind any server that speaks OpenAI's chat protocol, such as vLLM, Ollama or llama.cpp."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...data.packages import needs
from ..messages import Completions, Message, likely_tokens
from .endpoint import Endpoint
from .replies import SilentError, explained, guard, read_answer

if TYPE_CHECKING:
    from openai import OpenAI


_LIMITS = ("max_tokens", "max_completion_tokens")
"""The names of the limit of an answer: of nearly all servers, and of OpenAI's own for models that reason."""


class ServerBackend:
    """A model of a server.

    After a failure that may pass (429, 5xx, a time-out, a broken connection) the client tries again, as soon as the
    server allows or after pauses that grow; other failures raise an error at once. A server that gives one answer a
    request gets several requests. The key is in the client's headers and nowhere else. Threads may share a back end.

    Args:
        spec: ``URL#model``.
        tries: the greatest number of requests for one question.
        timeout: of one request, in seconds.

    Attributes:
        context: the greatest number of tokens of messages and answer together; None until `read_context` finds it.

    Raises:
        InputError: the spec is no URL with a model, the key is missing, or openai is not installed.
    """

    def __init__(self, spec: str, *, tries: int = 6, timeout: float = 120.0) -> None:
        self._endpoint = Endpoint.read(spec)
        self._tries, self._timeout = tries, timeout
        self._client = _client(self._endpoint, tries, timeout)
        self.name = f"{self._endpoint.url}#{self._endpoint.model}"
        self.context: int | None = None
        self._limit = _LIMITS[0]

    def complete(
        self, messages: Sequence[Message], *, n: int = 1, temperature: float = 0.0, max_tokens: int = 256
    ) -> Completions:
        """Return ``n`` answers to a chat, see `Backend`; at temperature 0 one is requested, and repeated.

        Raises:
            LlmError: the server does not answer, refuses, or has no such model.
        """
        wanted = 1 if temperature == 0 else n
        settings: dict[str, Any] = {"temperature": temperature}
        texts: list[str] = []
        parts: list[Completions] = []
        while len(texts) < wanted:
            rest = wanted - len(texts)
            parts.append(self._requested(messages, settings | ({"n": rest} if rest > 1 else {}), max_tokens))
            texts += parts[-1].texts
        counts = [part.completion_tokens for part in parts if part.completion_tokens is not None]
        written = sum(counts) if len(counts) == len(parts) else None
        return Completions(tuple((texts * n)[:n]), parts[0].prompt_tokens, written)

    def count(self, messages: Sequence[Message]) -> int:
        """Return how many tokens messages are likely to take: only the server knows its tokenizer."""
        return likely_tokens(messages)

    def models(self) -> list[str] | None:
        """Return the names of the server's models, None if it does not list any."""
        return None if (found := self._listed()) is None else [str(one.get("id")) for one in found]

    def read_context(self) -> None:
        """Read the length of the model's context from the server, as vLLM and llama.cpp list it.

        Raises:
            LlmError: there is no server, or it refuses the key.
        """
        listed = self._listed(strict=True) or []
        only = len(listed) == 1  # a server of one model answers to any name
        for one in [one for one in listed if only or one.get("id") == self._endpoint.model]:
            meta: Any = one.get("meta")
            length = one.get("max_model_len") or (meta.get("n_ctx") if isinstance(meta, dict) else None)
            self.context = length if isinstance(length, int) else self.context

    def _requested(self, messages: Sequence[Message], settings: dict[str, Any], max_tokens: int) -> Completions:
        """Return the answers to one request, which the client may send several times."""
        sent: dict[str, Any] = settings | {"model": self._endpoint.model, self._limit: max_tokens}
        sent["messages"] = [asdict(message) for message in messages]
        try:
            body = self._client.chat.completions.with_raw_response.create(**sent).http_response.content
        except _expected_errors() as error:
            refused = explained(error, self._endpoint, self.models, self._tries)
            renamed = self._limit == _LIMITS[0] and _LIMITS[1] in str(error)
        else:
            return read_answer(body, self._endpoint, max_tokens)
        if renamed:
            self._limit = _LIMITS[1]
            return self._requested(messages, settings, max_tokens)
        raise refused  # out here, so that nothing leads from it to the request and its key

    def _listed(self, *, strict: bool = False) -> list[dict[str, Any]] | None:
        """Return the server's list of its models, None if it has none.

        Args:
            strict: whether no server and a refused key are errors.
        """
        seconds = min(self._timeout, 10.0)
        try:
            return [one.model_dump() for one in self._client.with_options(max_retries=0).models.list(timeout=seconds)]
        except _expected_errors() as error:
            refused = explained(error, self._endpoint, lambda: None, 1)
            lasts = not isinstance(refused, SilentError) and getattr(error, "status_code", 0) not in (400, 404, 405)
            if strict and lasts:
                raise refused from None
        except (ValueError, TypeError, AttributeError):  # a list of another shape
            pass
        return None


def _client(endpoint: Endpoint, tries: int, timeout: float) -> OpenAI:
    """Return a client; to a server on this machine it uses no proxy."""
    with needs("openai", "llm", field="llm"):
        import openai  # takes half a second, and only servers need it

    client = openai.DefaultHttpxClient(
        trust_env=not endpoint.is_local,
        follow_redirects=False,  # nothing is sent to another address than the one that was given
        headers={"Accept-Encoding": "identity"},  # packed bytes would grow behind the bound
        event_hooks={"response": [guard(_http_library(), timeout)]},
    )
    how: dict[str, Any] = {"max_retries": tries - 1, "timeout": timeout, "http_client": client}
    return openai.OpenAI(base_url=endpoint.url, api_key=endpoint.key or "none", **how)


def _http_library() -> Any:
    """Return httpx, or its successor below the client."""
    import openai  # loaded with the client

    below = next(kind for kind in openai.DefaultHttpxClient.__mro__ if kind.__module__.partition(".")[0] != "openai")
    return sys.modules[below.__module__.partition(".")[0]]


def _expected_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the client, and those of the HTTP library below it while a body is read."""
    import openai  # loaded with the client

    return openai.OpenAIError, _http_library().HTTPError
