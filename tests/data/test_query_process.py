"""Queries that somebody else has written: none takes more than its time and its memory, whatever happens around it."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from databases import create

from querent.data.databases import query_process
from querent.data.databases import rows as rows_module
from querent.data.databases.database import Database
from querent.data.databases.query_process import MEMORY
from querent.data.databases.rows import Rows
from querent.data.databases.schema_readers import read_schema
from querent.data.errors import DatabaseError, TimeLimitError
from querent.data.schema.schema import Column, Function

ONE_CALL = "SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || 'x')"
"""Half a minute within one function, in which SQLite looks at no clock."""

NO_END = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT"

SOON = 20.0
"""Seconds, on a busy machine: each of these queries would take longer, most have no end."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    script = "CREATE TABLE lake (name TEXT, depth INTEGER); INSERT INTO lake VALUES ('Onega', 127), ('Como', 425)"
    return create(tmp_path / "a lake.sqlite", script)


@pytest.fixture
def database(file: Path) -> Iterator[Database]:
    with Database.open(file, timeout=1) as opened:
        yield opened


def process_of(database: Database) -> subprocess.Popen[bytes]:
    """Return the process that runs a database's queries, begun by one of them."""
    assert database.query("SELECT COUNT(*) FROM lake").rows == [(2,)]
    process: Any = database._apart._process
    assert process is not None
    return process


@pytest.mark.parametrize(
    "sql",
    [
        ONE_CALL,
        f"SELECT COUNT(*) FROM lake WHERE ({ONE_CALL}) > depth",
        f"{NO_END} COUNT(*) FROM t",
        f"{NO_END} x FROM t ORDER BY x",
        f"{NO_END} group_concat(hex(zeroblob(1000))) FROM t",
        "SELECT printf('%.*c', 1000000000, 'x')",
        "SELECT zeroblob(2000000000)",
        f"SELECT {', '.join(['hex(zeroblob(4900000))'] * 300)}",
        f"SELECT {', '.join(['hex(zeroblob(4900000)) || char(128512)'] * 9)}",
        f"SELECT {', '.join(['hex(zeroblob(4900000))'] * 11)}",
    ],
)
def test_a_hostile_query_ends_in_time_and_memory(file: Path, sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_process, "_GRACE", 0.2)
    resource = pytest.importorskip("resource", reason="Windows does not tell")
    with Database.open(file, timeout=0.5) as database:
        begun = time.monotonic()
        with pytest.raises(DatabaseError, match=r"longer than 0.5 s|too much memory|over 10 MB|over 100 MB|too big"):
            database.query(sql)
        assert time.monotonic() - begun < SOON
        assert database.query("SELECT name FROM lake ORDER BY depth").rows == [("Onega",), ("Como",)]
        process = database._apart._process
        assert process is not None
        assert resource.prlimit(process.pid, resource.RLIMIT_AS)[0] == MEMORY


def test_what_is_cut_is_said(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    found = database.query(f"{NO_END} x, hex(zeroblob(4900000)) FROM t")
    assert len(found.rows) == 10
    assert found.truncated
    assert found.notes == ("only the first 10 rows were read: with the next one they have over 100 MB",)
    monkeypatch.setattr(rows_module, "LARGEST_RESULT", 3)
    assert Rows.read(["name"], iter([("a",), (b"bc",), ("d",)]), 3).rows == [("a",), (b"bc",)]
    with pytest.raises(DatabaseError, match="a row has over"):
        Rows.read(["name"], iter([("abcd",)]), 3)


def test_only_what_the_parser_wrote_runs_in_this_process(database: Database) -> None:
    assert database.query("SELECT 1", constrained=True).rows == [(1,)]
    assert database._apart._process is None
    assert process_of(database).pid != os.getpid()


def test_errors_are_those_of_this_process(database: Database, file: Path) -> None:
    for sql in (
        "SELECT nope FROM lake",
        "SELEC",
        "DELETE FROM lake",
        "SELECT load_extension('x')",
        "SELECT 1; SELECT 2",
    ):
        with pytest.raises(DatabaseError) as here:
            database.fetch(sql)
        with pytest.raises(DatabaseError) as there:
            database.query(sql)
        assert str(there.value) == str(here.value)
        assert there.value.hint == here.value.hint
    with closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DatabaseError, match="locked"):
            database.query("SELECT * FROM lake")
    assert len(database.query("SELECT * FROM lake").rows) == 2


def test_functions_of_the_domain_are_known_there_too(database: Database) -> None:
    assert process_of(database).poll() is None
    feet = Function("FEET", (Column("metres", "REAL"),), "REAL", ":metres * 3.28")
    database.define([feet])
    assert database.query("SELECT FEET(depth) FROM lake WHERE name = 'Como'").rows == [(pytest.approx(1394),)]


def test_threads_wait_for_one_another(database: Database) -> None:
    def depth(number: int) -> list[tuple[Any, ...]]:
        return database.query(f"SELECT {number}, depth FROM lake WHERE name = 'Como'").rows

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(depth, range(40))) == [[(number, 425)] for number in range(40)]


@pytest.mark.parametrize("name", ["SIGALRM", "SIGTERM", "SIGKILL"])
def test_a_process_that_has_ended_is_begun_anew(database: Database, name: str) -> None:
    process = process_of(database)
    process.send_signal(getattr(signal, name))  # by SIGALRM it ends itself when nothing is asked
    assert process.wait(30) != 0
    assert process_of(database).pid != process.pid


def test_another_file_in_its_place_is_opened(database: Database, file: Path, tmp_path: Path) -> None:
    process_of(database)
    create(tmp_path / "new", "CREATE TABLE lake AS SELECT 'Garda' AS name, 346 AS depth").replace(file)
    database.schema_state()
    database.confine(read_schema(file))
    assert database.query("SELECT name FROM lake").rows == [("Garda",)]


def test_closing_ends_it_and_the_query_that_it_runs(file: Path) -> None:
    database = Database.open(file, timeout=60)
    process = process_of(database)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(database.query, ONE_CALL)
        time.sleep(0.5)
        database.close()
        with pytest.raises(DatabaseError, match="the query was ended") as error:
            waiting.result(timeout=SOON)
    assert not isinstance(error.value, TimeLimitError)
    assert process.poll() is not None


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="the system has no such timer")
@pytest.mark.parametrize("sql", [ONE_CALL, "SELECT 1"])
def test_nothing_is_left_of_it_when_its_parent_is_killed(file: Path, sql: str) -> None:
    script = f"""
from querent.data.databases.database import Database
database = Database.open({str(file)!r}, timeout=2)
database.query("SELECT 1")
print(database._apart._process.pid, flush=True)
database.query({sql!r})
input()
"""
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(re.findall(rb"\d+", parent.stdout.readline())[0])
        time.sleep(0.5)
        assert is_running(child)
        parent.kill()
    end = time.monotonic() + SOON
    while is_running(child) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_running(child)


def is_running(process: int) -> bool:
    """Is there such a process, which has not ended?"""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"
