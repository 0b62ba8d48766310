"""What a server sends is bounded in bytes and in time, whatever one row holds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from querent.data.databases.database import Database
from querent.data.errors import DatabaseError

pytest.importorskip("resource", reason="Windows does not tell what memory a process took")

MANY = {
    "postgres": "SELECT repeat('x', 1000000) FROM generate_series(1, 1000)",
    "mysql": "SELECT repeat('x', 1000000) FROM information_schema.columns",
}
ONE_ROW = {
    "postgres": "SELECT string_agg(repeat('x', 1000000), '') FROM generate_series(1, 500)",
    "mysql": f"SELECT {', '.join(['repeat(0, 16000000)'] * 30)}",
}
"""480 and 500 MB in one row, which a driver reads as a whole."""

SCRIPT = """
import resource, sys
from querent.data.databases.database import Database
from querent.data.errors import DatabaseError
with Database.open(sys.argv[1], timeout=float(sys.argv[3])) as database:
    database.session.checked = lambda sql: sql
    try:
        print(len(database.query(sys.argv[2]).rows))
    except DatabaseError as error:
        print(error.problem)
print(max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) // 1000)
"""


@pytest.fixture(scope="module")
def unchecked(scratch: str) -> Iterator[Database]:
    """Open a database whose queries are sent as they are, whatever they call."""
    with Database.open(scratch, timeout=100) as database, pytest.MonkeyPatch.context() as patch:
        patch.setattr(database.session, "checked", lambda sql: sql)
        yield database


def test_large_rows_are_cut_and_that_is_said(dialect: str, unchecked: Database) -> None:
    for found in (unchecked.query(MANY[dialect]), unchecked.fetch(MANY[dialect])):
        assert len(found.rows) == 100
        assert found.truncated
        assert found.notes == ("only the first 100 rows were read: with the next one they have over 100 MB",)
    assert unchecked.query("SELECT 1").rows == [(1,)]
    assert unchecked.fetch("SELECT 1").rows == [(1,)]


def test_rows_beyond_those_wanted_are_left(dialect: str, unchecked: Database) -> None:
    smaller = MANY[dialect].replace("1000000", "50000").replace("1000)", "5000)")
    twice = ", information_schema.columns AS again" * (dialect == "mysql")
    for found in (unchecked.query(sql) for sql in (f"{smaller}{twice} LIMIT 1000000", "SELECT 1")):
        assert (len(found.rows), found.truncated, found.notes) in ((1000, True, ()), (1, False, ()))


@pytest.mark.parametrize("seconds", [1, 300])
def test_one_row_takes_neither_memory_nor_time(dialect: str, scratch: str, seconds: int) -> None:
    # a process begins with the peak of whoever began it: that of a shell is small
    command = ["sh", "-c", '"$@"; true', "sh", sys.executable, "-c", SCRIPT, scratch, ONE_ROW[dialect], str(seconds)]
    problem, megabytes = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    if seconds == 1:
        assert "the query took longer than 1 s" in problem
    else:
        assert "the query takes too much memory" in problem
    assert int(megabytes) < 700


def test_a_server_says_what_is_wrong_as_before(dialect: str, unchecked: Database) -> None:
    for sql in ("SELECT nope", "SELEC 1"):
        with pytest.raises(DatabaseError) as here:
            unchecked.fetch(sql)
        with pytest.raises(DatabaseError) as there:
            unchecked.query(sql)
        assert str(there.value) == str(here.value)
        assert "***" in str(here.value)
