"""What becomes of one answer of a model: read, held against the schema, run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

from ..data.databases.database import Database
from ..data.databases.rows import Rows, comparable
from ..data.errors import DatabaseError
from ..data.schema.schema import Schema
from ..validation import Validation, Validator
from .reading import read_answer

__all__ = ["LEVEL", "Outcome", "Trial"]

LEVEL = "scope"
"""What is asked of a query before it runs: names. What the rules say of types beyond is careful, and would keep back
queries that run; the database itself says of those what is wrong."""

NOTHING = "it runs, but finds no row; look at values, conditions and joins"


@dataclass(frozen=True)
class Outcome:
    """What became of an answer.

    Attributes:
        text: what the model wrote.
        program: what stands before the query.
        sql: the query, or what was refused in its place; empty if there was none.
        rows: what it returned, None if it was not run or failed.
        problem: why it does not do, in one line; None where it does.
    """

    text: str
    program: str
    sql: str
    rows: Rows | None = None
    problem: str | None = None

    @property
    def key(self) -> Hashable:
        """Return what two queries with the same rows have in common, in whatever order they come."""
        if self.rows is None:
            return self.sql
        return frozenset(Counter(tuple(map(comparable, row)) for row in self.rows.rows).items())


class Trial:
    """Tries answers on one database.

    Args:
        schema: of the database.
        database: open for reading.
        dialect: sqlite, mysql or postgres.
        level: what is asked of a query before it runs, one of `querent.grammar.LEVELS`; None asks nothing.
    """

    def __init__(self, schema: Schema, database: Database, dialect: str, *, level: str | None = LEVEL) -> None:
        self._database = database
        self._dialect = dialect
        self._validator = None if level is None else Validator(schema, dialect=dialect, level=level)

    def outcome(self, text: str) -> Outcome:
        """Return what becomes of an answer."""
        read = read_answer(text, self._dialect)
        problem = read.problem or self._refused(read.sql)
        if problem is not None:
            return Outcome(text, read.program, read.sql, None, problem)
        try:
            rows = self._database.query(read.sql)
        except DatabaseError as error:
            return Outcome(text, read.program, read.sql, None, _told(error))
        found = any(cell is not None for row in rows.rows for cell in row)
        return Outcome(text, read.program, read.sql, rows, None if found else NOTHING)

    def _refused(self, sql: str) -> str | None:
        """Return why a query cannot run; one outside of the grammar may."""
        if self._validator is None:
            return None
        found = self._validator.validate(sql)
        return _said(found) if found.runs is False else None


def _said(found: Validation) -> str:
    """Say what a rule has against a query: the problem, what could stand there, the nearest query."""
    told = found.problem or "it is refused"
    if found.nearest:
        return f"{told}; nearest: {' '.join(found.nearest.split())}"
    could = [word for kind in ("column", "table", "function") for word in found.allowed.get(kind, ())]
    return f"{told}; there could stand {', '.join(could)}" if could else told


def _told(error: DatabaseError) -> str:
    """Return what a database says, without where it lies, which is nothing to a model."""
    return f"{error.problem} ({error.hint})" if error.hint else error.problem
