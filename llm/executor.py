"""What becomes of one answer of a model: read, held against the schema, run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

from ..data.databases.database import Database
from ..data.databases.rows import Rows, comparable
from ..data.errors import DatabaseError, UnavailableError, UnknownNameError
from ..data.schema.schema import Schema
from ..validation import Validation, Validator
from .reading import ReadAnswer, read_answer

__all__ = ["Executor", "Outcome"]

_LEVEL = "scope"
"""What is asked of a query before it runs: names. What the rules say of types beyond is careful, and would keep back
queries that run; the database itself says of those what is wrong."""

_NOTHING = "it runs, but finds no row; look at values, conditions and joins"


@dataclass(frozen=True)
class Outcome(ReadAnswer):
    """What became of an answer: what was read in it, and why that does not do, by its text or once it was tried.

    Attributes:
        text: what the model wrote.
        rows: what the query returned, None if it was not run or failed.
        failure: which kind of problem it is, None where there is none: ``text`` (there is no single query that can be
            read), ``names`` (it names what is not there), ``execution`` (the database refuses it, or its time is
            over) or ``empty`` (it finds nothing).
        unavailable: whether the database is to blame, and the query may be right.
    """

    text: str = ""
    rows: Rows | None = None
    failure: str | None = None
    unavailable: bool = False

    @property
    def key(self) -> Hashable:
        """Return what two queries with the same rows have in common, in whatever order they come."""
        rows = self.rows.rows if self.rows else ()
        return frozenset(Counter(tuple(map(comparable, row)) for row in rows).items())


class Executor:
    """Tries answers on one database.

    Args:
        schema: of the database.
        database: open for reading.
        dialect: sqlite, mysql or postgres.
    """

    def __init__(self, schema: Schema, database: Database, dialect: str) -> None:
        self._database = database
        self._dialect = dialect
        self._validator = Validator(schema, dialect=dialect, level=_LEVEL)

    def outcome(self, text: str) -> Outcome:
        """Return what becomes of an answer."""
        read = read_answer(text, self._dialect)
        if read.problem is not None:
            return Outcome(read.program, read.sql, read.problem, text, failure="text")
        known = self._validator.validate(read.sql)
        if known.runs is False:  # one outside of the grammar may run
            return Outcome(read.program, read.sql, _said(known), text, failure="names")
        try:
            rows = self._database.query(read.sql)
        except DatabaseError as error:
            lost = isinstance(error, UnavailableError) or (known.runs and isinstance(error, UnknownNameError))
            return Outcome(read.program, read.sql, error.unplaced, text, failure="execution", unavailable=bool(lost))
        if any(cell is not None for row in rows.rows for cell in row):
            return Outcome(read.program, read.sql, None, text, rows)
        return Outcome(read.program, read.sql, _NOTHING, text, rows, "empty")


def _said(found: Validation) -> str:
    """Say what a rule has against a query: the problem, what could stand there, the nearest query."""
    told = found.problem or "it is refused"
    if found.nearest:
        return f"{told}; nearest: {' '.join(found.nearest.split())}"
    could = [word for kind in ("column", "table", "function") for word in found.allowed.get(kind, ())]
    return f"{told}; there could stand {', '.join(could)}" if could else told
