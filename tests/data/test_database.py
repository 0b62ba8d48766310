"""Databases that no query can change."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy

from querent.data.database import Database, RemoteDatabase
from querent.data.errors import DatabaseError
from querent.data.remote import engine_of

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a file%20of #rows?.sqlite"
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE "order" ("group" INTEGER, "a ""b" TEXT)')
    connection.executemany('INSERT INTO "order" VALUES (?, ?)', [(i, f"{i % 3}%") for i in range(50)] + [(None, None)])
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def database(file: Path) -> Iterator[Database]:
    with Database.open(file, timeout=0.3, max_rows=10) as opened:
        yield opened


def test_rows_are_capped(database: Database) -> None:
    got = database.query('SELECT "group" AS g, 1 FROM "order" ORDER BY 1 DESC')
    assert got.columns == ("g", "1")
    assert got.rows[0] == (49, 1)
    assert len(got.rows) == 10
    assert got.truncated
    assert not database.query('SELECT * FROM "order" LIMIT 10').truncated


def test_distinct_values(database: Database) -> None:
    assert database.distinct("order", 'a "b') == ["0%", "1%", "2%"]
    assert len(database.distinct("order", "group", limit=40)) == 40
    with pytest.raises(DatabaseError, match="no such column"):
        database.distinct("order", "nope")


@pytest.mark.parametrize(
    "sql",
    [
        'INSERT INTO "order" VALUES (1, 2)',
        'UPDATE "order" SET "group" = 1',
        'DELETE FROM "order"',
        'DROP TABLE "order"',
        "CREATE TEMP TABLE x (y)",
        "ATTACH ':memory:' AS other",
        "PRAGMA user_version = 3",
        "PRAGMA writable_schema = ON",
        "VACUUM INTO 'copy.sqlite'",
        "BEGIN",
        'WITH x AS (SELECT 1) INSERT INTO "order" SELECT 1, 2',
        "SELECT load_extension('x')",
        'SELECT 1; DELETE FROM "order"',
        "SELECT * FROM nowhere",
        "",
    ],
)
def test_what_is_no_reading_is_refused(database: Database, file: Path, sql: str) -> None:
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    with pytest.raises(DatabaseError) as caught:
        database.query(sql)
    assert caught.value.file == file
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before
    assert database.query("SELECT 1").rows == [(1,)]  # and the connection lives on


def test_refusals_name_the_statement(database: Database) -> None:
    with pytest.raises(DatabaseError, match="ATTACH is refused"):
        database.query("ATTACH ':memory:' AS other")


def test_a_query_without_end_is_stopped(database: Database) -> None:
    with pytest.raises(DatabaseError, match=r"longer than 0\.3 s"):
        database.query(ENDLESS)
    assert database.query("SELECT 1").rows == [(1,)]


def test_a_value_without_end_is_stopped(database: Database) -> None:
    with pytest.raises(DatabaseError, match="too big"):
        database.query("SELECT zeroblob(1000000000)")


def test_a_locked_file(database: Database, file: Path) -> None:
    writer = sqlite3.connect(file, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DatabaseError, match=r"locked.*another program is writing"):
        database.query('SELECT * FROM "order"')
    with pytest.raises(DatabaseError, match="locked"):
        Database.open(file, timeout=0.1)
    writer.close()
    assert database.query("SELECT 1").rows == [(1,)]


def test_missing_and_broken_files(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="no such database file"):
        Database.open(tmp_path / "nowhere.sqlite")
    assert not (tmp_path / "nowhere.sqlite").exists()
    with pytest.raises(DatabaseError, match="no such database file"):
        Database.open(tmp_path)
    broken = tmp_path / "broken.sqlite"
    broken.write_text("this is not a database, but it is long enough to look at" * 20)
    with pytest.raises(DatabaseError, match="file is not a database"):
        Database.open(broken)


def test_sqlite_urls_open_the_file(file: Path) -> None:
    url = "sqlite:///" + str(file).replace("%", "%25")
    with Database.open(url) as database:
        assert len(database.query('SELECT * FROM "order"').rows) == 51


@pytest.mark.parametrize("url", ["nosuch://host/db", "postgresql+nosuch://host/db", "://"])
def test_bad_urls(url: str) -> None:
    with pytest.raises(DatabaseError, match="cannot open this URL"):
        Database.open(url)


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[RemoteDatabase]:
    connection = sqlite3.connect(tmp_path / "remote.sqlite")
    connection.execute('CREATE TABLE "order" (a TEXT)')
    connection.executemany('INSERT INTO "order" VALUES (?)', [("x%s",), ("y",), (None,)])
    connection.commit()
    connection.close()
    with RemoteDatabase(engine_of(f"sqlite:///{tmp_path / 'remote.sqlite'}"), max_rows=2) as opened:
        yield opened


def test_sqlalchemy_reads(remote: RemoteDatabase) -> None:
    got = remote.query('SELECT a AS b FROM "order"')
    assert (got.columns, len(got.rows), got.truncated) == (("b",), 2, True)
    assert remote.query("SELECT a FROM \"order\" WHERE a LIKE '%s'").rows == [("x%s",)]
    assert remote.distinct("order", "a") == ["x%s", "y"]


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ('DELETE FROM "order"', "not one query"),
        ('SELECT 1; DELETE FROM "order"', "not one query"),
        ("PRAGMA query_only = OFF", "not one query"),
        ('SELECT nope FROM "order"', "no such column"),
    ],
)
def test_sqlalchemy_refuses(remote: RemoteDatabase, sql: str, problem: str) -> None:
    with pytest.raises(DatabaseError, match=problem):
        remote.query(sql)


def test_sqlalchemy_sessions_cannot_write(tmp_path: Path) -> None:
    """What would slip past the parser is stopped by the session."""
    engine = sqlalchemy.create_engine(f"sqlite:///{tmp_path / 'other.sqlite'}")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (a)")
    engine.dispose()
    RemoteDatabase(engine)
    with engine.connect() as connection, pytest.raises(sqlalchemy.exc.OperationalError, match="readonly"):
        connection.exec_driver_sql("INSERT INTO t VALUES (1)")


def test_a_dialect_that_cannot_be_opened_for_reading_only(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = sqlalchemy.create_engine("sqlite://")
    monkeypatch.setattr(engine.dialect, "name", "oracle")
    with pytest.raises(DatabaseError, match="cannot open oracle for reading only"):
        RemoteDatabase(engine)


def test_geography_runs(shared_data: Path) -> None:
    with Database.open(shared_data / "text2sql" / "geography.sqlite") as database:
        assert database.query("SELECT COUNT(*) FROM state").rows[0][0] > 40
