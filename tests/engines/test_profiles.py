"""Profiles of databases on a MariaDB and a PostgreSQL."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from servers import execute, reader, script
from sqlalchemy.engine import make_url

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.schema.schema import Schema
from querent.meaning.profile import DatabaseProfile, FlagCells, KeyProfile, TimeStorage
from querent.meaning.profiling import open_profile, profile_of

DATABASE = "voyages"


@pytest.fixture(scope="module")
def profile(database: Database, schema: Schema) -> DatabaseProfile:
    return profile_of(database, schema)


def test_native_types(profile: DatabaseProfile, dialect: str) -> None:
    def one(column: str) -> Any:
        return profile.column("voyage", column)

    assert one("left_on").time == TimeStorage("native", "day", False, first="2021-03-04", last="2022-12-31")
    assert (one("back_at").time.form, one("back_at").time.grain, one("back_at").nulls) == ("native", "second", 1)
    assert one("watch").time is None
    insured = FlagCells("true", "false", "boolean") if dialect == "postgres" else FlagCells("1", "0", "number")
    assert one("insured").flag == insured
    assert (one("toll").kind, one("toll").examples) == ("amount", ("1200.5", "900"))
    assert set(one("fuel").number.removed) == {",", "l", " "}
    assert one("rated").examples == ("low", "high")
    assert (one("log").kind, one("chart").kind) == ("empty", "empty")
    assert one("ends").time.form == "day first"
    if dialect == "mysql":
        assert one("tags").flag is None or one("tags").flag.yes == "1"
        assert one("built").time == TimeStorage("year", "year", False)


def test_keys_and_rows(profile: DatabaseProfile) -> None:
    assert profile.keys == (KeyProfile("voyage", ("crewId",), "Crew", ("crewId",), True, True),)
    assert profile.rows == {"Crew": 3, "voyage": 2}


def test_a_large_table_is_seen_from_end_to_end(url: str, dialect: str) -> None:
    execute(url, *script("tides", dialect))
    try:
        schema = read_schema(url)
        with Database.open(url) as database:
            found = profile_of(database, schema)
        assert found.rows["tide"] == pytest.approx(20000, rel=0.1)
        if dialect == "postgres":  # MariaDB samples no tables
            assert found.column("tide", "at").time.last > "2040"
    finally:
        execute(url, "DROP TABLE tide")


def test_a_locked_table_is_warned_of_and_the_others_are_read(url: str, schema: Schema, dialect: str) -> None:
    engine = sqlalchemy.create_engine(url)
    with engine.connect() as holder, Database.open(url, timeout=0.5) as database:
        holder.exec_driver_sql(
            "LOCK TABLE voyage IN ACCESS EXCLUSIVE MODE" if dialect == "postgres" else "LOCK TABLES voyage WRITE"
        )
        with pytest.warns(UserWarning, match="no profile of voyage: .*(took longer than|has locked)") as warned:
            found = profile_of(database, schema)
        assert len([one for one in warned if "profile" in str(one.message)]) == 1
    engine.dispose()
    assert found.column("voyage", "toll") is None
    assert found.column("Crew", "fullName").kind == "name"


def test_columns_that_may_not_be_read_are_left_out(url: str, schema: Schema) -> None:
    with (
        reader(url, "SELECT (id, toll) ON voyage") as narrow,
        Database.open(narrow) as database,
        pytest.warns(UserWarning, match="of Crew"),
    ):
        found = profile_of(database, schema)
    assert {column for _, column in found.columns} == {"id", "toll"}


def test_it_is_kept_and_made_anew_with_more_rows(url: str, schema: Schema, tmp_path: Path) -> None:
    assert open_profile(url, schema, cache=tmp_path) == open_profile(url, schema, cache=tmp_path)
    [kept] = tmp_path.iterdir()
    assert str(make_url(url).password) not in kept.read_text()
    before = kept.stat().st_ino
    execute(url, "INSERT INTO voyage (id) VALUES (77)")
    assert open_profile(url, schema, cache=tmp_path).rows["voyage"] == 3
    assert kept.stat().st_ino != before
    execute(url, "DELETE FROM voyage WHERE id = 77")
