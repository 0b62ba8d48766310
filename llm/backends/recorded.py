"""Answers kept in a file and given from it: what a language model said once can be had again, without the model.

A line is an object: ``{"digest": …, "texts": […], "prompt_tokens": 81, "completion_tokens": 20}``. Written by hand,
``{"texts": ["…"]}`` is enough: lines without a digest answer in their order. A file masks no tokens, so what a masked
model wrote is not recorded.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...data.errors import InputError, LlmError
from ...data.texts import UnreadableError, json_of
from ..messages import Completions, Message, digest_of, likely_tokens

__all__ = ["RecordedBackend"]

_HINT = 'write one object a line: {"texts": ["…"]}'


@dataclass
class _Records:
    """What a file holds.

    Attributes:
        by_digest: the answers of each digest, in order; the last one stays.
        in_order: those of lines without a digest, each given once.
    """

    by_digest: dict[str, deque[Completions]] = field(default_factory=dict[str, deque[Completions]])
    in_order: deque[Completions] = field(default_factory=deque[Completions])

    def take(self, digest: str) -> Completions | None:
        """Return the next answer to what a digest stands for, None if there is none."""
        if answers := self.by_digest.get(digest):
            return answers.popleft() if len(answers) > 1 else answers[0]
        return self.in_order.popleft() if self.in_order else None


class RecordedBackend:
    """Answers as a file has them: by what was asked, and how; else line by line where lines have no digest.

    What a digest has several records of comes in their order, the last one from then on. Any number of threads may ask.

    Args:
        file: of one JSON object a line.

    Raises:
        InputError: the file is missing, or a line is no record.
    """

    def __init__(self, file: str | Path) -> None:
        self.file = Path(file)
        self.name = f"recorded:{self.file}"
        self.context: int | None = None
        self._records = _read(self.file)
        self._lock = threading.Lock()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        n: int = 1,
        temperature: float = 0.0,
        max_tokens: int = 256,
    ) -> Completions:
        """Return what was answered to these messages under these settings.

        Raises:
            LlmError: the file has no such record, which is named by its digest.
        """
        digest = digest_of(messages, n=n, temperature=temperature, max_tokens=max_tokens)
        with self._lock:
            found = self._records.take(digest)
        if found is None:
            hint = "record it (recorder), or ask with the messages and settings of the recording"
            raise LlmError(f"no answer is recorded for {digest}", file=self.file, hint=hint)
        if len(found.texts) != n:
            raise LlmError(f"{len(found.texts)} texts are recorded where {n} are asked for", file=self.file)
        return found

    def count(self, messages: Sequence[Message]) -> int:
        """Return how many tokens messages are likely to take."""
        return likely_tokens(messages)


def _read(file: Path) -> _Records:
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=file, hint="give recorded:FILE") from error
    records = _Records()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        digest, answer = _record(line, file, number)
        if digest is None:
            records.in_order.append(answer)
        else:
            records.by_digest.setdefault(digest, deque()).append(answer)
    return records


def _record(line: str, file: Path, number: int) -> tuple[str | None, Completions]:
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
    digest = data.get("digest")
    if not (digest is None or isinstance(digest, str)):
        raise InputError("not a digest", file=file, line=number, field="digest", hint=_HINT)
    return digest, Completions(tuple(texts), *counts)
