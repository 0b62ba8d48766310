"""Functions that a database's people have defined, made known to SQLite: each call runs the function's SQL."""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import cache, lru_cache

from ..errors import DatabaseError
from ..schema.schema import Function

Cell = str | bytes | int | float | None
"""What SQLite holds in one cell."""

_KEPT = 10_000  # results of one function that are remembered while a query runs


class DefinedFunctions:
    """The functions of one database, as its queries call them.

    Args:
        runs: the connection that runs their SQL.
        late: returns whether the time of the calling query is over.

    Attributes:
        problem: why a call of the query that runs now has failed, empty while none has; «interrupted» if it was late.
    """

    def __init__(self, runs: sqlite3.Connection, late: Callable[[], bool]) -> None:
        self.problem = ""
        self._runs = runs
        self._late = late
        self._known: dict[str, Function] = {}
        self._forget: list[Callable[[], None]] = []

    def define(self, functions: Iterable[Function], connection: sqlite3.Connection) -> None:
        """Make functions known to the queries of a connection; those it knows already are left as they are.

        Raises:
            DatabaseError: the SQL of a function does not compile, or SQLite has a function of its name.
        """
        for function in functions:
            if self._known.get(function.name) == function:
                continue
            if function.name.lower() in _own():
                hint = "give the function another name"
                raise DatabaseError(f"SQLite has a function {function.name} of its own", hint=hint)
            self._compile(function)
            remembered = lru_cache(_KEPT)(self._body(function))
            connection.create_function(function.name, len(function.arguments), remembered, deterministic=True)
            self._known[function.name] = function
            self._forget.append(remembered.cache_clear)

    def begin(self) -> None:
        """Forget what the calls of the query before have given: the database may be another one now."""
        self.problem = ""
        for forget in self._forget:
            forget()

    def _compile(self, function: Function) -> None:
        try:
            self._runs.execute(f"EXPLAIN {_query(function)}", {a.name: None for a in function.arguments}).fetchone()
        except (sqlite3.Error, sqlite3.Warning) as error:
            hint = "mend its sql, one expression"
            raise DatabaseError(f"function {function.name} does not run: {error}", hint=hint) from error

    def _body(self, function: Function) -> Callable[..., Cell]:
        query, names = _query(function), [argument.name for argument in function.arguments]

        def call(*values: Cell) -> Cell:
            if self._late():
                self.problem = "interrupted"
                raise sqlite3.OperationalError(self.problem)
            try:
                row = self._runs.execute(query, dict(zip(names, values, strict=True))).fetchone()
            except (sqlite3.Error, sqlite3.Warning) as error:  # the message of SQLite has no reason
                late = str(error) == "interrupted"
                self.problem = self.problem or ("interrupted" if late else f"function {function.name}: {error}")
                raise
            return row[0]

        return call


def _query(function: Function) -> str:
    return f"SELECT ({function.sql})"  # in parentheses it is one expression, or nothing that SQLite takes


@cache
def _own() -> frozenset[str]:
    """The names of SQLite's own functions; read beside the database, where an authorizer may refuse to list them."""
    with closing(sqlite3.connect(":memory:")) as engine:
        return frozenset(name for (name,) in engine.execute("SELECT name FROM pragma_function_list"))
