"""`querent.validate`: what the rules say of one query, without running it."""

import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..data.domains.schema_places import open_schema
from ..data.errors import ConstraintError
from ..data.schema.schema import Schema
from ..grammar import LEVELS, MAX_WORDS, RULES, Access, Constraint, Grammar, Word
from ..grammar.stack.time_limit import OutOfTime, time_limit
from .nearest import Search, allowed
from .query_words import QueryWords, Walk, read_words, walk
from .refusal import Refusal, mistaken, refusal
from .rewriting import rewritten

TIMEOUT = 2.0
"""Seconds that a query may take."""

_DECIDING = 0.75
"""Of the timeout that is for deciding; the rest is for saying so."""

_OF_NAMES = {"names", "output names", "derived", "common columns", "compound order"}
"""Rules that say more of a query as it is rewritten, where what is derived has all its columns."""

_KEPT = 16
"""Constraints that are kept for queries of the same words; the oldest goes first."""


@dataclass(frozen=True)
class Validation:
    """What the rules say of one query.

    Attributes:
        sql: the query.
        runs: True if it runs; False if it is refused; None if it lies outside of the grammar, or was not decided in
            time, and may run all the same.
        line: of the word that is refused, 1-based, in ``sql``; None where nothing is, like all that follows.
        column: 1-based, in that line.
        start: the word's first character in ``sql``.
        end: one past its last.
        word: as it is written; empty where the query may not end.
        rule: the rule of `querent.grammar.RULES` that is broken; ``names`` if the schema has no such name, ``grammar``,
            ``nesting`` or ``budget`` if the grammar or the rules do not reach so far, ``time`` if time was over first.
        problem: in words.
        allowed: what could stand there, by kind, at most five of each, those spelled alike first.
        nearest: a query that runs, one word away; None if none was found.
    """

    sql: str
    runs: bool | None
    line: int | None = None
    column: int | None = None
    start: int | None = None
    end: int | None = None
    word: str | None = None
    rule: str | None = None
    problem: str | None = None
    allowed: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    nearest: str | None = None

    @property
    def says(self) -> str | None:
        """Return what the rule that is broken says, None if it is none of `querent.grammar.RULES`."""
        return RULES[self.rule].says if self.rule is not None and self.rule in RULES else None

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dicts."""
        return asdict(self)


class Validator:
    """Judges queries on one schema.

    Args:
        schema: of the database.
        dialect: sqlite, mysql or postgres.
        level: what a query must keep, one of `querent.grammar.LEVELS`.
        without: rules that are switched off.
        timeout: seconds that one query may take, above 0; what is not decided by then is reported as such.
        access: what may be read, all if None; all else is reported as missing.
    """

    def __init__(
        self,
        schema: Schema,
        *,
        dialect: str,
        level: str = LEVELS[-1],
        without: Collection[str] = (),
        timeout: float = TIMEOUT,
        access: Access | None = None,
    ) -> None:
        if timeout <= 0:
            raise ConstraintError(f"a timeout of {timeout:g} seconds", hint="allow more than 0")
        self._timeout = timeout
        readable = schema if access is None else access.narrowed(schema)
        self.grammar = Grammar.for_schema(readable, dialect=dialect, access=access, wide=True)
        self._level, self._without = level, tuple(without)
        self._constraints: dict[tuple[Word, ...], Constraint] = {}

    def validate(self, sql: str) -> Validation:
        """Return what the rules say of a query, within the timeout."""
        try:
            with time_limit(self._timeout * _DECIDING, time.thread_time):
                query, found, refused = self.judged(sql)
                return Validation(sql, True) if refused is None else self._refused(query, found, refused)
        except OutOfTime:
            problem = f"not decided within {self._timeout:g} s"
            return Validation(sql, None, line=1, column=1, start=0, end=0, word="", rule="time", problem=problem)

    def judged(self, sql: str) -> tuple[QueryWords, Walk, Refusal | None]:
        """Return a query's words, how far they come, and why no further: as it stands, or else as it is rewritten."""
        query = read_words(self.grammar, sql)
        found = self._walk(query)
        stopped = len(query.lexemes) if found.stopped is None and query.broken else found.stopped
        if stopped is None:
            return query, found, None
        refused = refusal(self.grammar, query, found, stopped)
        other = rewritten(self.grammar, sql, query.lexemes) if query.broken is None else None
        if other is None:
            return query, found, refused
        rewording = read_words(self.grammar, sql, other)
        walked = self._walk(rewording)
        if walked.stopped is None:
            return rewording, walked, None
        if refused.runs is not None and refused.rule not in _OF_NAMES:
            return query, found, refused
        return rewording, walked, refusal(self.grammar, rewording, walked, walked.stopped)

    def _refused(self, query: QueryWords, found: Walk, refused: Refusal) -> Validation:
        sql = query.sql
        nearest, place = Search(self.grammar, query, found, refused, self._runs).find() or (None, refused.place)
        refused = mistaken(query, refused, place)
        start, end = _span(query, refused.place)
        able: Mapping[str, tuple[str, ...]] = {}
        with suppress(OutOfTime):  # the verdict does not hang on it
            able = allowed(query, found, refused)
        return Validation(
            sql=sql,
            runs=refused.runs,
            line=sql.count("\n", 0, start) + 1,
            column=start - sql.rfind("\n", 0, start),
            start=start,
            end=end,
            word=sql[start:end],
            rule=refused.rule,
            problem=refused.problem,
            allowed=able,
            nearest=nearest,
        )

    def _walk(self, query: QueryWords) -> Walk:
        constraint = self._constraints.get(query.vocabulary.words)
        if constraint is None:
            if len(self._constraints) >= _KEPT:
                del self._constraints[next(iter(self._constraints))]
            constraint = Constraint(query.vocabulary, budget=MAX_WORDS, level=self._level, without=self._without)
            self._constraints[query.vocabulary.words] = constraint
        return walk((constraint.start(),), query.choices)

    def _runs(self, sql: str) -> bool:
        return self.judged(sql)[2] is None


def validate(
    schema: Schema | str | Path,
    sql: str,
    *,
    dialect: str | None = None,
    level: str = LEVELS[-1],
    without: Collection[str] = (),
    timeout: float = TIMEOUT,
) -> Validation:
    """Say of one query whether it runs on a schema, by the rules and without running it; if not, why.

    Args:
        schema: a schema, or where it is: a SQLite file, a URL, a ``.sql`` script, ``shop``.
        sql: the query; comments are passed over.
        dialect: sqlite, mysql or postgres; None is that of the URL, and SQLite's of all else.
        level: what it must keep, one of `querent.grammar.LEVELS`.
        without: rules that are switched off.
        timeout: seconds that it may take, above 0.

    Raises:
        QuerentError: the schema cannot be read, no dialect, level or rule is called so, or there is no time at all.
    """
    if not isinstance(schema, Schema):
        schema, dialect = open_schema(schema, dialect)
    return Validator(schema, dialect=dialect or "sqlite", level=level, without=without, timeout=timeout).validate(sql)


def _span(query: QueryWords, place: int) -> tuple[int, int]:
    if place < len(query.lexemes):
        return query.lexemes[place].start, query.lexemes[place].end
    if query.broken is not None:
        return query.broken.position, query.broken.position + 1
    end = query.lexemes[-1].end if query.lexemes else len(query.sql)
    return end, end
