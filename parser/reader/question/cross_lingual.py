"""Cells in another script than the question's that a value of it means: 汇丰银行 for «HSBC», «Beijing» for 北京.

Cross-lingual entity linking by a multilingual encoder (E5): a mention that no cell says is held against the cells of
the other script, and the nearest one is offered beside the mention as it stands. On CHASE's training databases 31 of
36 that are as near as `_NEAR` are the cell meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from ....encoders import load_encoder
from ....encoders.functions import Floats
from ....encoders.text_vectors import TextVectors
from ....ner.index import FoundValue, ValueIndex
from ....ner.index.keys import is_cjk
from ..schema.items import SchemaItems

__all__ = ["CrossLingualCells"]

_NEAR = 0.845
"""Cosine from which a cell is meant."""

_SCORE = 0.45
"""How sure it is; more than a text that no cell holds, less than any cell that is said."""

_SURE = 0.5
_OF_COLUMN = 32
_MAX_CELLS = 600
"""Cells that are looked at, of the columns with the fewest different ones first."""


_Cells = dict[str, list[tuple[str, str]]]


class CrossLingualCells:
    """The most frequent cells of a database, to be found from another script; they are read when one is first sought.

    Args:
        index: of the database's values.
        items: of its schema.
    """

    def __init__(self, index: ValueIndex, items: SchemaItems) -> None:
        self._index, self._items = index, items
        self._tables: dict[bool, Floats] = {}

    def find(self, question: str, mentions: Iterable[tuple[int, int]], found: Sequence[FoundValue]) -> list[FoundValue]:
        """Return the cells that mentions mean which no cell says.

        Args:
            mentions: (start, end) of values of the question.
            found: what the index found.
        """
        said = [one for one in found if one.kind != "text" and one.score >= _SURE]
        meant: list[FoundValue] = []
        for start, end in mentions:
            text = question[start:end]
            named = end - start > 1 and any(map(str.isalpha, text))
            if named and not any(one.start < end and start < one.end for one in said):
                meant += self._nearest(text, start)
        return meant

    def _nearest(self, text: str, start: int) -> list[FoundValue]:
        chinese = not is_cjk(text)
        cells = self._cells[chinese]
        if not cells:
            return []
        self._vectors.prepare([text])
        near = self._table(chinese) @ self._vectors[text]
        best = int(near.argmax())
        if near[best] < _NEAR:
            return []
        value = list(cells)[best]
        return [FoundValue(start, start + len(text), text, value, "cell", "meaning", tuple(cells[value]), _SCORE)]

    @cached_property
    def _vectors(self) -> TextVectors:
        return TextVectors(load_encoder("e5"))

    @cached_property
    def _cells(self) -> tuple[_Cells, _Cells]:
        """Return the cells in Latin letters and those in Chinese, each with its columns."""
        latin, chinese = _Cells(), _Cells()
        columns = [(item.table, item.column) for item in self._items.items if item.column and item.kind == "text"]
        for table, column in sorted(columns, key=lambda place: self._index.size(*place)):
            for cell in self._index.samples(table, column, _OF_COLUMN):
                of = chinese if any(map(is_cjk, cell)) else latin
                if _named(cell) and (cell in of or len(latin) + len(chinese) < _MAX_CELLS):
                    of.setdefault(cell, []).append((table, column))
        return latin, chinese

    def _table(self, chinese: bool) -> Floats:
        """Return the vectors of the cells of a script, (cells, hidden)."""
        if chinese not in self._tables:
            cells = list(self._cells[chinese])
            self._vectors.prepare_kept(cells)
            self._tables[chinese] = np.array([self._vectors[cell] for cell in cells])
        return self._tables[chinese]


def _named(cell: str) -> bool:
    """May a cell be a name or a word, and no code?"""
    letters = sum(map(str.isalpha, cell))
    return 1 < letters < 60 and not any(sign.isdigit() or sign == "_" for sign in cell)
