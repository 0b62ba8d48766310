"""Cells that say yes in columns that ask a question of their own: «有租车服务» where a column is «是否支持租车»."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ..index.found import FoundValue
from ..index.keys import fold
from .question import QuestionRuns

__all__ = ["Flags"]

_ASKING = ("是否", "能否", "可否", "有无", "有没有", "是不是", "能不能")
_YES = ("是", "有", "能", "可", "yes", "true", "y", "t")
_LEAST = 2  # characters of a column's name that a question says


class Flags:
    """Finds the columns whose name is a question, in questions that say what it is about.

    Args:
        columns: (table, column, what it is called), of all columns.
        few: returns all cells of a column that has few.
    """

    def __init__(self, columns: Sequence[tuple[str, str, str]], few: Callable[[str, str], tuple[str, ...]]) -> None:
        self._flags = [
            (table, column, name.removeprefix(start))
            for table, column, name in columns
            for start in _ASKING
            if name.startswith(start) and len(name) - len(start) >= _LEAST
        ]
        self._few = few

    def find(self, question: QuestionRuns) -> Iterator[FoundValue]:
        """Yield the cells that say yes, each once, where the question says half of a column's name."""
        text = fold(question.text)
        if len(text) != len(question.text):
            return
        found: dict[str, FoundValue] = {}
        for table, column, about in self._flags:
            start, size = _shared(text, about)
            if size < _LEAST or 2 * size < len(about):
                continue
            for cell in self._few(table, column):
                if fold(cell.strip()) in _YES:
                    said = question.text[start : start + size]
                    new = FoundValue(start, start + size, said, cell, "cell", "meaning", (), 0.4)
                    one = found.get(cell, new)
                    found[cell] = replace(one, columns=(*one.columns, (table, column)))
        yield from found.values()


def _shared(text: str, about: str) -> tuple[int, int]:
    """Return where the longest piece of ``about`` stands in ``text``, and how long it is."""
    for size in range(min(len(about), len(text)), _LEAST - 1, -1):
        for first in range(len(about) - size + 1):
            start = text.find(about[first : first + size])
            if start >= 0:
                return start, size
    return 0, 0
