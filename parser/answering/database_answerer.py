"""Questions on a database of any size: of a large one the tables are chosen that each may need."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from typing import Any

from ...data.answer import Answer, Tell
from ...data.domains.dialogues import Turn
from ...data.errors import InputError, did_you_mean
from ...data.feedback import Judged
from ...data.sql.sources import tables_of
from ...knowledge.linked_formulas import FormulaLinker
from ..decoding.encoded_question import one_thread
from ..decoding.solved import SolvedQuestions
from ..reader.catalogue import TableCatalogue
from ..reader.context import DatabaseContext
from ..reader.question.history import MAX_TURNS
from ..reader.table_retriever import TableRetriever
from .answerer import Answerer
from .explaining import explained_answer
from .explanation import Explanation

__all__ = ["DatabaseAnswerer"]

_KEPT = 32
"""Sets of tables whose answerers are kept; one of twelve tables takes a megabyte."""

MakeAnswerer = Callable[[DatabaseContext], Answerer]


class DatabaseAnswerer:
    """Answers questions on one database.

    Args:
        catalogue: of the database.
        retriever: finds the tables that a question may need; None of a database whose tables are all read.
        make: makes what answers questions on some tables.
        linker: makes what finds formulas on all tables, None where there are none to find.
    """

    def __init__(
        self,
        catalogue: TableCatalogue,
        retriever: TableRetriever | None,
        make: MakeAnswerer,
        *,
        linker: Callable[[], FormulaLinker | None] = lambda: None,
    ) -> None:
        self.catalogue = catalogue
        self._linker = linker
        self.retriever = retriever
        self._make = make
        self._judged: Mapping[tuple[str, ...], Judged] = {}
        self._solved: SolvedQuestions | None = None
        self._kept: OrderedDict[tuple[str, ...], Answerer] = OrderedDict()

    def follow(self, judged: Mapping[tuple[str, ...], Judged], solved: SolvedQuestions | None) -> None:
        """Answer from now on by what was said of answers.

        Args:
            judged: see `Answerer.judged`.
            solved: questions on the database whose queries are known.
        """
        self._judged, self._solved = judged, solved
        self._kept.clear()

    @property
    def all_tables(self) -> tuple[str, ...]:
        """Return the names of the tables that may be read."""
        return tuple(table.name for table in self.catalogue.readable.tables)

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
        key = tuple(tables)
        if key not in self._kept:
            context = self.catalogue.whole if key == self.all_tables else self.catalogue.over(key)
            made = self._make(context)
            made.judged, made.solved = self._judged, self._solved and self._solved.over(context)
            self._kept[key] = made
        self._kept.move_to_end(key)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return self._kept[key]

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
        return replace(found, seconds=time.perf_counter() - begun)

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
        """Yield an answer by each set of tables, until one is sure."""
        for chosen in self._sets(question, tables, asked["before"], asked["evidence"]):
            answer = self.over(chosen).ask(question, **asked)
            yield replace(answer, tables=chosen, notes=(*answer.notes, *self._told(chosen)))
            if answer.status == "ok":
                return

    def _told(self, tables: Sequence[str]) -> Iterator[str]:
        """Yield which tables were read, where there are others."""
        if len(tables) < len(self.all_tables):
            yield f"read {len(tables)} of {len(self.all_tables)} tables: {', '.join(tables)}"

    def _sets(
        self, question: str, tables: Sequence[str], before: Sequence[Turn], evidence: str
    ) -> list[tuple[str, ...]]:
        if tables:
            return [self._named(tables)]
        if self.retriever is None:
            return [self.all_tables]
        earlier = [turn.utterance for turn in before[: -MAX_TURNS - 1 : -1]]
        beside = [*filter(None, [evidence]), *self._concepts(question)]
        with one_thread():
            ranked = self.retriever.ranked(question, earlier=earlier, beside=beside)
            return self.retriever.sets(ranked, needed=self._needed(question, before))

    def _concepts(self, question: str) -> list[str]:
        """Return what the formulas are reckoned from that a question names: their tables say that, not the name."""
        found = self.knowledge.mentions.find(question) if self.knowledge else ()
        formulas = (formula for mention in found for formula in mention.formulas)
        return list(dict.fromkeys(concept for one in formulas for concept in one.expression.needs))

    def _needed(self, question: str, before: Sequence[Turn]) -> list[str]:
        """Return the tables of the query before, and of the solved question that is most like this one."""
        catalogue = self.catalogue
        queries = [turn.sql for turn in before[-1:]]
        if self._solved is not None:
            queries.append(self._solved.nearest_query(question))
        return [name for sql in queries for name in tables_of(sql, catalogue.readable, catalogue.dialect)]

    def _named(self, tables: Sequence[str]) -> tuple[str, ...]:
        """Return tables that a person named, in the schema's order.

        Raises:
            InputError: there is no such table.
        """
        found: set[str] = set()
        for name in tables:
            table = self.catalogue.readable.by_name.get(name)
            if table is None:
                hint = did_you_mean(name, self.all_tables) or f"the database has {len(self.all_tables)} tables"
                raise InputError(f"no table {name!r}", field="tables", hint=hint)
            found.add(table.name)
        return tuple(name for name in self.all_tables if name in found)


def _better(first: Answer, second: Answer) -> Answer:
    """Return the one of two answers that stays, the second of more tables.

    Among more tables more queries fit, so that a wrong one may seem surer: .73 in place of .75 on 306 tables.
    """
    none = first.status in ("no_answer", "error") and second.status not in ("no_answer", "error")
    return second if second.status == "ok" or none else first
