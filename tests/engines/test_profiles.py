"""Profiles of databases on a MariaDB and a PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from servers import execute, reader
from sqlalchemy.engine import make_url

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_url
from querent.meaning.profile import DatabaseProfile, FlagCells, KeyProfile, TimeStorage
from querent.meaning.profiling import open_profile, profile_of

TABLES = {
    "postgres": [
        "CREATE TYPE grade AS ENUM ('low', 'high')",
        'CREATE TABLE "Crew" ("crewId" SERIAL PRIMARY KEY, "fullName" TEXT)',
        'CREATE TABLE voyage (id BIGINT PRIMARY KEY, "crewId" INTEGER REFERENCES "Crew", left_on DATE,'
        " back_at TIMESTAMPTZ, watch TIME, insured BOOLEAN, toll NUMERIC(8, 2), fuel TEXT, rated grade, log JSON,"
        " chart BYTEA, tags TEXT[], key UUID, ends TEXT)",
        "INSERT INTO \"Crew\" (\"fullName\") VALUES ('Ada Low'), ('Bo Ek'), ('Cy Day')",
    ],
    "mysql": [
        "CREATE TABLE `Crew` (`crewId` INTEGER AUTO_INCREMENT PRIMARY KEY, `fullName` TEXT)",
        "CREATE TABLE voyage (id BIGINT PRIMARY KEY, `crewId` INTEGER REFERENCES `Crew` (`crewId`), left_on DATE,"
        " back_at TIMESTAMP NULL, watch TIME, insured BOOLEAN, toll DECIMAL(8, 2), fuel VARCHAR(20),"
        " rated ENUM('low', 'high'), log JSON, chart BLOB, tags BIT(1), `key` CHAR(36), ends VARCHAR(20), built YEAR)",
        "INSERT INTO `Crew` (`fullName`) VALUES ('Ada Low'), ('Bo Ek'), ('Cy Day')",
    ],
}
ROWS = {
    "postgres": "(1, 1, '2021-03-04', '2021-03-09 10:00+00', '04:00', TRUE, 1200.50, '1,200 l', 'low', '[1]', '\\x00',"
    " '{a}', '11111111-1111-1111-1111-111111111111', '13/02/2022'), (2, 1, '2022-12-31', NULL, '08:00', FALSE, 900,"
    " '90 l', 'high', NULL, NULL, NULL, NULL, '01/03/2022')",
    "mysql": "(1, 1, '2021-03-04', '2021-03-09 10:00', '04:00', TRUE, 1200.50, '1,200 l', 'low', '[1]', X'00', b'1',"
    " '11111111-1111-1111-1111-111111111111', '13/02/2022', 1999), (2, 1, '2022-12-31', NULL, '08:00', FALSE, 900,"
    " '90 l', 'high', NULL, NULL, b'0', NULL, '01/03/2022', 2004)",
}


@pytest.fixture(scope="module")
def url(scratch: str, dialect: str) -> str:
    execute(scratch, *TABLES[dialect], f"INSERT INTO voyage VALUES {ROWS[dialect]}")
    return scratch


def profiled(url: str) -> DatabaseProfile:
    schema = from_url(url)
    with Database.open(url) as database:
        return profile_of(database, schema)


@pytest.fixture(scope="module")
def profile(url: str) -> DatabaseProfile:
    return profiled(url)


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
    assert profile.keys == (KeyProfile("voyage", ("crewId",), "Crew", ("crewId",), True, True, False, True),)
    assert profile.rows == {"Crew": 3, "voyage": 2}


def test_a_large_table_is_seen_from_end_to_end(url: str, dialect: str) -> None:
    number = "generate_series(0, 19999) AS n" if dialect == "postgres" else "seq_0_to_19999"
    day = "DATE '2000-01-01' + n" if dialect == "postgres" else "DATE '2000-01-01' + INTERVAL seq DAY"
    name = "n" if dialect == "postgres" else "seq"
    execute(
        url,
        "CREATE TABLE tide (id INTEGER PRIMARY KEY, at DATE)",
        f"INSERT INTO tide SELECT {name}, {day} FROM {number}",
        "ANALYZE tide" if dialect == "postgres" else "ANALYZE TABLE tide",
    )
    try:
        found = profiled(url)
        assert found.rows["tide"] == pytest.approx(20000, rel=0.1)
        if dialect == "postgres":  # MariaDB samples no tables
            assert found.column("tide", "at").time.last > "2040"
    finally:
        execute(url, "DROP TABLE tide")


def test_a_locked_table_is_told_and_the_others_are_read(url: str, dialect: str) -> None:
    engine = sqlalchemy.create_engine(url)
    lock = "LOCK TABLE voyage IN ACCESS EXCLUSIVE MODE" if dialect == "postgres" else "LOCK TABLES voyage WRITE"
    schema = from_url(url)
    try:
        with engine.connect() as holder, Database.open(url, timeout=0.5) as database:
            holder.exec_driver_sql(lock)
            with pytest.warns(UserWarning, match="no profile of voyage: .*(took longer than|has locked)") as told:
                found = profile_of(database, schema)
            assert len([one for one in told if "profile" in str(one.message)]) == 1
    finally:
        engine.dispose()
    assert found.column("voyage", "toll") is None
    assert found.column("Crew", "fullName").kind == "name"


def test_columns_that_may_not_be_read_are_left_out(url: str) -> None:
    schema = from_url(url)
    with (
        reader(url, "SELECT (id, toll) ON voyage") as narrow,
        Database.open(narrow) as database,
        pytest.warns(UserWarning, match="of Crew"),
    ):
        found = profile_of(database, schema)
    assert {column for _, column in found.columns} == {"id", "toll"}


def test_it_is_kept_and_made_anew_with_more_rows(url: str, tmp_path: Path) -> None:
    schema = from_url(url)
    assert open_profile(url, schema, cache=tmp_path) == open_profile(url, schema, cache=tmp_path)
    [kept] = tmp_path.iterdir()
    assert str(make_url(url).password) not in kept.read_text()
    before = kept.stat().st_ino
    execute(url, "INSERT INTO voyage (id) VALUES (77)")
    assert open_profile(url, schema, cache=tmp_path).rows["voyage"] == 3
    assert kept.stat().st_ino != before
    execute(url, "DELETE FROM voyage WHERE id = 77")
