"""The index of a database on a server, where the environment names one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from querent.data.databases.database import Database
from querent.data.databases.row_counts import LARGE, counted, statistic
from querent.data.databases.schema_readers import read_schema
from querent.data.databases.schema_watch import fingerprint_of
from querent.data.schema.schema import Schema
from querent.ner.index import ValueIndex

VARIABLES = {"postgres": "QUERENT_POSTGRES_URL", "mysql": "QUERENT_MARIADB_URL"}
NAME = f"value_index_{os.getpid()}"
COLUMNS = {
    "postgres": "unit VARCHAR(16), no INTEGER, raw BYTEA, told JSON, fine TEXT",
    "mysql": "unit VARCHAR(16), no INTEGER, raw BLOB, told JSON, fine TEXT",
}


@pytest.fixture(scope="module", params=sorted(VARIABLES))
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    """Return a server's URL while it has a table of ours."""
    address = os.environ.get(VARIABLES[request.param])
    if not address:
        pytest.skip(f"{VARIABLES[request.param]} names no server")
    engine = create_engine(address)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE {NAME} ({COLUMNS[request.param]})")
        rows = f"('TI-101', 5, 'ab', '[1]', 'Lisbon'), ('TI-102', 5, NULL, NULL, '{'x' * 300}')"
        connection.exec_driver_sql(f"INSERT INTO {NAME} VALUES {rows}")
    yield address
    with engine.begin() as connection:
        connection.exec_driver_sql(f"DROP TABLE {NAME}")
    engine.dispose()


def test_a_server_is_read_and_its_growth_seen(url: str, tmp_path: Path) -> None:
    schema = Schema((read_schema(url).table(NAME),), "served")
    index = ValueIndex.open(url, schema, cache=tmp_path)
    assert [f.value for f in index.find("is unit TI-101 in Lisbon")] == ["TI-101", "Lisbon"]
    assert (index.skipped, index.unread) == (1, {})
    assert index.few(NAME, "no") == ("5",)
    assert index.samples(NAME, "raw") == ()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"INSERT INTO {NAME} (unit) VALUES ('Faro')")
    engine.dispose()
    assert [f.value for f in ValueIndex.open(url, schema, cache=tmp_path).find("where is Faro")] == ["Faro"]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_large_table_is_counted_by_statistics_and_asked_on_the_spot(url: str, tmp_path: Path) -> None:
    name, rows = f"{NAME}_large", LARGE + 10_000
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE {name} (code VARCHAR(16), kind VARCHAR(8))")
        values = [f"('ZX-{n:07}', 'kind {n % 3}')" for n in range(rows)]
        for start in range(0, rows, 10_000):
            connection.exec_driver_sql(f"INSERT INTO {name} VALUES {', '.join(values[start : start + 10_000])}")
    analyze = "ANALYZE" if engine.dialect.name == "postgresql" else "ANALYZE TABLE"
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql(f"{analyze} {name}")
        schema = Schema((read_schema(url).table(name),), "served")
        before = fingerprint_of(url, schema, "form")
        with engine.begin() as connection:
            connection.exec_driver_sql(f"INSERT INTO {name} VALUES ('ZX-9999999', 'kind 0')")
        assert fingerprint_of(url, schema, "form") == before
        with Database.open(url) as opened:
            assert abs((statistic(opened, schema.tables[0]) or 0) - rows) < rows / 10
            assert counted(opened, schema.tables[0]) == LARGE + 1
        index = ValueIndex.open(url, schema, cache=tmp_path)
        found = {value.value: value.columns for value in index.find("is zx-0012345 of kind 2?")}
        assert found["ZX-0012345"] == ((name, "code"),) and found["kind 2"] == ((name, "kind"),)
        assert index.held(name, "code", ["ZX-0000001", "ZX-7"]) == {"ZX-0000001": "ZX-0000001"}
    finally:
        with engine.begin() as connection:
            connection.exec_driver_sql(f"DROP TABLE {name}")
        engine.dispose()
