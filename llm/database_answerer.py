"""Questions to a language model on a database of any size: of a large one each is told the tables that it may need."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from ..data.asked import asked
from ..data.domains.dialogues import Turn
from ..data.errors import LlmError
from ..data.schema.schema import Schema
from ..parser.answering.table_choice import TableChoice
from ..parser.reader.catalogue import TableCatalogue
from ..parser.reader.table_retriever import MORE
from ..retrieval.shots import Shot, ShotStore
from .answering import LlmAnswerer, LlmOptions
from .answers import LlmAnswer
from .attempted import AT_ONCE, CORRECTED, Attempts
from .table_room import TableRoom
from .told_part import needs_of, said_columns

__all__ = ["LlmDatabaseAnswerer"]

_KEPT = 32
"""Sets of tables whose answerers are kept."""

_ORDER = ("ok", "unsure", "error", "no_answer")


class LlmDatabaseAnswerer:
    """Answers questions on one database: of all tables, or of those that a prompt has room for.

    Args:
        catalogue: of the database.
        finding: opens what finds the tables that a question may need; called once, where not all can be told.
        make: makes what answers questions, on all tables if it is given None, else on those that prompts tell.
        room: says which tables these are.
        options: how the model is asked.
        store: finds solved questions to show; none are shown without.
    """

    def __init__(
        self,
        catalogue: TableCatalogue,
        *,
        finding: Callable[[], TableChoice],
        make: Callable[[Schema | None], LlmAnswerer],
        room: TableRoom,
        options: LlmOptions,
        store: ShotStore | None = None,
    ) -> None:
        self._catalogue, self._tables = catalogue, TableChoice(catalogue, None)
        self._find = finding
        self._over = lru_cache(maxsize=_KEPT)(make)
        self._make, self._room, self._options, self._store = make, room, options, store
        # so that the first question need not wait, and what is wrong with prompts shows before it
        _ = self._finding if self._chooses else self._whole

    @property
    def _chooses(self) -> bool:
        """Are tables chosen whatever the question? To a model that is told none all are there."""
        return self._catalogue.is_large and self._options.schema

    @cached_property
    def _whole(self) -> LlmAnswerer:
        return self._make(None)

    @cached_property
    def _finding(self) -> TableChoice:
        return self._find()

    def ask(
        self,
        question: str,
        *,
        shots: Sequence[Shot] | None = None,
        before: Sequence[Turn] = (),
        tables: Sequence[str] = (),
    ) -> LlmAnswer:
        """Return the answer to a question in plain words; see `LlmAnswerer.ask`.

        Where no query on the likeliest tables does, more of them are told, once.

        Args:
            tables: that are told, whatever the question says; if none, all, or the likeliest where that is too much.

        Raises:
            InputError: there is no such table, or as from `LlmAnswerer.ask`.
            QueryError: as from `LlmAnswerer.ask`.
        """
        begun, question = time.perf_counter(), asked(question)
        if not tables and self._tells_all(question):
            answer = self._whole.ask(question, shots=shots, before=before)
            return replace(answer, tables=self._tables.all_tables)
        if shots is None:
            shots = self._store.similar(question, self._options.shots) if self._store else ()
        found: LlmAnswer | None = None
        try:
            for told in self._parts(question, shots, before, tables):
                one = self._over(told).ask(question, shots=shots, before=before)
                names = self._tables.in_order(table.name for table in told.tables)
                one = replace(one, tables=names, notes=(*one.notes, *self._tables.notes(names)))
                found = one if found is None else _better(found, one)
                failed = one.status == "error" and one.sql is not None  # the database did
                if failed or found.unheard or any(attempt.problem is None for attempt in found.attempts):
                    break
        except LlmError as error:
            found = found or Attempts(question).fail("", str(error), time.perf_counter() - begun)
        assert found is not None  # there is a first set of tables
        return replace(found, seconds=time.perf_counter() - begun)

    def _tells_all(self, question: str) -> bool:
        if not self._options.schema:
            return True
        return not self._chooses and self._room.has_all(lambda: self._whole.takes(question))

    def _parts(
        self, question: str, shots: Sequence[Shot], before: Sequence[Turn], tables: Sequence[str]
    ) -> Iterator[Schema]:
        """Yield what a prompt tells, first of the likeliest tables, then of more where there is room for them."""
        earlier = [turn.sql for turn in before[-1:]]
        if tables:
            must = self._tables.named(tables)
            sets = [must]
        else:
            must = tuple(self._tables.tables_of(earlier))
            wanted = sorted({self._options.most_tables, max(self._options.most_tables, MORE)})
            alike = [shot.sql for shot in shots[:1]]  # what it reads this one may need, too
            sets = self._finding.sets(question, before=before, queries=alike, wanted=wanted)
        told: Schema | None = None
        for names in sets:
            needs = self._needs(question, must or names[:1], earlier)
            last, told = told, self._room.told(names, needs, question, shots, before)
            if last is None or {table.name for table in last.tables} != {table.name for table in told.tables}:
                yield told

    def _needs(self, question: str, tables: Sequence[str], queries: Sequence[str]) -> dict[str, set[str]]:
        """Return the columns of tables that are told in any case: the question or a query before says them."""
        catalogue = self._catalogue
        part = catalogue.readable.only(tables)
        index = None if catalogue.index is None else catalogue.index.over(part)
        found = said_columns(question, part, index, catalogue.language)
        for sql in queries:
            for table, columns in needs_of(sql, part, catalogue.dialect).items():
                found[table] |= columns
        return {name: found[name] for name in tables}


def _better(first: LlmAnswer, second: LlmAnswer) -> LlmAnswer:
    """Return the one of two answers that stays, the second of more tables, with what both took."""
    if second.unheard:
        return first
    stays = second if _ORDER.index(second.status) < _ORDER.index(first.status) else first
    sure = CORRECTED if stays is second and stays.confidence == AT_ONCE else stays.confidence
    return replace(
        stays,
        confidence=sure,
        attempts=first.attempts + second.attempts,
        prompt_tokens=_sum(first.prompt_tokens, second.prompt_tokens),
        completion_tokens=_sum(first.completion_tokens, second.completion_tokens),
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
