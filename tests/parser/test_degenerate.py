"""Queries that nobody means: they stand in sql/degenerate.sql."""

from __future__ import annotations

import pytest
from sql_pairs import pairs

from querent.data.databases.schema_readers import from_ddl
from querent.data.sql.query import Query
from querent.parser.decoding.rewritten import is_degenerate
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


MEANT, OTHERS = pairs("degenerate", "="), pairs("degenerate", "!")


@pytest.mark.parametrize("sql", [*MEANT, *OTHERS])
def test_what_nobody_means(sql: str) -> None:
    assert is_degenerate(Query(sql, "sqlite")) == (OTHERS.get(sql) == "degenerate")
    assert is_degenerate(Query(sql, "sqlite"), KeyedColumns(SCHEMA)) == (sql in OTHERS)


def test_a_key_counts_whose_table_a_query_does_not_read() -> None:
    """nomination.festival_id leads to festival, though of a large database only nomination and museum are read."""
    few = SCHEMA.only(["nomination", "museum"])
    sql = next(iter(sql for sql, why in OTHERS.items() if why == "other keys"))
    assert not is_degenerate(Query(sql, "sqlite"), KeyedColumns(few))


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ('SELECT "My A"."X" FROM "My A" WHERE "My A"."X" = E\'c\'', "postgres"),
        ('SELECT "My A"."X" FROM "My A" WHERE "My A"."X" = DATE \'2024-01-01\'', "postgres"),
        ("SELECT `My A`.`X` FROM `My A` WHERE `My A`.`X` = 'c:\\\\'", "mysql"),
        ("SELECT a.x FROM a WHERE a.x = 'c:\\'", "sqlite"),
    ],
)
def test_as_servers_write_it(sql: str, dialect: str) -> None:
    assert is_degenerate(Query(sql, dialect))
    assert not is_degenerate(Query(sql.replace("=", "<>"), dialect))
