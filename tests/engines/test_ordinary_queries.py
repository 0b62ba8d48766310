"""Ordinary queries (ordinary_queries.sql): each is sent, and returns what its own text does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import execute

from querent.data.databases.database import Database
from querent.data.errors import DatabaseError
from querent.grammar.lr.tables import load_functions


def ordinary(dialect: str) -> list[str]:
    """Return the queries for both servers, and those for one."""
    text = Path(__file__).with_name("ordinary_queries.sql").read_text(encoding="utf-8")
    sections = {part.partition("\n")[0]: part.splitlines()[1:] for part in text.split("\n\n-- ")}
    return [line for name in ("both", dialect) for line in sections[name]]


@pytest.fixture(scope="module")
def database(scratch: str, dialect: str) -> Iterator[Database]:
    if dialect == "postgres":
        execute(scratch, "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')")
    mood = "mood" if dialect == "postgres" else "ENUM('sad', 'ok', 'happy')"
    execute(
        scratch,
        f"CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(20), mood {mood})",
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, total DECIMAL(8, 2), status TEXT, day DATE)",
        "INSERT INTO customers VALUES (1, 'Ada', 'happy'), (2, 'Ben', 'sad'), (3, ' Zoe', NULL)",
        "INSERT INTO orders VALUES (1, 1, 12.50, 'open', '2024-01-31'), (2, 1, 30, 'paid', '2024-02-29'), "
        "(3, 2, 3, 'open', '2024-03-01'), (4, NULL, NULL, 'lost', NULL)",
    )
    with Database.open(scratch, timeout=5) as opened:
        yield opened


def test_what_is_sent_returns_what_the_text_would(database: Database, dialect: str) -> None:
    queries = ordinary(dialect)
    assert len(queries) > 30
    for sql in queries:
        plain, found = database.fetch(sql), database.query(sql)
        assert (sql, found.rows) == (sql, plain.rows)
        assert len(found.columns) == len(plain.columns)
        assert found.rows, sql


def test_functions_of_the_grammar_may_be_called(database: Database, dialect: str) -> None:
    """What the constraint writes is sent as what somebody else wrote is."""
    syntax = {"CAST", "CONVERT", "EXTRACT", "POSITION", "SUBSTRING", "TRIM", "GROUP_CONCAT"}
    for name, function in load_functions(dialect).items():
        if name in syntax or not function.takes_parentheses:
            continue
        with pytest.raises(DatabaseError) as caught:
            database.query(f"SELECT {name}(no_column, 1, 2)")
        assert "refused" not in str(caught.value), name
