"""Columns and the texts of expressions: what SQLite and MySQL take for one another.

sql/unnamed_outputs.sql and sql/constants.sql have the queries.
"""

from __future__ import annotations

import sqlite3

import pytest
from rule_cases import judge, reason, typed

from querent.grammar.scope.names import is_text


@pytest.mark.parametrize("name", ["null", "TRUE", "current_date", "1", "-1", "count(*)", "'x'", "a + b", "a is b"])
def test_an_expression_may_be_written_so(name: str) -> None:
    assert is_text(name)


@pytest.mark.parametrize("name", ["author", "nullable", "x.y", "my column", "année", "terms_and_conditions", "水"])
def test_an_identifier_is_no_expression(name: str) -> None:
    assert not is_text(name)


def test_sqlite_takes_a_constant_for_a_column() -> None:
    made = sqlite3.connect(":memory:")
    made.executescript('CREATE TABLE sale ("true" INTEGER); CREATE TABLE shop ("true" TEXT, name TEXT)')
    with pytest.raises(sqlite3.OperationalError, match="ambiguous"):
        made.execute("SELECT 1 FROM sale JOIN shop ON TRUE")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        made.execute('SELECT T."true" FROM (SELECT * FROM shop) AS T')


def test_a_constant_is_a_word_where_no_column_is_called_so() -> None:
    queries = ("SELECT author FROM sale WHERE TRUE",)
    assert reason(judge(queries, "sqlite", schema=typed(sale="author TEXT")), queries[0]) is None
