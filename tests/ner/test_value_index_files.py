"""The index on disk: when it is built, and databases that are changed, locked, read-only or odd."""

import sqlite3
import warnings
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from querent.data.databases.schema_readers import from_sqlite
from querent.data.errors import DatabaseError, RunError
from querent.data.schema.schema import Column, Schema, Table
from querent.ner.index import FoundValue, ValueIndex


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data base #1.sqlite"
    run(path, "CREATE TABLE city (name TEXT, note TEXT); INSERT INTO city VALUES ('Lisbon', 'x'), ('Porto', 'y')")
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "cache"


def run(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)


def values(found: Iterable[FoundValue]) -> list[str]:
    return [f.value for f in found if f.kind == "cell"]


def opened(path: Path, cache: Path) -> ValueIndex:
    """No warning is due unless a test says so."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return ValueIndex.open(path, from_sqlite(path), cache=cache)


def test_it_is_built_once(file: Path, cache: Path) -> None:
    opened(file, cache).close()
    [made] = cache.iterdir()
    before = made.stat()
    assert values(opened(file, cache).find("Is Lisbon nice?")) == ["Lisbon"]
    assert list(cache.iterdir()) == [made]
    assert (made.stat().st_mtime_ns, made.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_changed_database_is_read_anew(file: Path, cache: Path) -> None:
    old = opened(file, cache)
    run(file, "INSERT INTO city VALUES ('Coimbra', 'z')")
    new = opened(file, cache)
    assert values(new.find("Is Coimbra nice?")) == ["Coimbra"]
    assert values(old.find("Is Coimbra nicer than Lisbon?")) == ["Lisbon"]  # its file is still there for it
    assert len(list(cache.iterdir())) == 1


def test_changes_in_the_log_are_seen(file: Path, cache: Path) -> None:
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        opened(file, cache).close()
        writer.execute("INSERT INTO city VALUES ('Coimbra', 'z')")
        writer.commit()
        assert values(opened(file, cache).find("Is Coimbra nice?")) == ["Coimbra"]


def test_a_changed_schema_is_read_anew(file: Path, cache: Path) -> None:
    part = Schema((Table("city", (Column("note"),)),), "city")
    assert values(ValueIndex.open(file, part, cache=cache).find("Is Lisbon nice?")) == []
    assert values(opened(file, cache).find("Is Lisbon nice?")) == ["Lisbon"]


@pytest.mark.parametrize("how", ["empty", "garbage", "cut", "other", "no longer a file of ours"])
def test_a_broken_cache_is_built_anew_and_said(file: Path, cache: Path, how: str) -> None:
    opened(file, cache).close()
    [made] = cache.iterdir()
    content = made.read_bytes()
    made.unlink()
    if how == "other":
        run(made, "CREATE TABLE something (x)")
    elif how == "no longer a file of ours":
        made.write_bytes(content)
        run(made, "UPDATE meta SET value = '0' WHERE name = 'format'")
    else:
        made.write_bytes({"empty": b"", "garbage": b"garbage" * 1000, "cut": content[: len(content) // 2]}[how])
    with pytest.warns(UserWarning, match="built anew"):
        index = ValueIndex.open(file, from_sqlite(file), cache=cache)
    assert values(index.find("Is Lisbon nice?")) == ["Lisbon"]
    assert values(opened(file, cache).find("Is Lisbon nice?")) == ["Lisbon"]


def test_a_file_damaged_later_is_an_error_of_ours(file: Path, cache: Path) -> None:
    index = opened(file, cache)
    [made] = cache.iterdir()
    with made.open("r+b") as stream:
        stream.seek(100)
        stream.write(b"\xff" * (made.stat().st_size - 100))
    index.close()
    with pytest.raises(RunError, match="not a value index"):
        index.find("Is Lisbon nice?")


def test_a_locked_database_is_told_and_leaves_nothing(file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("querent.ner.cells.building._WAIT_SECONDS", 0.1)
    schema = from_sqlite(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DatabaseError, match="locked"):
            ValueIndex.open(file, schema, cache=cache)
    assert list(cache.iterdir()) == []


def test_a_built_index_needs_no_database(file: Path, cache: Path) -> None:
    schema = from_sqlite(file)
    opened(file, cache).close()
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        assert values(ValueIndex.open(file, schema, cache=cache).find("Is Lisbon nice?")) == ["Lisbon"]


@pytest.mark.parametrize("address", ["{}", "sqlite:///{}", "sqlite+pysqlite:///{}"])
def test_a_read_only_file_is_read_by_its_path_or_a_url(file: Path, cache: Path, address: str) -> None:
    file.chmod(0o444)
    place = address.format(quote(str(file)) if "://" in address else file)
    assert values(ValueIndex.open(place, from_sqlite(file), cache=cache).find("Is Lisbon nice?")) == ["Lisbon"]
    assert not list(file.parent.glob("*-journal"))


def test_no_database_and_no_cache_are_told(file: Path, tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="no such database file"):
        ValueIndex.open(tmp_path / "none.sqlite", from_sqlite(file), cache=tmp_path)
    with pytest.raises(RunError, match="cannot be written"):
        ValueIndex.open(file, from_sqlite(file), cache=file / "cache")


def test_a_missing_column_is_said(file: Path, cache: Path) -> None:
    schema = Schema((Table("city", (Column("name"), Column("mayor"))), Table("river", (Column("name"),))), "city")
    unread = {("city", "mayor"): "no such column: city.mayor", ("river", "name"): "no such table: river"}
    index = ValueIndex.open(file, schema, cache=cache)
    assert index.unread == unread
    assert values(index.find("Is Lisbon nice?")) == ["Lisbon"]


def test_the_usual_cache_is_the_users(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QUERENT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    ValueIndex.open(file, from_sqlite(file)).close()
    assert len(list((tmp_path / "home" / "querent" / "values").iterdir())) == 1


def test_empty_tables_hold_nothing(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "empty.sqlite"
    run(path, "CREATE TABLE city (name TEXT, size INT)")
    index = opened(path, cache)
    found = index.find("Is Lisbon nice?", mentions=[(3, 9)])
    assert [(f.value, f.kind) for f in found] == [("Lisbon", "text")]
    assert index.few("city", "name") == index.samples("city", "size") == ()


def test_views_are_read_where_the_schema_has_them(file: Path, cache: Path) -> None:
    run(file, "CREATE VIEW loud AS SELECT UPPER(name) AS name FROM city")
    schema = Schema((Table("loud", (Column("name"),)),), "loud")
    [found] = ValueIndex.open(file, schema, cache=cache).find("is LISBON nice")[:1]
    assert (found.value, found.columns) == ("LISBON", (("loud", "name"),))


def test_odd_cells(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "odd.sqlite"
    run(
        path,
        'CREATE TABLE "a ""b" ("c; d" TEXT, n INTEGER, "select" TEXT);'
        f"""INSERT INTO "a ""b" VALUES (x'4c6973626f6e', 'Faro', '{"Lisbon " * 40}'), (NULL, 7, ''), ('  ', 8, '+++'),
        ('Porto''s  "best"', NULL, CAST(x'Faff426f6f' AS TEXT))""",
    )
    index = opened(path, cache)
    assert index.skipped == 1
    assert values(index.find("Is Lisbon nice?")) == []  # bytes and long texts are no cells
    [faro] = [f for f in index.find("Is Faro nice?") if f.kind == "cell"]
    assert faro.columns == (('a "b', "n"),)  # SQLite keeps texts in any column
    assert values(index.find("Where is Porto's best?")) == ['Porto\'s  "best"']
