"""Questions on a database of any size: of a large one the tables are chosen that each may need."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, reduce
from typing import Any

from ...data.answer import Answer, Tell
from ...data.domains.dialogues import Turn
from ...data.feedback import Judged
from ...knowledge.linked_formulas import FormulaLinker
from ..decoding.solved import SolvedQuestions
from ..reader.context import DatabaseContext
from .answerer import Answerer
from .explaining import explained_answer
from .explanation import Explanation
from .table_choice import TableChoice

__all__ = ["DatabaseAnswerer"]

_KEPT = 32
"""Sets of tables whose answerers are kept; one of twelve tables takes a megabyte."""

MakeAnswerer = Callable[[DatabaseContext], Answerer]


class DatabaseAnswerer:
    """Answers questions on one database.

    Args:
        choice: of tables, where not all are read.
        make: makes what answers questions on some tables.
        linker: makes what finds formulas on all tables, None where there are none to find.
    """

    def __init__(
        self, choice: TableChoice, make: MakeAnswerer, *, linker: Callable[[], FormulaLinker | None] = lambda: None
    ) -> None:
        self.catalogue = choice.catalogue
        self.retriever = choice.retriever
        self._choice = choice
        self._linker = linker
        self._make = make
        self._judged: Mapping[tuple[str, ...], Judged] = {}
        self._solved: SolvedQuestions | None = None
        self._over = lru_cache(maxsize=_KEPT)(self._made)

    def follow(self, judged: Mapping[tuple[str, ...], Judged], solved: SolvedQuestions | None) -> None:
        """Answer from now on by what was said of answers.

        Args:
            judged: see `Answerer.judged`.
            solved: questions on the database whose queries are known.
        """
        self._judged, self._solved = judged, solved
        self._over.cache_clear()

    @property
    def all_tables(self) -> tuple[str, ...]:
        """Return the names of the tables that may be read."""
        return self._choice.all_tables

    @property
    def whole(self) -> Answerer:
        """Return what answers questions on all tables."""
        return self.over(self.all_tables)

    @cached_property
    def knowledge(self) -> FormulaLinker | None:
        """Return what finds and grounds the formulas that questions name, on all tables; None where there are none."""
        return self.whole.knowledge if self.retriever is None else self._linker()  # no grammar of many tables is made

    def over(self, tables: Sequence[str]) -> Answerer:
        """Return what answers questions on some tables; the last 32 are kept.

        Args:
            tables: as the schema spells them, in its order.
        """
        return self._over(tuple(tables))

    def _made(self, tables: tuple[str, ...]) -> Answerer:
        context = self.catalogue.whole if tables == self.all_tables else self.catalogue.over(tables)
        made = self._make(context)
        made.judged, made.solved = self._judged, self._solved and self._solved.over(context)
        return made

    def ask(
        self,
        question: str,
        *,
        beam: int = 4,
        evidence: str = "",
        before: Sequence[Turn] = (),
        tables: Sequence[str] = (),
        tell: Tell | None = None,
    ) -> Answer:
        """Return the answer to a question; see `Answerer.ask`.

        Where the tables read first give no sure answer, more are read, and a sure answer from these is taken.

        Args:
            tables: that are read, whatever the question says; the likeliest if none are told.

        Raises:
            InputError: there is no such table.
        """
        begun = time.perf_counter()
        asked: dict[str, Any] = {"beam": beam, "evidence": evidence, "before": before, "tell": tell}
        found = reduce(_better, self._answers(question, tables, asked))
        index = self.catalogue.index
        notes = (*found.notes, *(() if index is None else index.notes()))
        return replace(found, notes=notes, seconds=time.perf_counter() - begun)

    def explain(
        self,
        question: str,
        *,
        beam: int = 4,
        evidence: str = "",
        before: Sequence[Turn] = (),
        tables: Sequence[str] = (),
    ) -> Explanation:
        """Explain the query that answers a question; arguments as those of `ask`."""
        told: dict[str, Any] = {"beam": beam, "evidence": evidence, "before": before}
        read = self.ask(question, tables=tables, **told).tables
        explained = explained_answer(self.over(read), question, **told)
        return replace(explained, read=read, of_tables=len(self.all_tables))

    def _answers(self, question: str, tables: Sequence[str], asked: dict[str, Any]) -> Iterator[Answer]:
        """Yield an answer by each set of tables, until one is sure, or the database fails at a query."""
        for chosen in self._sets(question, tables, asked["before"], asked["evidence"]):
            answer = self.over(chosen).ask(question, **asked)
            yield replace(answer, tables=chosen, notes=(*answer.notes, *self._choice.notes(chosen)))
            if answer.status == "ok" or (answer.status == "error" and answer.sql is not None):
                return

    def _sets(
        self, question: str, tables: Sequence[str], before: Sequence[Turn], evidence: str
    ) -> list[tuple[str, ...]]:
        if tables:
            return [self._choice.named(tables)]
        alike = [] if self.retriever is None or self._solved is None else [self._solved.nearest_query(question)]
        found = self._choice.sets(question, before=before, evidence=evidence, queries=alike)
        return [self._choice.in_order(one) for one in found]


def _better(first: Answer, second: Answer) -> Answer:
    """Return the one of two answers that stays, the second of more tables.

    Among more tables more queries fit, so that a wrong one may seem surer: .73 in place of .75 on 306 tables.
    """
    none = first.status in ("no_answer", "error") and second.status not in ("no_answer", "error")
    return second if second.status == "ok" or none else first
