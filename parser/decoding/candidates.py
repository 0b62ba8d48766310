"""One query that might answer a question."""

from __future__ import annotations

from dataclasses import dataclass

from ...data.sql.query import Query
from ...knowledge.linked_formulas import LinkedFormula
from ...ner.index import FoundValue
from .comparisons import Comparison

__all__ = ["Candidate"]


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
