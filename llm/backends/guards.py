"""What keeps a server from leading a client elsewhere, and from filling its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any
from urllib.parse import urljoin, urlsplit

from ...data.errors import LlmError

__all__ = ["guard"]

_LONGEST = 16 << 20
"""Bytes of an answer; a longer one is none of a language model."""


def guard(http: ModuleType) -> Callable[[Any], None]:
    """Return a hook for each response of a client, called before its body is read.

    Args:
        http: httpx, or what took its place.

    The hook raises `LlmError` where a response leads to another host, or from https to http, or comes packed, which
    was not asked for; reading the body raises one after 16 MiB.
    """

    class Bounded(http.SyncByteStream):
        """The body of a response, as far as it is bounded."""

        def __init__(self, inner: Any, host: str) -> None:
            self._inner, self._host = inner, host

        def __iter__(self) -> Iterator[bytes]:
            read = 0
            for part in self._inner:
                read += len(part)
                if read > _LONGEST:
                    problem = f"{self._host} answers with more than {_LONGEST >> 20} MiB"
                    raise LlmError(problem, field="llm", hint="is it the server of a language model?")
                yield part

        def close(self) -> None:
            self._inner.close()

    def check(response: Any) -> None:
        asked = urlsplit(str(response.request.url))
        where = urlsplit(urljoin(asked.geturl(), response.headers.get("location", "")))
        if response.has_redirect_location and (where.hostname, where.scheme) not in (
            (asked.hostname, "https"),
            (asked.hostname, asked.scheme),
        ):
            problem = f"{asked.netloc} leads to {where.scheme}://{where.netloc}, where nothing is sent"
            raise LlmError(problem, field="llm", hint="give that address yourself, if you trust it")
        if packed := response.headers.get("content-encoding", "identity").replace("identity", ""):
            raise LlmError(f"{asked.netloc} answers in {packed!r}, which was not asked for", field="llm")
        response.stream = Bounded(response.stream, asked.netloc)

    return check
