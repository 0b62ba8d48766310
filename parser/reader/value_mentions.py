"""Detects value mentions in a question, and links those that match no cell to misspelled or translated cells.

«philantrohpists» is linked to «philanthropist» by spelling, and 联邦快递 to «Fedex» by the vectors of a multilingual
encoder (E5): cross-lingual entity linking. The nearest cell is offered in addition to the literal value. On CHASE's
databases 31 of 39 links at least as near as `_NEAR` are right; the direction «Beijing» to 北京 was not measured.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import cast

import numpy as np
from rapidfuzz import fuzz, process

from ...classifiers.span_finder import SpanFinder, WordStates, spans_of_tags
from ...data.domains.dialogues import LINK_KINDS
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

Mentions = tuple[tuple[int, int], ...]

_MOST = 1024
"""The number of questions whose mentions are cached; a larger batch is cached as a whole."""

_known: dict[str, Mentions] = {}


def value_mentions(question: QuestionText) -> Mentions:
    """Return the (start, end) of each value mention of a question, in order.

    Raises:
        RunError: the weights of the span finder are missing.
        InputError: the encoder of the span finder is not installed.
    """
    if (mentions := _known.get(question.text)) is None:
        finder = _finder()
        encoder = load_encoder(finder.encoder)
        read = read_question(question, (), encoder)
        mentions = _found(question, word_states(read, encoder, finder.layers)) if read.stems else ()
        _keep({question.text: mentions})
    return mentions


def read_mentions(questions: Iterable[str]) -> None:
    """Encode questions in batches of one length, which is faster, and cache their mentions for `value_mentions`."""
    finder, new = _finder(), [words for words in dict.fromkeys(questions) if words not in _known]
    encoder = load_encoder(finder.encoder)
    read = [words for text in new if (words := read_question(QuestionText(text), (), encoder)).stems]
    _keep({read[n].text: _found(read[n].question, states) for n, states in words_of_many(read, encoder, finder.layers)})


def _found(question: QuestionText, states: WordStates) -> Mentions:
    return tuple(spans_of_tags(_finder().predict(states)[:, LINK_KINDS.index("value")], question.units))


def _keep(found: Mapping[str, Mentions]) -> None:
    """Cache mentions, and drop the oldest if there are too many."""
    _known.update(found)
    while len(_known) > max(_MOST, len(found)):
        _known.pop(next(iter(_known)), None)


@cache
def _finder() -> SpanFinder:
    return SpanFinder.load(spans_file())


_NEAR = 0.845
"""The least cosine of a translated cell."""

_ALIKE = 85.0
"""The least similarity of spelling, of 100, of a misspelled cell: two letters of fifteen may be wrong."""

_SCORE = 0.45
"""The score of a linked cell: more than a text that is no cell, less than any cell that matches."""

_LIKELY = 0.5
_OF_COLUMN = 32
_MAX_CELLS = 600
"""The number of cells that are compared; columns with few distinct cells come first."""


_Cells = dict[str, list[tuple[str, str]]]


class NearCells:
    """The most frequent cells of a database, found by similarity; they are read at the first search.

    Args:
        index: the index of the database's values.
        items: the items of its schema.
    """

    def __init__(self, index: ValueIndex, items: SchemaItems) -> None:
        self._index, self._items = index, items
        self._table: Floats | None = None  # the vectors of the Latin cells, (cells, hidden)

    def find(
        self, question: QuestionText, mentions: Iterable[tuple[int, int]], found: Sequence[FoundValue]
    ) -> list[FoundValue]:
        """Return the nearest cells of mentions that match no cell.

        Args:
            mentions: the (start, end) of the value mentions of the question.
            found: the values that the index found.
        """
        matched = [value for value in found if value.kind != "text" and value.score >= _LIKELY]
        linked: list[FoundValue] = []
        for start, end in mentions:
            text = question.text[start:end]
            named = end - start > 1 and any(map(str.isalpha, text))
            if named and not any(value.start < end and start < value.end for value in matched):
                linked += self._nearest(text, start)
        return linked

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
        """Return the cell that is nearest in meaning, None if it is not near enough."""
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
    """May a cell be a name or a word rather than a code?"""
    letters = sum(map(str.isalpha, cell))
    return 1 < letters < 60 and not any(sign.isdigit() or sign == "_" for sign in cell)
