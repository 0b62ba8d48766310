"""The columns of a query that stand beside values of its question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...grammar import Word
from ...ner.index import FoundValue
from ..reader.question.question import QuestionWords

__all__ = ["Comparison", "comparisons"]

_NEAR = 3
"""Words between a column and the value that it is compared with: NOT LIKE stand between."""


@dataclass(frozen=True)
class Comparison:
    """A column and a value that it is compared with; ``equal``: is it to be that value?"""

    table: str
    column: str
    value: FoundValue
    equal: bool = False


def comparisons(question: QuestionWords, written: Sequence[Word]) -> Iterator[Comparison]:
    """Yield each value of a question that stands behind a column.

    Args:
        written: words of a query in short form.
    """
    for i, word in enumerate(written):
        if word.kind != "column" or word.table is None or word.column is None:
            continue
        equal = i + 1 < len(written) and written[i + 1].text in ("=", "IN")
        for near in written[i + 1 : i + 1 + _NEAR]:
            if near.kind == "column":
                break
            for slot in near.slots:
                number = int(slot.removeprefix("text").removeprefix("number"))
                if number < len(question.values):
                    yield Comparison(word.table, word.column, question.values[number].found, equal)
