"""When the schema of a database that is open is read anew."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import create

from querent.data.databases import schema_watch
from querent.data.databases.database import Database
from querent.data.databases.schema_watch import AGAIN, SchemaWatch
from querent.data.errors import DatabaseError, SchemaError


class Clock:
    """A clock that somebody sets."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(schema_watch, "time", made)
    return made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return create(tmp_path / "lakes.sqlite", "CREATE TABLE lake (name TEXT)")


@pytest.fixture
def watch(file: Path) -> Iterator[SchemaWatch]:
    with Database.open(file) as database:
        yield SchemaWatch(database)


def test_what_changes_is_read_anew_after_ten_times_as_long_or_at_once(
    watch: SchemaWatch, clock: Clock, file: Path
) -> None:
    with watch.reading():
        clock.now += 2
    create(file, "ALTER TABLE lake ADD COLUMN depth REAL")
    assert not watch.has_changed()
    assert watch.has_changed(at_once=True)
    clock.now += 2 * AGAIN
    assert watch.has_changed()
    with watch.reading():
        pass
    assert not watch.has_changed(at_once=True)


def test_rows_are_no_tables(watch: SchemaWatch, file: Path) -> None:
    with watch.reading():
        pass
    create(file, "INSERT INTO lake VALUES ('Loch')")
    assert not watch.has_changed(at_once=True)


def test_what_could_not_be_read_is_to_be_read_still(watch: SchemaWatch, file: Path) -> None:
    with watch.reading():
        pass
    create(file, "CREATE TABLE river (name TEXT)")
    with pytest.raises(OSError, match="gone"), watch.reading():
        raise OSError("gone")
    assert watch.has_changed(at_once=True)


def test_a_database_without_tables_is_gone_to_whom_has_it_open(watch: SchemaWatch) -> None:
    with pytest.raises(SchemaError), watch.reading():
        raise SchemaError("the database has no tables")
    with watch.reading():
        pass
    with pytest.raises(DatabaseError, match="no tables"), watch.reading():
        raise SchemaError("the database has no tables")


def test_without_a_database_nothing_changes() -> None:
    watch = SchemaWatch(None)
    with watch.reading():
        pass
    assert not watch.has_changed(at_once=True)
