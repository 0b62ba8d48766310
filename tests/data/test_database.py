"""Databases that no query can change."""

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy
from cases import rows
from databases import create

from querent.data.databases import shared_server
from querent.data.databases.database import Database
from querent.data.databases.remote import ServerSession
from querent.data.databases.schema_readers import read_schema
from querent.data.errors import DatabaseError, QuerentError
from querent.data.schema.schema import Table

CASES = Path(__file__).with_suffix(".toml")

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = ", ".join(f"({i}, '{i % 3}%')" for i in range(50))
    script = f'CREATE TABLE "order" ("group" INTEGER, "a ""b" TEXT); INSERT INTO "order" VALUES {rows}, (NULL, NULL)'
    return create(tmp_path / "a file%20of #rows?.sqlite", script)


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
    assert database.distinct(Table("order", ()), 'a "b') == ["0%", "1%", "2%"]
    assert len(database.distinct(Table("order", ()), "group", limit=40)) == 40
    with pytest.raises(DatabaseError, match="no such column"):
        database.distinct(Table("order", ()), "nope")


@rows(CASES, "what_is_no_reading_is_refused")
def test_what_is_no_reading_is_refused(database: Database, file: Path, sql: str) -> None:
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    with pytest.raises(DatabaseError) as caught:
        database.query(sql)
    assert caught.value.file == file
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before
    assert database.query("SELECT 1").rows == [(1,)]  # and the connection lives on


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


@pytest.mark.parametrize("scheme", ["sqlite", "sqlite+pysqlite", "sqlite+aiosqlite", "SQLite"])
def test_however_a_url_names_a_file_it_is_opened_as_a_file(tmp_path: Path, scheme: str) -> None:
    file = create(tmp_path / "a.sqlite", "CREATE TABLE t (a)")
    with Database.open(f"{scheme}:///{file}", timeout=0.3) as database:
        assert database.version.startswith("SQLite")
        assert database.query("SELECT COUNT(*) FROM t").rows == [(0,)]
        refused = {ENDLESS: "longer than", "SELECT zeroblob(1000000000)": "too big", "DROP TABLE t": "DROP is refused"}
        for sql, problem in refused.items():
            with pytest.raises(DatabaseError, match=problem):
                database.query(sql)
    assert read_schema(f"{scheme}:///{file}").tables[0].name == "t"


@pytest.mark.parametrize(
    "place",
    [
        *("sqlite:///{}", "sqlite+pysqlite:///{}", "{}", "file:{}?mode=rwc", "sqlite:///file:{}?mode=rwc&uri=true"),
        *("sqlite+pysqlite:///file:{}?uri=true&mode=rwc", "sqlite:///{}?mode=rwc", "sqlite:///:memory:", "sqlite://"),
        *("sqlite+pysqlite://", "sqlite://nowhere.sqlite", "sqlite+pysqlcipher://:key@/{}", "sqlite+nosuch:///{}"),
    ],
)
def test_what_is_not_there_is_never_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.chdir(tmp_path)
    for opens in (Database.open, read_schema):
        with pytest.raises(QuerentError):
            opens(place.format(tmp_path / "nowhere.sqlite"))
        with pytest.raises(QuerentError):
            opens(place.format("nowhere.sqlite"))
    assert list(tmp_path.iterdir()) == []


def test_a_dialect_that_cannot_be_opened_for_reading_only(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = sqlalchemy.create_engine("sqlite://")
    engine.dialect.name = "oracle"
    monkeypatch.setattr(shared_server, "create_engine", lambda *_, **__: engine)
    with pytest.raises(DatabaseError, match="cannot open oracle for reading only"):
        ServerSession("postgresql+psycopg://host/db", timeout=1, max_rows=1)
