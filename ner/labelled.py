"""Training questions with their values marked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from ..data.examples import Example
from .sources import FIXED_TYPES
from .units import units

__all__ = ["Labelled"]


@dataclass(frozen=True)
class Labelled:
    """A question cut into pieces, each with the type of value it says, or None."""

    pieces: tuple[tuple[str, str | None], ...]

    @classmethod
    def of(cls, example: Example) -> Self:
        """Cut a training question at its values; a value said again is one more value."""
        spans: list[tuple[int, int, str]] = []
        for start, end, name in _places(example):
            if all(end <= s or e <= start for s, e, _ in spans):
                spans.append((start, end, name))
        pieces: list[tuple[str, str | None]] = []
        position = 0
        for start, end, name in sorted(spans):
            pieces += [(example.question[position:start], None), (example.question[start:end], name)]
            position = end
        pieces.append((example.question[position:], None))
        return cls(tuple(piece for piece in pieces if piece[0].strip()))

    def spans(self) -> tuple[list[str], list[tuple[int, int, str]]]:
        """Return the question's units, and its values as (first unit, one past the last, type)."""
        read: list[str] = []
        spans: list[tuple[int, int, str]] = []
        for text, name in self.pieces:
            start = len(read)
            read += [unit.text for unit in units(text)]
            if name is not None:
                spans.append((start, len(read), name))
        return read, spans


def _places(example: Example) -> Iterator[tuple[int, int, str]]:
    """Yield where values stand: as bound, then where their text comes again."""
    mentions = [value.mention for value in example.values]
    read = units(example.question)
    starts, ends = {unit.start for unit in read}, {unit.end for unit in read}
    for mention in mentions:
        yield mention.start, mention.end, mention.type
    for mention in mentions:
        if mention.type not in FIXED_TYPES and mention.text:
            start = example.question.find(mention.text, mention.end)
            while start >= 0:
                end = start + len(mention.text)
                if start in starts and end in ends:
                    yield start, end, mention.type
                start = example.question.find(mention.text, end)
