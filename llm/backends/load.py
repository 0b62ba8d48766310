"""A back end by what the user calls it; and answers of a file, for tests without a model.

A line is an object: ``{"texts": ["SELECT …"]}``, with ``prompt_tokens`` and ``completion_tokens`` if they are known. A
file masks no tokens.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...data.errors import InputError, LlmError, did_you_mean
from ...data.texts import UnreadableError, json_of
from ..messages import Backend, Completions, Message, likely_tokens
from .endpoint import is_url
from .local import LocalBackend
from .server import ServerBackend

__all__ = ["RecordedBackend", "load_backend"]

_RECORDED_HINT = 'write one object a line: {"texts": ["…"]}'


class RecordedBackend:
    """Answers as a file has them, each line once, in their order. Any number of threads may ask.

    Args:
        file: of one JSON object a line.

    Raises:
        InputError: the file is missing, or a line is no record.
    """

    def __init__(self, file: str | Path) -> None:
        self.file = Path(file)
        self.name = f"recorded:{self.file}"
        self.context: int | None = None
        try:
            lines = self.file.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read: {error}", file=self.file, hint="give recorded:FILE") from error
        self._records = deque(_record(line, self.file, n) for n, line in enumerate(lines, 1) if line.strip())
        self._lock = threading.Lock()

    def complete(
        self, messages: Sequence[Message], *, n: int = 1, temperature: float = 0.0, max_tokens: int = 256
    ) -> Completions:
        """Return the next answer of the file, whatever the messages are.

        Raises:
            LlmError: there is none, or it has another number of texts.
        """
        with self._lock:
            if not self._records:
                raise LlmError("no answer is left", file=self.file)
            found = self._records.popleft()
        if len(found.texts) != n:
            raise LlmError(f"{len(found.texts)} texts are recorded where {n} are asked for", file=self.file)
        return found

    def count(self, messages: Sequence[Message]) -> int:
        """Return how many tokens messages are likely to take."""
        return likely_tokens(messages)


def _record(line: str, file: Path, number: int) -> Completions:
    try:
        data: Any = json_of(line, halves=True)
    except UnreadableError as error:
        raise InputError(error.problem, file=file, line=number, hint=_RECORDED_HINT) from error
    texts: Any = data.get("texts") if isinstance(data, dict) else None
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise InputError("no list of texts", file=file, line=number, field="texts", hint=_RECORDED_HINT)
    counts = [data.get(name) for name in ("prompt_tokens", "completion_tokens")]
    if not all(count is None or isinstance(count, int) for count in counts):
        raise InputError("not a number of tokens", file=file, line=number, hint=_RECORDED_HINT)
    return Completions(tuple(texts), *counts)


_HINT = "give smollm2, URL#model, recorded:FILE, or a folder or hub name of a transformers model"

_RECORDED = "recorded:"


def load_backend(spec: str) -> Backend:
    """Return a back end; one whose tokens can be masked, a `ConstrainedBackend`, if it runs in this process.

    Args:
        spec: ``smollm2``; ``URL#model`` of a server, which is asked for its context; ``recorded:FILE``; else a folder
            or hub name of a causal model, a ``.gguf`` file, or the folder of an adapter.

    Raises:
        InputError: this is none of these, or what it needs is not installed.
        LlmError: there is no server, or it refuses the key.
    """
    name = spec.strip()
    if not name:
        raise InputError("no language model is named", field="llm", hint=_HINT)
    if is_url(name):
        server = ServerBackend(name)
        server.read_context()
        return server
    if name.startswith(_RECORDED):
        return RecordedBackend(name.removeprefix(_RECORDED))
    if "://" in name or "#" in name:
        raise InputError(f"{name!r} is no URL of a server", field="llm", hint=_hint(name))
    if ":" in name and (hint := did_you_mean(name.partition(":")[0] + ":", (_RECORDED,))):
        raise InputError(f"{name!r} is no language model", field="llm", hint=hint)
    return LocalBackend(name)


def _hint(name: str) -> str:
    if "://" not in name:
        return f"write http://{name}"
    return did_you_mean(name.partition("://")[0] + "://", ("http://", "https://")) or _HINT
