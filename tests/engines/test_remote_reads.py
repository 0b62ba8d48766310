"""What comes back from a MariaDB and a PostgreSQL that `Database.open` reads."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal

import pytest
from servers import execute
from sqlalchemy.engine import make_url

from querent.data.databases import shared_server
from querent.data.databases.database import Database
from querent.data.errors import DatabaseError
from querent.data.schema.schema import Table

ODD = "50%s of 'it' (数)"
"""A name that drivers, quotes and format strings could trip over."""
MANY = "SELECT a.n FROM (SELECT 1 AS n UNION ALL SELECT 2) AS a" + "".join(
    f" CROSS JOIN (SELECT 1 AS n UNION ALL SELECT 2) AS x{i}" for i in range(22)
)
"""Eight million rows."""


def quoted(name: str, dialect: str) -> str:
    return f"`{name}`" if dialect == "mysql" else f'"{name}"'


@pytest.fixture(scope="module")
def url(scratch: str, dialect: str) -> str:
    odd, order = quoted(ODD, dialect), quoted("order", dialect)
    execute(
        scratch,
        f"CREATE TABLE {order} ({odd} VARCHAR(20), amount DECIMAL(8, 3), day DATE, moment TIMESTAMP(0) NULL, "
        "share DOUBLE PRECISION, flag BOOLEAN, notes JSON, size BIGINT)",
        f"INSERT INTO {order} VALUES ('12%s', 1.250, '2024-03-31', '2024-03-31 08:00:00', 0.5, TRUE, '[1, \"二\"]', 7)",
        f"INSERT INTO {order} "
        "VALUES ('温度', -0.001, '2024-02-29', '2024-02-29 23:59:59', 1e300, FALSE, '[]', 8589934592)",
        f"INSERT INTO {order} ({odd}) VALUES (NULL)",
    )
    return scratch


@pytest.fixture(scope="module")
def database(url: str) -> Iterator[Database]:
    with Database.open(url, timeout=2, max_rows=100) as opened:
        yield opened


def test_values_are_python_values(database: Database, dialect: str) -> None:
    got = database.query(f"SELECT * FROM {quoted('order', dialect)} ORDER BY amount IS NULL, amount DESC")
    assert got.columns == (ODD, "amount", "day", "moment", "share", "flag", "notes", "size")
    first = ("12%s", Decimal("1.250"), dt.date(2024, 3, 31), dt.datetime(2024, 3, 31, 8), 0.5, True, '[1, "二"]', 7)
    second = ("温度", Decimal("-0.001"), dt.date(2024, 2, 29), dt.datetime(2024, 2, 29, 23, 59, 59), 1e300, False)
    assert got.rows == [first, (*second, "[]", 8589934592), (None,) * 8]
    assert not got.truncated


def test_percent_signs_are_no_placeholders(database: Database, dialect: str) -> None:
    sql = f"SELECT {quoted(ODD, dialect)} FROM {quoted('order', dialect)} WHERE {quoted(ODD, dialect)} LIKE '%s'"
    got = database.query(sql)
    assert (got.columns, got.rows) == ((ODD,), [("12%s",)])


def test_distinct_values_under_odd_names(database: Database) -> None:
    assert sorted(database.distinct(Table("order", ()), ODD)) == ["12%s", "温度"]
    assert len(database.distinct(Table("order", ()), ODD, limit=1)) == 1
    with pytest.raises(DatabaseError, match="nope"):
        database.distinct(Table("order", ()), "nope")


@pytest.mark.parametrize("limit", ["", " LIMIT 200000"])
def test_rows_are_capped_before_they_fill_the_memory(database: Database, limit: str) -> None:
    got = database.query(MANY + limit)
    assert (len(got.rows), got.truncated) == (100, True)
    assert database.query("SELECT 1").rows == [(1,)]


@pytest.mark.parametrize(("rows", "truncated"), [(100, False), (101, True)])
def test_truncation_is_told_exactly(database: Database, rows: int, truncated: bool) -> None:
    got = database.query(f"{MANY} LIMIT {rows}")
    assert (len(got.rows), got.truncated) == (100, truncated)


def test_a_query_without_end_is_stopped(url: str, dialect: str) -> None:
    endless = MANY.replace("SELECT a.n", "SELECT COUNT(DISTINCT a.n + x1.n)", 1)
    with Database.open(url, timeout=0.3) as database:
        with pytest.raises(DatabaseError, match=r"the query took longer than 0\.3 s"):
            database.query(endless)
        with pytest.raises(DatabaseError, match=r"the query took longer than 0\.3 s"):
            database.fetch("SELECT SLEEP(20)" if dialect == "mysql" else "SELECT pg_sleep(20)")
        assert database.query("SELECT 1").rows == [(1,)]


def test_a_wrong_query_is_explained_in_a_line(database: Database) -> None:
    with pytest.raises(DatabaseError, match="nowhere") as caught:
        database.query("SELECT *\nFROM nowhere")
    assert "\n" not in str(caught.value)
    assert "SELECT" not in str(caught.value)
    assert database.query("SELECT 1").rows == [(1,)]


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
    wrong = make_url(url).set(**change).set(password="swordfish")  # pyright: ignore[reportArgumentType]
    if "username" not in change:
        wrong = wrong.set(password=make_url(url).password)
    with pytest.raises(DatabaseError, match=message) as caught:
        Database.open(wrong.render_as_string(hide_password=False))
    assert str(wrong.password) not in str(caught.value)
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
