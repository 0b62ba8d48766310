"""What comes back from a MariaDB and a PostgreSQL that `Database.open` reads, and how much of it."""

import datetime as dt
import subprocess
import sys
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from servers import execute
from sqlalchemy.engine import make_url

from querent.data.databases import shared_server
from querent.data.databases.database import Database
from querent.data.errors import DatabaseError
from querent.data.schema.schema import Column, Schema, Table
from querent.data.sql.query import Query
from querent.grammar import Grammar
from querent.grammar.lr.tables import load_functions
from querent.parser.decoding.candidates import to_plain_sql

DATABASE = "reads"
ODD = "50%s of 'it' (数)"
"""A name that drivers, quotes and format strings could trip over."""
MANY = "SELECT a.n FROM (SELECT 1 AS n UNION ALL SELECT 2) AS a" + "".join(
    f" CROSS JOIN (SELECT 1 AS n UNION ALL SELECT 2) AS x{i}" for i in range(22)
)
"""Eight million rows."""


@pytest.fixture(scope="module")
def unchecked(scratch: str) -> Iterator[Database]:
    """Open a database whose queries are sent as they are, whatever they call."""
    with Database.open(scratch, timeout=20) as opened, pytest.MonkeyPatch.context() as patch:
        patch.setattr(opened.session, "checked", lambda sql: sql)
        yield opened


def quoted(name: str, dialect: str) -> str:
    return f"`{name}`" if dialect == "mysql" else f'"{name}"'


def test_values_are_python_values(database: Database, dialect: str) -> None:
    odd, order = quoted(ODD, dialect), quoted("order", dialect)
    got = database.query(f"SELECT * FROM {order} ORDER BY amount IS NULL, amount DESC")
    assert got.columns == (ODD, "amount", "day", "moment", "share", "flag", "notes", "size")
    first = ("12%s", Decimal("1.250"), dt.date(2024, 3, 31), dt.datetime(2024, 3, 31, 8), 0.5, True, '[1, "二"]', 7)
    second = ("温度", Decimal("-0.001"), dt.date(2024, 2, 29), dt.datetime(2024, 2, 29, 23, 59, 59), 1e300, False)
    assert got.rows == [first, (*second, "[]", 8589934592), (None,) * 8]
    assert not got.truncated
    got = database.query(f"SELECT {odd} FROM {order} WHERE {odd} LIKE '%s'")
    assert (got.columns, got.rows) == ((ODD,), [("12%s",)])


def test_distinct_values_under_odd_names(database: Database) -> None:
    assert sorted(database.distinct(Table("order", ()), ODD)) == ["12%s", "温度"]
    assert len(database.distinct(Table("order", ()), ODD, limit=1)) == 1
    with pytest.raises(DatabaseError, match="nope"):
        database.distinct(Table("order", ()), "nope")


def test_what_is_sent_returns_what_the_text_would(database: Database, dialect: str) -> None:
    text = Path(__file__).with_name("ordinary_queries.sql").read_text(encoding="utf-8")
    sections = {part.partition("\n")[0]: part.splitlines()[1:] for part in text.split("\n\n-- ")}
    for sql in [*sections["both"], *sections[dialect]]:
        plain, found = database.fetch(sql), database.query(sql)
        assert (sql, found.rows) == (sql, plain.rows)
        assert len(found.columns) == len(plain.columns)
        assert found.rows, sql


def test_functions_of_the_grammar_may_be_called(database: Database, dialect: str) -> None:
    """What the constraint writes is sent as what somebody else wrote is."""
    syntax = {"CAST", "CONVERT", "EXTRACT", "POSITION", "SUBSTRING", "TRIM", "GROUP_CONCAT"}
    for name, function in load_functions(dialect).items():
        if name not in syntax and function.takes_parentheses:
            with pytest.raises(DatabaseError) as caught:
                database.query(f"SELECT {name}(no_column, 1, 2)")
            assert "refused" not in str(caught.value), name


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT tent.id FROM tent ORDER BY tent.price DESC LIMIT 2 PER tent.brand", [(1,), (3,), (5,), (6,), (7,)]),
        ("SELECT tent.id FROM tent ORDER BY tent.price LIMIT 1 OFFSET 1 PER tent.brand", [(3,), (6,)]),
        (
            "SELECT MAX(tent.price) FROM tent GROUP BY tent.brand ORDER BY SUM(tent.price) DESC LIMIT 2 PER tent.brand",
            [(30,), (9,), (1,)],
        ),
    ],
)
def test_the_first_rows_of_each_group(sql: str, rows: list[tuple[int]], database: Database, dialect: str) -> None:
    columns = (Column("id", "INTEGER"), Column("brand", "VARCHAR(9)"), Column("price", "INTEGER"))
    schema = Grammar.for_schema(Schema((Table("tent", columns, ("id",)),)), dialect=dialect).schema
    assert [*map(tuple, database.query(to_plain_sql(Query(sql, dialect), schema).sql).rows)] == rows


