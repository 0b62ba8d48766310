"""A table that another session locks, and a view that takes long, cost themselves alone when a database is opened."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from servers import execute, fresh_database

import querent
from querent.data.databases import live_schemas
from querent.data.databases import schema_watch as fingerprints
from querent.meaning import profiling as kept
from querent.ner.cells import cells

TABLES = [
    "CREATE TABLE crate (id INTEGER PRIMARY KEY, name VARCHAR(20))",
    "CREATE TABLE pump (id INTEGER PRIMARY KEY, title VARCHAR(20))",
    "INSERT INTO crate VALUES (1, 'red'), (2, 'green')",
    "INSERT INTO pump VALUES (1, 'Gusher'), (2, 'Trickle'), (3, 'Brook')",
]
LOCK = {"mysql": "LOCK TABLES pump WRITE", "postgres": "LOCK TABLE pump IN ACCESS EXCLUSIVE MODE"}
SLEEP = {"mysql": "SLEEP(4)", "postgres": "CAST(PG_SLEEP(4) AS TEXT)"}


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    for module, name, seconds in (
        (live_schemas, "_LOCK_SECONDS", 0.3),
        (live_schemas, "_PATIENCE", 0.3),
        (live_schemas, "_HASTE", 0.3),
        (fingerprints, "_COUNT_SECONDS", 0.5),
        (kept, "_SECONDS", 0.5),
        (cells, "_VIEW_SECONDS", 1.0),
    ):
        monkeypatch.setattr(module, name, seconds)


@contextmanager
def waits() -> Generator[list[str]]:
    """Collect the statements that fail meanwhile."""
    failed: list[str] = []

    def collect(context: Any) -> None:
        failed.append(str(context.statement))

    sqlalchemy.event.listen(sqlalchemy.Engine, "handle_error", collect)
    try:
        yield failed
    finally:
        sqlalchemy.event.remove(sqlalchemy.Engine, "handle_error", collect)


@pytest.mark.filterwarnings("ignore:.*no profile of", "ignore:.*may do anything")
def test_a_table_that_is_locked_while_a_database_is_opened(scratch: str, dialect: str, impatient: None) -> None:
    with fresh_database(scratch) as url:
        execute(url, *TABLES, "CREATE VIEW titles AS SELECT title FROM pump")
        engine = sqlalchemy.create_engine(url)
        with engine.connect() as other:
            other.exec_driver_sql(LOCK[dialect])
            with waits() as waited, querent.connect(url, timeout=1.0) as connection:
                assert len(waited) == 3  # of both together, and of each once more
                assert all("LIMIT 0" in one for one in waited)
                assert {t.name: len(t.columns) for t in connection.schema.tables} == {
                    "crate": 2,
                    "pump": 2,
                    "titles": 1,
                }
                why = "its values: another session has locked what the query reads"
                assert {f"{place}, {why}" for place in ("pump.id", "pump.title", "titles.title")} <= {
                    *connection.schema.left_out
                }
                assert connection.ask("how many crates are there?", beam=1).rows == ((2,),)
                locked = connection.ask("how many pumps are there?", beam=1)
                assert (locked.status, locked.rows) == ("error", ())
                other.rollback()
                if dialect == "mysql":
                    other.exec_driver_sql("UNLOCK TABLES")
                assert connection.ask("how many pumps are there?", beam=1).rows == ((3,),)
        engine.dispose()


@pytest.mark.filterwarnings("ignore:.*no profile of", "ignore:.*may do anything")
def test_views_that_take_long_while_a_database_is_opened(scratch: str, dialect: str, impatient: None) -> None:
    names = ["a_slow_1", "a_slow_2"]  # before the others
    with fresh_database(scratch) as url:
        views = [f"CREATE VIEW {name} AS SELECT id, {SLEEP[dialect]} AS nap FROM crate" for name in names]
        execute(url, *TABLES, *views)
        with waits() as waited, querent.connect(url) as connection:
            assert not any("GROUP BY" in one for one in waited)  # after its first rows no column is read
            told = [one for one in connection.schema.left_out if ".nap, its values: " in one]
            assert len(told) == 2
            assert all("longer than 0." in one for one in told)
            assert {name for name, _ in connection.profile.columns} >= {"crate", "pump"}
            assert connection.ask("how many pumps are there?", beam=1).rows == ((3,),)
