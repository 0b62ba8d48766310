"""A question as input of the network: its words, word pieces, values, and encoder states."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...classifiers.span_finder import WordStates
from ...encoders import Encoder
from ...encoders.functions import Floats
from ...ner.cells.found import FoundValue
from ...ner.language.question import QuestionText
from ...ner.language.words import Unit, stem
from . import relations as rel
from .items import ITEM_KINDS, SchemaItems

_KINDS = {"number": "number said", "time": "time said", "quoted": "quoted", "text": "text said"}
MAX_PIECES = 256
"""The largest number of word pieces of a question that are read, if the encoder reads as many."""

_MAX_EARLIER = 64
"""The largest number of word pieces of an earlier utterance that are read."""

MAX_TURNS = 2
"""The number of earlier utterances that are read, the latest ones."""

_CLOSE_MATCHES = ("exact", "folded", "stem", "earlier")


@dataclass(frozen=True)
class ValueNode:
    """A value found in a question.

    Attributes:
        found: the value, with its characters and its SQL.
        first, last: the range of its words; ``last`` is exclusive, and equals ``first`` for a value without words.
        kind: the number of its kind in `items.ITEM_KINDS`.
    """

    found: FoundValue
    first: int
    last: int
    kind: int


@dataclass(frozen=True)
class QuestionWords:
    """A question cut into words.

    Attributes:
        question: the text of the question.
        stems: the stems of its words, then of those of earlier utterances, the latest first.
        pieces: the word pieces of the encoder's tokenizer, with its marks for beginning and end.
        words_of_pieces: the number of each piece's word, -1 for marks.
        values: the values that it names.
        turns: the number of turns since each word, 0 for the question's own; empty if there are no earlier ones.
    """

    question: QuestionText
    stems: tuple[str, ...]
    pieces: tuple[int, ...]
    words_of_pieces: tuple[int, ...]
    values: tuple[ValueNode, ...]
    turns: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """Return the text of the question."""
        return self.question.text

    @property
    def own_words(self) -> int:
        """Return the number of words that belong to the question, not to earlier utterances."""
        return self.turns.count(0) if self.turns else len(self.stems)


def read_question(
    question: QuestionText,
    found: Sequence[FoundValue],
    encoder: Encoder,
    *,
    earlier: Sequence[str] = (),
    max_pieces: int = MAX_PIECES,
) -> QuestionWords:
    """Cut a question into words and word pieces; pieces after ``max_pieces`` are left out.

    Args:
        earlier: the earlier utterances, the latest first; the encoder reads all as one text.
    """
    words, pieces, of = _cut(question, encoder, max_pieces)
    starts, turns = np.array([word.start for word in words]), [0] * len(words)
    nodes = [_value_node(value, starts) for value in found if words and value.start < words[-1].end]
    for turn, utterance in enumerate(earlier, start=1):
        more, more_pieces, places = _cut(QuestionText(utterance), encoder, min(_MAX_EARLIER, max_pieces))
        of += [place + len(words) if place >= 0 else -1 for place in places]
        words, pieces, turns = [*words, *more], [*pieces, *more_pieces], [*turns, *[turn] * len(more)]
    stems = tuple([stem(word.text) for word in words])
    return QuestionWords(question, stems, tuple(pieces), tuple(of), tuple(nodes), tuple(turns) if earlier else ())


def _cut(question: QuestionText, encoder: Encoder, most: int) -> tuple[list[Unit], Sequence[int], list[int]]:
    """Return the words and pieces of a text up to the limit, and the number of each piece's word, -1 for marks."""
    text, words = question.text, question.units
    pieces, offsets = encoder.cut(text, most)
    starts = np.array([word.start for word in words])
    of = [
        int(np.searchsorted(starts, start + (text[start : start + 1] == " "), side="right")) - 1 if end > start else -1
        for start, end in offsets
    ]
    return words[: max(of, default=-1) + 1], pieces, of


def _value_node(found: FoundValue, starts: NDArray[Any]) -> ValueNode:
    first = max(int(np.searchsorted(starts, found.start, side="right")) - 1, 0)
    last = max(int(np.searchsorted(starts, found.end, side="left")), first + 1)
    kind = _KINDS.get(found.kind) or ("cell" if found.how in _CLOSE_MATCHES else "cell, nearly")
    if found.how in ("constant", "earlier"):
        first = last = 0
    return ValueNode(found, first, last, ITEM_KINDS.index(kind))


