"""Running queries on a small database in memory, and comparing what they return."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from ...data.sql.defined_functions import DefinedFunctions
from ...data.sql.dialects import translate
from ..metrics import execution_match
from .shape import Shape

__all__ = ["MAX_ROWS", "Content", "Engine", "Result", "in_sqlite", "tree_in_sqlite"]

Content = Mapping[str, Sequence[tuple[Any, ...]]]
"""The rows of a database: lower-cased table to tuples in the order of its fields."""

Result = list[tuple[Any, ...]]

MAX_ROWS = 3000
_STEPS = 20_000  # virtual machine steps between two looks
_LONGEST = 20_000  # bytes of a value: within one function nobody counts steps
_LOOKS = 40  # so many looks end a query: counted in steps, not seconds, results are the same on every machine


def in_sqlite(sql: str, dialect: str) -> str:
    """Return a query of a dialect as SQLite runs it.

    Raises:
        QueryError: it does not parse, or has no such form.
    """
    return translate(sql, read=dialect, write="sqlite")


def tree_in_sqlite(tree: exp.Expr, dialect: str) -> str:
    """Do the same for a syntax tree of that dialect."""
    return in_sqlite(tree.sql(dialect=dialect), dialect)


class Engine:
    """One database in memory whose rows are exchanged.

    Args:
        shape: its tables.
        twins: keep others with the same rows in another order, for `settled`.
    """

    def __init__(self, shape: Shape, *, twins: bool = True) -> None:
        self.shape = shape
        self._twins = [Engine(shape, twins=False), Engine(shape, twins=False)] if twins else []
        self._connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=0)
        self._looks = 0
        for statement in shape.ddl:
            # INTEGER keys would be the row numbers, and those the order of rows
            self._connection.execute(statement if twins else statement.replace(" INTEGER", " INT"))
        if not twins:
            self._connection.execute("PRAGMA automatic_index = OFF")  # the order of joins may be another
        self._connection.set_progress_handler(self._look, _STEPS)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        # on the same connection, since no other one sees a database in memory
        self._functions = DefinedFunctions(self._connection)
        self._functions.define(shape.functions, self._connection)

    def load(self, content: Content) -> None:
        """Put these rows in place of those there are."""
        run = self._connection.execute
        self._looks = -1_000_000
        run("BEGIN")
        for name in reversed(self.shape.relations):
            run(f'DELETE FROM "{self.shape.relations[name].name}"')
        for name, relation in self.shape.relations.items():
            rows = content.get(name)
            if rows:
                marks = ", ".join("?" * len(relation.fields))
                self._connection.executemany(f'INSERT INTO "{relation.name}" VALUES ({marks})', rows)
        run("COMMIT")
        for turn, twin in enumerate(self._twins):
            order = random.Random(turn)
            twin.load({name: list(reversed(rows)) if turn else _mixed(rows, order) for name, rows in content.items()})

    def save(self, file: str) -> None:
        """Write the database as it is to a file that is not there yet."""
        self._looks = -1_000_000
        self._connection.execute("VACUUM INTO ?", (file,))

    def backwards(self, on: bool) -> None:
        """Have SQLite visit rows in the other direction wherever a query leaves the order open."""
        self._connection.execute(f"PRAGMA reverse_unordered_selects = {'ON' if on else 'OFF'}")

    def run(self, sql: str) -> Result | None:
        """Return the rows of a query, None if it fails, takes too long or returns more than `MAX_ROWS`."""
        self._looks = 0
        self._functions.begin()
        try:
            rows = self._connection.execute(sql).fetchmany(MAX_ROWS + 1)
        except (sqlite3.Error, sqlite3.Warning):
            return None
        return rows if len(rows) <= MAX_ROWS else None

    def problem(self, sql: str) -> str | None:
        """Return why SQLite does not take a query, None if it does."""
        try:
            self._connection.execute(f"EXPLAIN {sql}").fetchone()
        except (sqlite3.Error, sqlite3.Warning) as error:
            return str(error)
        return None

    def settled(self, golds: Iterable[tuple[str, bool]]) -> list[Result | None]:
        """Return the rows of gold queries, None where this database leaves them open.

        A query whose rows depend on the order in which SQLite visits a table (a LIMIT among ties, a column that is
        neither grouped nor aggregated) has no one right answer here, and nothing is compared with it.

        Args:
            golds: query and whether the order of its rows counts.
        """
        listed = list(golds)
        found = [self.run(sql) for sql, _ in listed]
        self.backwards(True)
        for engine in (self, *self._twins):
            for place, (sql, ordered) in enumerate(listed):
                rows = found[place]
                again = None if rows is None else engine.run(sql)
                if rows is not None and (again is None or not same(again, rows, ordered)):
                    found[place] = None
        self.backwards(False)
        return found

    def _look(self) -> bool:
        self._looks += 1
        return self._looks > _LOOKS


def _mixed(rows: Sequence[tuple[Any, ...]], order: random.Random) -> Sequence[tuple[Any, ...]]:
    return order.sample(rows, len(rows))


def same(one: Result, other: Result, ordered: bool) -> bool:
    """Are the rows the same, as `execution_match` counts them?"""
    if len(one) != len(other):
        return False
    return one == other or execution_match(one, other, ordered)
