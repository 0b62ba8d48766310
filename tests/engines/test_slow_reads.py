"""A table that another session locks, and a view that takes long, cost themselves alone when a database is opened."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy
from servers import execute, fresh_database

import querent
from querent.data.databases import fingerprints, remote
from querent.data.profiles import kept
from querent.ner.index import cells

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
    monkeypatch.setattr(remote, "_LOCK_SECONDS", 1.0)
    for module, name in ((fingerprints, "_COUNT_SECONDS"), (kept, "_SECONDS"), (cells, "_VIEW_SECONDS")):
        monkeypatch.setattr(module, name, 1.0)


@pytest.mark.filterwarnings("ignore:.*no profile of", "ignore:.*may do anything")
def test_a_table_that_is_locked_while_a_database_is_opened(scratch: str, dialect: str, impatient: None) -> None:
    with fresh_database(scratch) as url:
        execute(url, *TABLES)
        engine = sqlalchemy.create_engine(url)
        with engine.connect() as other:
            other.exec_driver_sql(LOCK[dialect])
            with querent.connect(url, timeout=2.0) as connection:
                assert [len(table.columns) for table in connection.schema.tables] == [2, 2]
                why = "its values: another session has locked what the query reads"
                assert {f"pump.id, {why}", f"pump.title, {why}"} == {*connection.schema.left_out}
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
    names = [f"a_slow_{n}" for n in range(4)]  # before the others, and more than may be late
    with fresh_database(scratch) as url:
        views = [f"CREATE VIEW {name} AS SELECT id, {SLEEP[dialect]} AS nap FROM crate" for name in names]
        execute(url, *TABLES, *views)
        with querent.connect(url) as connection:
            told = [one for one in connection.schema.left_out if ".nap, its values: " in one]
            assert len(told) == 4
            assert all("longer than 1 s" in one for one in told)
            assert {name for name, _ in connection.profile.columns} >= {"crate", "pump"}
            assert connection.ask("how many pumps are there?", beam=1).rows == ((3,),)
