"""A query that a server does not answer at present, or no longer, is not replaced by a worse one that it answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy
from servers import execute, fresh_database, reader

import querent as face
from querent.data.databases.database import Database
from querent.data.errors import DatabaseError, TimeLimitError, UnavailableError, UnknownNameError

ORDERS = "how many orders are there?"
TABLES = [
    "CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name VARCHAR(40), city VARCHAR(40))",
    "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, status VARCHAR(40))",
    "INSERT INTO customers VALUES (1, 'Ann', 'Oslo'), (2, 'Bo', 'Lund')",
    "INSERT INTO orders VALUES (1, 1, 'paid'), (2, 1, 'paid'), (3, 2, 'sent')",
]
SLOW = {"mysql": "SELECT SLEEP(3)", "postgres": "SELECT PG_SLEEP(3)"}
LOCK = {"mysql": "LOCK TABLES orders WRITE", "postgres": "LOCK TABLE orders IN ACCESS EXCLUSIVE MODE"}


@pytest.fixture
def shop(scratch: str, dialect: str) -> Iterator[str]:
    """Return the URL of a shop of its own."""
    with fresh_database(scratch) as url:
        references = {"mysql": "REFERENCES customers (customer_id)"}.get(dialect, "REFERENCES customers")
        execute(url, *(one.replace("REFERENCES customers", references) for one in TABLES))
        yield url


@contextmanager
def locked(url: str, dialect: str) -> Iterator[None]:
    engine = sqlalchemy.create_engine(url)
    try:
        with engine.connect() as other:
            other.exec_driver_sql(LOCK[dialect])
            yield
    finally:
        engine.dispose()


@contextmanager
def asked(url: str, **told: Any) -> Iterator[face.Connection]:
    with face.connect(url, language="en", **told) as connection:
        answer = connection.ask(ORDERS)
        assert (answer.status, answer.rows) == ("ok", ((3,),))
        yield connection


def test_a_table_that_another_session_locks_is_told_and_the_query_shown(shop: str, dialect: str) -> None:
    with asked(shop, timeout=2.0) as connection:
        with locked(shop, dialect):
            answer = connection.ask(ORDERS)
            assert (answer.status, answer.rows) == ("error", ())
            assert "orders" in (answer.sql or "")
            assert "another session has locked" in (answer.reason or "")
            assert connection.ask("how many customers are there?").rows == ((2,),)
        assert connection.ask(ORDERS).rows == ((3,),)


def test_what_is_gone_is_told(shop: str) -> None:
    with asked(shop) as connection:
        for change, question, gone in (
            ("ALTER TABLE orders DROP COLUMN status", "the status of each order", "orders.status"),
            ("ALTER TABLE orders RENAME TO purchases", ORDERS, "orders"),
        ):
            execute(shop, change)
            for _ in range(2):
                answer = connection.ask(question)
                assert (answer.status, answer.sql, answer.rows) == ("no_answer", None, ())
                assert (answer.reason or "").endswith(f": {gone}")


def test_a_right_that_was_taken_away_is_told(shop: str, dialect: str) -> None:
    grants = ["SELECT ON customers", "SELECT ON orders"]
    with reader(shop, *grants) as url, asked(url) as connection:
        user = sqlalchemy.make_url(url).username
        execute(shop, f"REVOKE SELECT ON orders FROM {user}")
        for _ in range(2):
            answer = connection.ask(ORDERS)
            assert answer.status in ("error", "no_answer")  # MariaDB tells whom may not read it of no such table
            assert answer.rows == ()
            assert "orders" in (answer.reason or "")


def test_the_queries_of_an_answer_have_one_limit(shop: str, dialect: str) -> None:
    with Database.open(shop, timeout=1.0) as database:
        with database.one_limit():
            assert database.fetch("SELECT 1").rows == [(1,)]
            for said in ("longer than 1 s", "longer than 1 s together"):
                with pytest.raises(TimeLimitError, match=said):
                    database.fetch(SLOW[dialect])
        assert database.fetch("SELECT 1").rows == [(1,)]
        with database.one_limit():
            database._left = 0.15  # as after other queries
            with pytest.raises(TimeLimitError, match="longer than 1 s"):
                database.fetch(SLOW[dialect].replace("3", "0.6"))
        database.fetch(SLOW[dialect].replace("3", "0.6"))  # of the next one the whole time is left


def test_what_an_error_says_of_who_is_to_blame(shop: str, dialect: str) -> None:
    more = {"mysql": "9223372036854775807 + order_id", "postgres": "1 / (order_id - 1)"}
    with reader(shop, "SELECT ON orders") as url, Database.open(url, timeout=1.0) as database:
        for sql, kind in (
            ("SELECT x FROM orders", UnknownNameError),
            ("SELECT 1 FROM gone", UnknownNameError if dialect == "postgres" else UnavailableError),
            ("SELECT 1 FROM customers", UnavailableError),
            (f"SELECT {more[dialect]} FROM orders", DatabaseError),
            ("SELECT FROM WHERE", DatabaseError),
        ):
            with pytest.raises(DatabaseError) as caught:
                database.fetch(sql)
            assert caught.type is kind, sql
