"""Where a question says a value, and the cells that it means though no cell says it: spelled nearly so, or translated.

«philantrohpists» for «philanthropist», by letters; 联邦快递 for «Fedex», by what a multilingual encoder (E5) makes of
both: cross-lingual entity linking. The nearest cell is offered beside the value as it stands. On CHASE's databases 31
of 39 that are as near as `_NEAR` are the cell meant; the other way round, of 北京 for «Beijing», nothing is measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import cast

import numpy as np
from rapidfuzz import fuzz, process

from ...classifiers.span_finder import SpanFinder, WordStates
from ...encoders import load_encoder
from ...encoders.functions import Floats
from ...encoders.text_vectors import TextVectors
from ...ner.cells.found import How
from ...ner.index import FoundValue, ValueIndex
from ...ner.language.question import QuestionText
from ...ner.language.words import fold, is_cjk
from ..base import spans_file
from .items import SchemaItems
from .question import read_question, word_states, words_of_many

__all__ = ["NearCells", "read_mentions", "value_mentions"]

Mentions = tuple[tuple[int, int], ...]

_MOST = 1024
"""Questions whose mentions are kept; more where more are read together."""

_known: dict[str, Mentions] = {}


def value_mentions(question: QuestionText) -> Mentions:
    """Return (start, end) of each value that a question says, in order.

    Raises:
        RunError: the weights of the span finder are missing.
        InputError: the encoder that it reads is not installed.
    """
    if (found := _known.get(question.text)) is None:
        finder = _finder()
        encoder = load_encoder(finder.encoder)
        read = read_question(question, (), encoder)
        found = _found(question, word_states(read, encoder, finder.layers)) if read.stems else ()
        _keep({question.text: found})
    return found


def read_mentions(questions: Iterable[str]) -> None:
    """Let the encoder read questions of one length together, which is quicker; `value_mentions` then knows them."""
    finder, new = _finder(), [one for one in dict.fromkeys(questions) if one not in _known]
    encoder = load_encoder(finder.encoder)
    read = [one for text in new if (one := read_question(QuestionText(text), (), encoder)).stems]
    _keep({read[n].text: _found(read[n].question, said) for n, said in words_of_many(read, encoder, finder.layers)})


def _found(question: QuestionText, said: WordStates) -> Mentions:
    finder = _finder()
    spans = finder.set(finder.predict(said), question.units)
    return tuple((one.start, one.end) for one in spans if one.kind == "value")


def _keep(found: Mapping[str, Mentions]) -> None:
    """Keep what was found, and drop the oldest when it is too much."""
    _known.update(found)
    while len(_known) > max(_MOST, len(found)):
        _known.pop(next(iter(_known)), None)


@cache
def _finder() -> SpanFinder:
    return SpanFinder.load(spans_file())


_NEAR = 0.845
"""Cosine from which a cell is meant."""

_ALIKE = 85.0
"""Likeness of letters, of 100, from which a cell is meant; two letters of fifteen may be wrong."""

_SCORE = 0.45
"""How sure it is; more than a text that no cell holds, less than any cell that is said."""

_SURE = 0.5
_OF_COLUMN = 32
_MAX_CELLS = 600
"""Cells that are looked at, of the columns with the fewest different ones first."""


_Cells = dict[str, list[tuple[str, str]]]


class NearCells:
    """The most frequent cells of a database, to be found by what is like them; they are read when one is first sought.

    Args:
        index: of the database's values.
        items: of its schema.
    """

    def __init__(self, index: ValueIndex, items: SchemaItems) -> None:
        self._index, self._items = index, items
        self._table: Floats | None = None  # vectors of the Latin cells, (cells, hidden)

    def find(
        self, question: QuestionText, mentions: Iterable[tuple[int, int]], found: Sequence[FoundValue]
    ) -> list[FoundValue]:
        """Return the cells that mentions mean which no cell says.

        Args:
            mentions: (start, end) of values of the question.
            found: what the index found.
        """
        said = [one for one in found if one.kind != "text" and one.score >= _SURE]
        meant: list[FoundValue] = []
        for start, end in mentions:
            text = question.text[start:end]
            named = end - start > 1 and any(map(str.isalpha, text))
            if named and not any(one.start < end and start < one.end for one in said):
                meant += self._nearest(text, start)
        return meant

    def _nearest(self, text: str, start: int) -> list[FoundValue]:
        cells, how = self._cells[is_cjk(text)], cast(How, "typo")
        spelled = process.extractOne(text, list(cells), scorer=fuzz.ratio, processor=fold, score_cutoff=_ALIKE)
        cell = None if spelled is None else spelled[0]
        if cell is None and is_cjk(text):
            cells, how = self._cells[False], "meaning"
            cell = self._meant(text, list(cells))
        if cell is None:
            return []
        return [FoundValue(start, start + len(text), text, cell, "cell", how, tuple(cells[cell]), _SCORE)]

    def _meant(self, text: str, cells: Sequence[str]) -> str | None:
        """Return the cell that means most the same, None if none is enough."""
        if not cells:
            return None
        if self._table is None:
            self._vectors.prepare_kept(cells)
            self._table = np.array([self._vectors[cell] for cell in cells])
        self._vectors.prepare([text])
        near = self._table @ self._vectors[text]
        return cells[int(near.argmax())] if near.max() >= _NEAR else None

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


def _named(cell: str) -> bool:
    """May a cell be a name or a word, and no code?"""
    letters = sum(map(str.isalpha, cell))
    return 1 < letters < 60 and not any(sign.isdigit() or sign == "_" for sign in cell)
