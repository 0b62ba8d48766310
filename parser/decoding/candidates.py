"""One query that might answer a question: its values, the columns beside them, what it leaves out of the question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.sql.query import Query
from ...data.values.slots import Value, ValueMention
from ...encoders.functions import Floats
from ...grammar import Word
from ...knowledge.linked_formulas import LinkedFormula
from ...ner.index import FoundValue
from ..reader.output_vocabulary import ROLES, fixed_words
from ..reader.question import QuestionWords

__all__ = [
    "Candidate",
    "Comparison",
    "comparisons",
    "items_left_out",
    "slot_values",
    "slots_of",
    "values_in",
    "values_left_out",
]

_SLOT = re.compile(r"\{(?:text|number)(\d+)\}")

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


def slots_of(question: QuestionWords) -> dict[str, FoundValue]:
    """Return the value that each slot stands for, by the slot's name."""
    nodes = enumerate(question.values)
    return {f"{kind}{i}": node.found for i, node in nodes for kind in _kinds(node.found.kind)}


def slot_values(question: QuestionWords) -> dict[str, str]:
    """Return what fills each slot that a query may have, by the slot's name."""
    return {slot: found.value for slot, found in slots_of(question).items()}


def values_in(slots: Mapping[str, str]) -> tuple[Value, ...]:
    """Return what fills slots as `fill_sql` takes it."""
    return tuple(Value(slot, ValueMention(0, 0, text, slot, text)) for slot, text in slots.items())


def _kinds(kind: str) -> tuple[str, ...]:
    return ("text", "number") if kind == "number" else ("text",)


@dataclass(frozen=True)
class Candidate:
    """A query for a question.

    Attributes:
        query: in the database's dialect, with its values.
        score: the logarithm of its probability: the sum of its words', where no solved question is like it.
        words: in short form, slots in braces.
        left_out: values that the question says and the query does without, see `values_left_out`.
        unused: items that the heads want and it does without, see `items_left_out`.
        tables: how many it reads.
        ids: its words in the vocabulary, without the end; texts alone do not tell a keyword from a function.
        like: the solved question whose query it follows, None of one that the network wrote alone.
        constants: values that stand behind the question's own, since queries that are followed have them.
        formulas: that stand in it as words.
        compared: its columns that stand beside values of the question.
        leans: was the question read with what came before it?
        repeats: is it the query before once more?
    """

    query: Query
    score: float
    words: tuple[str, ...]
    left_out: float = 0.0
    unused: float = 0.0
    tables: int = 0
    ids: tuple[int, ...] = ()
    like: str | None = None
    constants: tuple[FoundValue, ...] = ()
    formulas: tuple[LinkedFormula, ...] = ()
    compared: tuple[Comparison, ...] = ()
    leans: bool = False
    repeats: bool = False

    @property
    def sql(self) -> str:
        """Return the text that is executed."""
        return self.query.sql

    @property
    def chosen(self) -> bool:
        """Whether the network chose each word: neither a solved question nor a formula brought some along."""
        return self.like is None and not self.formulas


def values_left_out(question: QuestionWords, words: Sequence[str]) -> float:
    """Return the sum of the scores of the values that no word writes.

    Of values that are said by the same words of the question one is enough.

    Args:
        words: of a query, short form, slots in braces.
    """
    best: dict[int, float] = {}
    said = [False] * question.asked
    for i in {int(slot[1]) for word in words for slot in _SLOT.finditer(word)}:
        node = question.values[i]
        said[node.first : node.last] = [True] * (node.last - node.first)
    for node in question.values:
        if not any(said[node.first : node.last]):
            best[node.first] = max(best.get(node.first, 0.0), node.found.score)
    return sum(best.values())


def items_left_out(used: Floats, places: NDArray[np.int64]) -> float:
    """Return the log-odds by which the heads want items and values that a query does without, added up.

    Args:
        used: what they say of each item and value, (items,).
        places: of the query's words among the outputs.
    """
    fixed = len(fixed_words())
    without = np.ones(len(used), np.bool_)
    without[(places[places >= fixed] - fixed) // ROLES] = False
    return float(np.maximum(used[without], 0).sum())
