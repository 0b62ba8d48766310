"""Answers of a file, one after the other: for tests and demonstrations, without a model.

A line is an object: ``{"texts": ["SELECT …"]}``, with ``prompt_tokens`` and ``completion_tokens`` if they are known. A
file masks no tokens.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...data.errors import InputError, LlmError
from ...data.texts import UnreadableError, json_of
from ..messages import Completions, Message, likely_tokens

__all__ = ["RecordedBackend"]

_HINT = 'write one object a line: {"texts": ["…"]}'


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
        raise InputError(error.problem, file=file, line=number, hint=_HINT) from error
    texts: Any = data.get("texts") if isinstance(data, dict) else None
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise InputError("no list of texts", file=file, line=number, field="texts", hint=_HINT)
    counts = [data.get(name) for name in ("prompt_tokens", "completion_tokens")]
    if not all(count is None or isinstance(count, int) for count in counts):
        raise InputError("not a number of tokens", file=file, line=number, hint=_HINT)
    return Completions(tuple(texts), *counts)
