"""Questions on schemas as arrays: the nodes of each, and how they are related."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from . import relations as rel
from .question.earlier_query import NO_QUERY, EarlierQuery
from .question.question import QuestionWords, cells_of, spans_of, value_relations
from .schema.items import ITEM_KINDS, SchemaItems
from .schema.naming import match_names
from .schema.output_vocabulary import ROLES, fixed_words, remapped

__all__ = ["TEXTS", "Input", "make_input"]

TEXTS = 3
"""Texts of an item that a sentence encoder reads; a value has one."""


@dataclass(frozen=True)
class Input:
    """One question on one schema, or on some of its items.

    Attributes:
        question: its words and values.
        items: of the schema.
        kept: the items that are read, ascending, shape (kept,).
        relations: between words, kept items, values and words of the query before, in this order, (nodes, nodes).
        before: the words of the query before.
    """

    question: QuestionWords
    items: SchemaItems
    kept: NDArray[np.int64]
    relations: rel.Relations
    before: EarlierQuery = NO_QUERY

    @property
    def nodes(self) -> int:
        """Return how many nodes it has."""
        return len(self.relations)

    @property
    def kinds(self) -> NDArray[np.int64]:
        """Return the numbers of `ITEM_KINDS`, (nodes,)."""
        words = np.zeros(len(self.question.stems), np.int64)
        values = [value.kind for value in self.question.values]
        query = np.full(len(self.before), ITEM_KINDS.index("query word"))
        return np.concatenate([words, self.items.kinds[self.kept], np.array(values, np.int64), query])

    @property
    def marks(self) -> NDArray[np.int64]:
        """Return the marks of columns, 0 for all other nodes, (nodes,)."""
        found = np.zeros(self.nodes, np.int64)
        first = len(self.question.stems)
        found[first : first + len(self.kept)] = self.items.marks[self.kept]
        return found

    @property
    def turns(self) -> NDArray[np.int64]:
        """Return how many turns ago each word was said, 0 for all other nodes, (nodes,)."""
        found = np.zeros(self.nodes, np.int64)
        found[: len(self.question.turns)] = self.question.turns
        return found

    def query_in(self, items: int) -> NDArray[np.int64]:
        """Return the places of the query before where ``items`` places are kept for items; -1 for items not read."""
        return remapped(self.before.places, self.kept, total=len(self.items), items=items)

    def texts(self) -> list[tuple[str, ...]]:
        """Return what the sentence encoder reads of each item and value."""
        return [self.items.items[i].texts for i in self.kept] + [(v.found.value,) for v in self.question.values]


def make_input(
    question: QuestionWords,
    items: SchemaItems,
    kept: NDArray[np.int64] | None = None,
    before: EarlierQuery = NO_QUERY,
) -> Input:
    """Relate the words of a question, the items, the values, and the words of the query before."""
    if kept is None:
        kept = np.arange(len(items))
    holds, spans = cells_of(question, items), spans_of(question)
    matches = match_names(question.stems, [items.names[i] for i in kept])
    cells = spans.T.astype(np.int64) @ holds[:, kept] > 0
    tables = int(np.searchsorted(kept, items.tables))
    word_item, item_word = rel.name_relations(matches, cells, tables=tables)
    word_value, value_word, value_item, item_value, values = value_relations(question, items, holds, spans)
    among = rel.question_relations(len(question.stems), question.turns)
    rows = (
        (among, word_item, word_value),
        (item_word, items.relations[np.ix_(kept, kept)], item_value[kept]),
        (value_word, value_item[:, kept], values),
    )
    related = np.block([list(row) for row in rows]).astype(np.uint8)
    made = Input(question, items, kept, related, before)
    return replace(made, relations=_with_query(made)) if len(before) else made


def _with_query(one: Input) -> rel.Relations:
    """Return the relations of an input with those of the query before, whose words point at what they stand for."""
    size, count, words = len(one.relations), len(one.before), len(one.question.stems)
    found = np.full((size + count, size + count), rel.NONE, np.uint8)
    found[:size, :size], found[size:, size:] = one.relations, rel.query_relations(count)
    found[:words, size:], found[size:, :words] = rel.WORD_QUERY, rel.QUERY_WORD
    query = one.query_in(len(one.kept))
    pointers = np.flatnonzero(query >= len(fixed_words()))
    nodes = words + (query[pointers] - len(fixed_words())) // ROLES
    found[nodes, size + pointers] = one.before.uses[pointers] + rel.USED_AS[0]
    found[size + pointers, nodes] = rel.USES
    return found


assert ITEM_KINDS[0] == "word"