@pytest.mark.parametrize(
    ("limit", "truncated"), [("", True), (" LIMIT 200000", True), (" LIMIT 101", True), (" LIMIT 100", False)]
)
def test_rows_are_capped_before_they_fill_the_memory(database: Database, limit: str, truncated: bool) -> None:
    got = database.query(MANY + limit)
    assert (len(got.rows), got.truncated) == (100, truncated)
    assert database.query("SELECT 1").rows == [(1,)]


LARGE = {
    "postgres": "SELECT repeat('x', 1000000) FROM generate_series(1, 1000)",
    "mysql": "SELECT repeat('x', 1000000) FROM information_schema.columns",
}


def test_large_rows_are_cut_and_that_is_said(dialect: str, unchecked: Database) -> None:
    for found in (unchecked.query(LARGE[dialect]), unchecked.fetch(LARGE[dialect])):
        assert len(found.rows) == 100
        assert found.truncated
        assert found.notes == ("only the first 100 rows were read: with the next one they have over 100 MB",)
    smaller = LARGE[dialect].replace("1000000", "50000").replace("1000)", "5000)")
    twice = ", information_schema.columns AS again" * (dialect == "mysql")
    found = unchecked.query(f"{smaller}{twice} LIMIT 1000000")
    assert (len(found.rows), found.truncated, found.notes) == (1000, True, ())
    assert unchecked.query("SELECT 1").rows == unchecked.fetch("SELECT 1").rows == [(1,)]


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


@pytest.mark.parametrize("seconds", [1, 60])
def test_one_row_takes_neither_memory_nor_time(dialect: str, scratch: str, seconds: int) -> None:
    pytest.importorskip("resource", reason="Windows does not tell what memory a process took")
    begun = time.monotonic()
    # a process begins with the peak of whoever began it: that of a shell is small
    command = ["sh", "-c", '"$@"; true', "sh", sys.executable, "-c", SCRIPT, scratch, ONE_ROW[dialect], str(seconds)]
    problem, megabytes = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    if seconds == 1:
        assert "the query took longer than 1 s" in problem
        assert time.monotonic() - begun < 15
    else:
        assert "the query takes too much memory" in problem
    assert int(megabytes) < 700


def test_a_query_without_end_is_stopped(url: str, dialect: str) -> None:
    endless = MANY.replace("SELECT a.n", "SELECT COUNT(DISTINCT a.n + x1.n)", 1)
    with Database.open(url, timeout=0.3) as database:
        with pytest.raises(DatabaseError, match=r"the query took longer than 0\.3 s"):
            database.query(endless)
        with pytest.raises(DatabaseError, match=r"the query took longer than 0\.3 s"):
            database.fetch("SELECT SLEEP(20)" if dialect == "mysql" else "SELECT pg_sleep(20)")
        assert database.query("SELECT 1").rows == [(1,)]


def test_a_wrong_query_is_explained_in_a_line(database: Database, unchecked: Database) -> None:
    with pytest.raises(DatabaseError, match="nowhere") as caught:
        database.query("SELECT *\nFROM nowhere")
    assert "\n" not in str(caught.value)
    assert "SELECT" not in str(caught.value)
    assert database.query("SELECT 1").rows == [(1,)]
    for sql in ("SELECT nope", "SELEC 1"):
        problems = []
        for send in (unchecked.fetch, unchecked.query):
            with pytest.raises(DatabaseError) as caught:
                send(sql)
            problems.append(str(caught.value))
        assert problems[0] == problems[1]
        assert "***" in problems[0]  # in place of the password


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"port": 1}, "[Cc]onnect.*refused"),
        ({"username": "stranger"}, "stranger"),
        ({"database": "not_there"}, "not_there"),
        ({"host": "querent.invalid"}, "querent.invalid"),
        ({"query": {"nonsense": "1"}}, "nonsense"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_reached_says_so_and_keeps_the_password(
    url: str, change: dict[str, object], message: str
) -> None:
    password = "swordfish" if "username" in change else make_url(url).password
    wrong = make_url(url).set(**change).set(password=password)  # pyright: ignore[reportArgumentType]
    with pytest.raises(DatabaseError, match=message) as caught:
        Database.open(wrong.render_as_string(hide_password=False))
    assert str(password) not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_name_has_no_password(database: Database, url: str) -> None:
    assert str(make_url(url).password) not in database.name
    assert str(make_url(url).database) in database.name


def test_a_connection_that_the_server_has_closed_is_replaced(
    url: str, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_server, "_IDLE", 0.0)
    own, end = {
        "mysql": ("SELECT CONNECTION_ID()", "KILL {}"),
        "postgres": ("SELECT pg_backend_pid()", "SELECT pg_terminate_backend({})"),
    }[dialect]
    with Database.open(url) as database, Database.open(url, timeout=1) as other:
        number = database.fetch(own).rows[0][0]
        assert other.fetch(own).rows == [(number,)]  # they share it
        execute(url, end.format(number))
        assert other.fetch(own).rows != [(number,)]
