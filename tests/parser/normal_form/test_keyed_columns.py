"""Joins over columns of keys that lead elsewhere."""

from __future__ import annotations

import pytest

from querent.data.databases.schema_readers import from_ddl
from querent.data.sql.query import Query
from querent.parser.decoding.degenerate import is_degenerate
from querent.parser.normal_form.keys import KeyedColumns

SCHEMA = from_ddl(
    """
    CREATE TABLE festival (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE artwork (artwork_id INTEGER PRIMARY KEY, name TEXT, made_by INTEGER);
    CREATE TABLE nomination (artwork_id INTEGER REFERENCES artwork (artwork_id),
        festival_id INTEGER REFERENCES festival (id));
    CREATE TABLE opening (festival INTEGER PRIMARY KEY REFERENCES festival (id), day TEXT);
    CREATE TABLE museum (museum_id INTEGER PRIMARY KEY, name TEXT, founder INTEGER);
    CREATE TABLE loan (artwork_id INTEGER, museum_id INTEGER REFERENCES museum (museum_id));
    """,
    "sqlite",
)


@pytest.mark.parametrize(
    ("sql", "astray"),
    [
        ("SELECT m.name FROM nomination AS n JOIN museum AS m ON n.festival_id = m.museum_id", True),
        ("SELECT museum.name FROM museum WHERE museum.museum_id IN (SELECT opening.festival FROM opening)", True),
        ("SELECT museum.name FROM artwork JOIN museum ON museum.museum_id = artwork.artwork_id", True),
        ("SELECT f.name FROM nomination AS n JOIN festival AS f ON n.festival_id = f.id", False),
        ("SELECT o.day FROM nomination AS n JOIN opening AS o ON n.festival_id = o.festival", False),  # of one key
        ("SELECT loan.museum_id FROM loan JOIN artwork ON loan.artwork_id = artwork.artwork_id", False),  # called alike
        ("SELECT a.name FROM artwork AS a JOIN museum AS m ON a.made_by = m.founder", False),  # no keys
        ("SELECT a.name FROM artwork AS a JOIN museum AS m ON a.made_by = m.museum_id", False),  # nobody declared it
        ("SELECT artwork.name FROM artwork WHERE artwork.artwork_id IN (SELECT museum.founder FROM museum)", False),
        ("SELECT museum.name FROM museum WHERE museum.museum_id IN (1, 2)", False),
        ("SELECT not sql ON (", False),
    ],
)
def test_a_key_is_no_other_key(sql: str, astray: bool) -> None:
    assert is_degenerate(Query(sql, "sqlite"), KeyedColumns(SCHEMA)) == astray
    assert not is_degenerate(Query(sql, "sqlite"), KeyedColumns(SCHEMA.only(())))


def test_a_key_counts_whose_table_a_query_is_not_told() -> None:
    """nomination.festival_id leads to festival, though of a large database only nomination and museum are read."""
    few = SCHEMA.only(["nomination", "museum"])
    sql = "SELECT m.name FROM nomination AS n JOIN museum AS m ON n.festival_id = m.museum_id"
    assert is_degenerate(Query(sql, "sqlite"), KeyedColumns(SCHEMA))
    assert not is_degenerate(Query(sql, "sqlite"), KeyedColumns(few))
