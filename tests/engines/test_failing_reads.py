"""Statements that `querent.connect` sends fail in turn, in CI every second: each costs its subject, and is said."""

import sqlite3
import warnings
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pymysql.cursors
import pytest
from draws import some
from servers import execute, fresh_database, url_of

import querent
from querent.data.databases import database
from querent.data.databases.catalogue import _WARNED
from querent.data.databases.query_process import QueryProcess
from querent.parser.network.saved import Loaded, network_of

TABLES = [
    "CREATE TABLE crate (id INTEGER PRIMARY KEY, name VARCHAR(20) UNIQUE, packed DATE)",
    "CREATE TABLE pump (id INTEGER PRIMARY KEY, title VARCHAR(20), crate INTEGER REFERENCES crate (id))",
    "INSERT INTO crate VALUES (1, 'red', '2024-01-31'), (2, 'green', NULL)",
    "INSERT INTO pump VALUES (1, 'Gusher', 1), (2, 'Trickle', 1), (3, 'Brook', NULL)",
    "CREATE VIEW packed AS SELECT name, packed FROM crate WHERE packed IS NOT NULL",
]
COUNTS = {"crate": 2, "pump": 3}
ESSENTIAL = {
    "sqlite": ("SELECT COUNT(*) FROM sqlite_master", "SELECT name, sql FROM sqlite_master", "SELECT type, name, sql",
        "SELECT name FROM pragma_table_list"),
    "mysql": ("SET ", "COMMIT", "SELECT VERSION()", "SELECT version(), ", "SELECT DATABASE()", "SELECT @@",
        "SELECT table_schema, table_name, table_type", "SELECT table_schema, table_name, column_name, column_type"),
    "postgres": ("SELECT set_config(", "show ", "select pg_catalog.version()", "SELECT version(), set_config",
        "select current_schema()", "Composed([SQL('SELECT\\n typname", "SELECT n.nspname, c.relname, c.relkind IN ",
        "WITH RECURSIVE up AS"),
}  # fmt: skip
"""How a statement begins that is the connection itself, or asks which tables there are."""


LIMITS = ("SET SESSION max_statement_time", "SELECT set_config(")
"""How a statement begins that says how long others may take."""


class Faults:
    """Lets the statement of a number fail, and keeps what was sent before the questions."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.end()

    def begin(self, at: int, error: Exception) -> None:
        self.sent, self._at, self._error = [], at, error

    def end(self) -> None:
        self._at = None

    def __call__(self, sql: Any) -> None:
        if self._at is not None:
            self.sent.append(" ".join(str(sql).split()))
            if len(self.sent) - 1 == self._at:
                raise self._error


@contextmanager
def place(engine: str, folder: Path) -> Generator[str]:
    """Yield a database of ours on an engine."""
    if engine == "sqlite":
        with sqlite3.connect(folder / "depot.sqlite") as made:
            made.executescript(";".join(TABLES))
        yield str(folder / "depot.sqlite")
        return
    with fresh_database(url_of(engine)) as url:
        execute(url, *TABLES)
        yield url


def intercept(engine: str, faults: Faults, patch: pytest.MonkeyPatch) -> None:
    """Have each statement sent to the database pass by."""
    if engine != "sqlite":
        for kind in (pymysql.cursors.Cursor,) if engine == "mysql" else (psycopg.Cursor, psycopg.ServerCursor):
            plain = kind.execute

            def sent(self: Any, query: Any, *args: Any, plain: Any = plain, **named: Any) -> Any:
                faults(query)
                return plain(self, query, *args, **named)

            patch.setattr(kind, "execute", sent)
        return

    class Faulty(sqlite3.Connection):
        def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
            faults(sql)
            return super().execute(sql, *args)

    plain_connect = sqlite3.connect

    def connected(path: Any, *args: Any, **named: Any) -> sqlite3.Connection:
        ours = {"factory": Faulty} if "depot.sqlite" in str(path) else {}
        return plain_connect(path, *args, **named, **ours)

    patch.setattr(sqlite3, "connect", connected)


@pytest.fixture(scope="module")
def network() -> Loaded:
    return network_of(None)


ERRORS = {
    "sqlite": (sqlite3.OperationalError("struck"), ValueError("struck")),
    "mysql": (pymysql.err.OperationalError(1105, "struck"), RuntimeError("struck")),
    "postgres": (psycopg.DataError("struck"), OverflowError("struck")),
}
"""What a driver raises, and what it should not."""


@pytest.mark.slow
@pytest.mark.parametrize("engine", sorted(ERRORS))
def test_what_one_read_raises_costs_that_alone(
    engine: str, network: Loaded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = Faults()
    # one process runs the queries of all connections, and ends when it is idle: none of its statements is to fail
    monkeypatch.setattr(database, "QueryProcess", cache(QueryProcess))
    monkeypatch.setattr(QueryProcess, "end", lambda _: None)
    with place(engine, tmp_path) as url:
        intercept(engine, faults, monkeypatch)

        def connected(at: int) -> tuple[object, list[str]]:
            """Return what was read while the statement of a number failed, and what was said."""
            monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / f"cache {at}"))
            faults.begin(at, ERRORS[engine][at % 2])
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                _WARNED.clear()
                with querent.connect(url, parser=network) as connection:
                    faults.end()
                    other = "crate" if "pump" in faults.sent[at] else "pump"
                    answer = connection.ask(f"how many {other}s are there?", beam=1)
                    assert (answer.status, answer.rows) == ("ok", ((COUNTS[other],),)), faults.sent[at]
                    said = [*connection.schema.left_out, *(str(one.message) for one in warned)]
                    return (connection.schema, connection.profile), said

        whole, _ = connected(-1)
        twice = [sql for sql, times in Counter(faults.sent).items() if times > 1 and not sql.startswith(LIMITS)]
        assert engine == "sqlite" or not twice
        for at, struck in some(_first(faults.sent), 2):
            try:
                read, said = connected(at)
            except querent.QuerentError as error:
                assert "struck" in str(error)
                assert struck.startswith(ESSENTIAL[engine]), struck
            else:
                assert read == whole or any("struck" in one for one in said), struck


def _first(sent: list[str]) -> list[tuple[int, str]]:
    """Return each statement's number, where it was sent first, and text: connections are made alike each time."""
    numbers = {text: number for number, text in reversed([*enumerate(sent)])}
    return sorted((number, text) for text, number in numbers.items())
