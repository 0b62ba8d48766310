"""Questions on schemas as arrays: their nodes, the words of the previous query, and the pruning of large schemas."""

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ...encoders.text_vectors import TextVectors
from ..normal_form.words import Words
from . import relations as rel
from .items import ITEM_KINDS, SchemaItems
from .output_vocabulary import ROLES, fixed_words, remapped
from .question import QuestionWords, cells_of, spans_of, value_relations
from .relations import match_names

MAX_COLUMNS = 240
"""The largest number of columns that are read; of Spider's training databases only the largest (352) has more."""

_CELL, _KEY = 3.0, 0.5


def pruned(question: QuestionWords, items: SchemaItems, vectors: TextVectors) -> NDArray[np.int64]:
    """Return the items to read, ascending: all of a small schema, else the most relevant columns with their tables.

    The relevance of a column is the match of its name and its table's name with the question (as RESDSQL ranks, Li et
    al. 2023, but not learnt), the values found in it, and the cosine of question and name. Keys are always read.
    """
    if len(items) - items.tables <= MAX_COLUMNS:
        return np.arange(len(items))
    vectors.prepare([question.text, *(item.name for item in items.items)])
    cosines = np.array([vectors[item.name] for item in items.items]) @ vectors[question.text]
    matches = match_names(question.stems, items.names).max(0, initial=0).astype(np.float64)
    scores = matches + cosines
    scores += 0.5 * scores[items.owner] + _CELL * cells_of(question, items).any(0) + _KEY * (items.marks > 0)
    scores[: items.tables] = -np.inf
    columns = np.sort(np.argsort(-scores, kind="stable")[:MAX_COLUMNS])
    return np.concatenate([np.unique(items.owner[columns]), columns])


class UsedAs(IntEnum):
    """The role in which the previous query used an item or value."""

    SHOWN = 0
    AGGREGATED = 1
    CONDITION = 2
    GROUPED = 3
    SORTED = 4
    JOINED = 5


_CLAUSES = {
    "SELECT": UsedAs.SHOWN,
    "FROM": UsedAs.JOINED,
    "JOIN": UsedAs.JOINED,
    "WHERE": UsedAs.CONDITION,
    "ON": UsedAs.CONDITION,
    "HAVING": UsedAs.CONDITION,
    "GROUP": UsedAs.GROUPED,
    "ORDER": UsedAs.SORTED,
}


@dataclass(frozen=True)
class EarlierQuery:
    """The words of the previous query.

    Attributes:
        places: the output index of each word, if all items are read; `UNKNOWN` if no network writes it, (words,).
        uses: the number of the role (`UsedAs`) of each word, from its clause, (words,).
    """

    places: NDArray[np.int64]
    uses: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.places)


NO_QUERY = EarlierQuery(np.zeros(0, np.int64), np.zeros(0, np.int64))


def uses_of(words: Words) -> list[UsedAs]:
    """Return the role of each word."""
    roles: list[UsedAs] = []
    clauses, calls = [UsedAs.SHOWN], [False]
    for (text, terminal), before in zip(words, (("", ""), *words), strict=False):
        clauses[-1] = _CLAUSES.get(text, clauses[-1])
        if text == "(":
            clauses.append(clauses[-1])
            calls.append(calls[-1] or _calls(before[1]))
        elif text == ")" and len(clauses) > 1:
            clauses.pop()
            calls.pop()
        aggregated = clauses[-1] == UsedAs.SHOWN and (calls[-1] or _calls(terminal))
        roles.append(UsedAs.AGGREGATED if aggregated else clauses[-1])
    return roles


def _calls(terminal: str) -> bool:
    """Is a word the name of a function?"""
    return terminal.startswith(("FUNC", "AGG", "COUNT"))


TEXTS = 3
"""The number of texts of an item that a sentence encoder reads; a value has a single text."""


@dataclass(frozen=True)
class Input:
    """One question on one schema, or on some of its items.

    Attributes:
        question: the words and values of the question.
        items: the items of the schema.
        kept: the numbers of the items that are read, ascending, (kept,).
        relations: relations of words, kept items, values and words of the previous query, in order, (nodes, nodes).
        before: the words of the previous query.
    """

    question: QuestionWords
    items: SchemaItems
    kept: NDArray[np.int64]
    relations: rel.Relations
    before: EarlierQuery = NO_QUERY

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
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
        marks = np.zeros(self.nodes, np.int64)
        first = len(self.question.stems)
        marks[first : first + len(self.kept)] = self.items.marks[self.kept]
        return marks

    @property
    def turns(self) -> NDArray[np.int64]:
        """Return how many turns ago each word was said, 0 for all other nodes, (nodes,)."""
        turns = np.zeros(self.nodes, np.int64)
        turns[: len(self.question.turns)] = self.question.turns
        return turns

    def query_in(self, items: int) -> NDArray[np.int64]:
        """Return the output indices of the previous query among ``items`` items; -1 for items that are not read."""
        return remapped(self.before.places, self.kept, total=len(self.items), items=items)

    def texts(self) -> list[tuple[str, ...]]:
        """Return the texts of each item and value for the sentence encoder."""
        return [self.items.items[i].texts for i in self.kept] + [(v.found.value,) for v in self.question.values]


def make_input(
    question: QuestionWords, items: SchemaItems, kept: NDArray[np.int64] | None = None, before: EarlierQuery = NO_QUERY
) -> Input:
    """Return the input of a question, with relations of its words, items, values and words of the previous query."""
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


def _with_query(plain: Input) -> rel.Relations:
    """Return the relations of an input, extended by those of the previous query's words, which point at their items."""
    size, count, words = len(plain.relations), len(plain.before), len(plain.question.stems)
    relations = np.full((size + count, size + count), rel.NONE, np.uint8)
    relations[:size, :size], relations[size:, size:] = plain.relations, rel.query_relations(count)
    relations[:words, size:], relations[size:, :words] = rel.WORD_QUERY, rel.QUERY_WORD
    query = plain.query_in(len(plain.kept))
    pointers = np.flatnonzero(query >= len(fixed_words()))
    nodes = words + (query[pointers] - len(fixed_words())) // ROLES
    relations[nodes, size + pointers] = plain.before.uses[pointers] + rel.USED_AS[0]
    relations[size + pointers, nodes] = rel.USES
    return relations


assert ITEM_KINDS[0] == "word"