def cells_of(question: QuestionWords, items: SchemaItems) -> NDArray[np.bool_]:
    """Return a mask of the items that hold each value, (values, items)."""
    holds = np.zeros((len(question.values), len(items)), np.bool_)
    for i, node in enumerate(question.values):
        for table, column in node.found.columns:
            holds[i, [items.find(table, column), *items.referred(table, column)]] = True
    return holds


def spans_of(question: QuestionWords) -> NDArray[np.bool_]:
    """Return a mask of the words of each value, (values, words)."""
    spans = np.zeros((len(question.values), len(question.stems)), np.bool_)
    for i, node in enumerate(question.values):
        spans[i, node.first : node.last] = True
    return spans


def value_relations(
    question: QuestionWords, items: SchemaItems, holds: NDArray[np.bool_], spans: NDArray[np.bool_]
) -> tuple[rel.Relations, rel.Relations, rel.Relations, rel.Relations, rel.Relations]:
    """Return the relations word -> value, value -> word, value -> item, item -> value, value -> value."""
    count, words = spans.shape
    near = np.zeros_like(spans)
    for i, node in enumerate(question.values):
        near[i, max(node.first - 2, 0) : node.last + 2] = node.first < node.last
    word_value = np.where(spans, rel.IN_VALUE, np.where(near, rel.NEAR_VALUE, rel.NONE)).astype(np.uint8).T
    value_word = np.where(spans, rel.SAYS_WORD, np.where(near, rel.NEAR_WORD, rel.NONE)).astype(np.uint8)
    kinds = np.array([node.kind for node in question.values], np.int64)
    sure = kinds == ITEM_KINDS.index("cell")
    to_item = np.full((count, len(items)), rel.NONE, np.uint8)
    from_item = np.full((count, len(items)), rel.NONE, np.uint8)
    for value_kind, kind in (("number said", "number"), ("time said", "time")):
        fits = (kinds == ITEM_KINDS.index(value_kind))[:, None] & (items.kinds == ITEM_KINDS.index(kind))[None, :]
        to_item[fits], from_item[fits] = rel.FITS_COLUMN, rel.FITS_VALUE
    for one, there, back in ((sure, rel.CELL_OF, rel.HAS_CELL), (~sure, rel.LIKELY_CELL_OF, rel.HAS_LIKELY_CELL)):
        held = holds & one[:, None]
        to_item[held], from_item[held] = there, back
        rows, columns = np.nonzero(held)
        to_item[rows, items.owner[columns]], from_item[rows, items.owner[columns]] = rel.CELL_IN, rel.TABLE_HAS_CELL
    overlap = (spans.astype(np.int64) @ spans.T.astype(np.int64)) > 0 if words else np.zeros((count, count), np.bool_)
    among = np.where(overlap, rel.SAME_SPAN, rel.OTHER_VALUE).astype(np.uint8)
    np.fill_diagonal(among, rel.SELF)
    return word_value, value_word, to_item, from_item.T, among


_TOGETHER = 64
"""The number of questions of one length that are encoded in a batch."""


def pooled(pieces: Floats, question: QuestionWords) -> Floats:
    """Return the mean state of each word's pieces, (words, hidden), from (pieces, hidden).

    A word inside a piece of another word, as 夏 in 春夏, has the state of that piece.
    """
    places = np.arange(len(question.stems))
    of = places[:, None] == np.array(question.words_of_pieces)
    means = of.astype(np.float32) @ pieces / np.maximum(of.sum(1, keepdims=True), 1).astype(np.float32)
    return means[np.maximum.accumulate(np.where(of.any(1), places, 0))]


def word_states(question: QuestionWords, encoder: Encoder, layers: int | None = None) -> WordStates:
    """Encode a question with the first ``layers`` of an encoder, or with all if None."""
    return _of_words(encoder.model.states_of(question.pieces, layers), question)


def words_of_many(
    questions: Sequence[QuestionWords], encoder: Encoder, layers: int | None = None
) -> Iterator[tuple[int, WordStates]]:
    """Yield the number and the word states of each question, in batches of one length."""
    lengths = [len(question.pieces) for question in questions]
    for _, same in groupby(np.argsort(lengths, kind="stable").tolist(), key=lengths.__getitem__):
        alike = list(same)
        for start in range(0, len(alike), _TOGETHER):
            batch = alike[start : start + _TOGETHER]
            states = encoder.model.states(np.array([questions[i].pieces for i in batch]), layers)
            yield from ((i, _of_words(own, questions[i])) for i, own in zip(batch, states, strict=True))


def _of_words(pieces: Floats, question: QuestionWords) -> WordStates:
    own: NDArray[np.bool_] = np.isin(np.arange(len(question.stems)), question.words_of_pieces)
    return WordStates(pooled(pieces, question), own)
