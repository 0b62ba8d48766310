"""Outputs of derived tables without a name: SQLite and MySQL call them by their text, as a column may be called."""

from __future__ import annotations

import pytest
from rule_cases import judge, reason, typed

from querent.grammar.scope.texts import is_text

ODD = typed(sale="author VARCHAR(9), amount DOUBLE, null INTEGER, true INTEGER", shop="null INTEGER, amount DOUBLE")


@pytest.mark.parametrize("name", ["null", "TRUE", "current_date", "1", "-1", "count(*)", "'x'", "a + b", "a is b"])
def test_an_expression_may_be_written_so(name: str) -> None:
    assert is_text(name)


@pytest.mark.parametrize("name", ["author", "nullable", "x.y", "my column", "année", "terms_and_conditions", "水"])
def test_an_identifier_is_no_expression(name: str) -> None:
    assert not is_text(name)


WORDS = ("SELECT NULL AS n FROM sale JOIN shop USING (amount)",)
BOTH = [
    "SELECT author FROM (SELECT NULL) T JOIN sale",
    "SELECT author FROM (SELECT COUNT(*) FROM shop) T JOIN sale",
    "SELECT author FROM (SELECT author, COUNT(*) FROM sale GROUP BY author) T",
    "SELECT 1 FROM (SELECT NULL, author FROM sale) T",
    "SELECT `null` FROM (SELECT NULL AS n) T JOIN sale",
    # ambiguous column name
    "SELECT `null` FROM (SELECT NULL») T JOIN sale",
    "SELECT `true` FROM sale JOIN (SELECT NULL »UNION SELECT 1) T",
    "SELECT 1 FROM (SELECT NULL) T JOIN sale WHERE »`null` = 1",
    "SELECT 1 FROM (SELECT NULL) T JOIN sale GROUP BY »`null`",
]
MYSQL = [
    "SELECT author FROM (SELECT 'author' AS n) T JOIN sale",
    "SELECT author FROM (SELECT UPPER('author') FROM shop) T JOIN sale",
    "SELECT 1 FROM (SELECT NULL) T JOIN sale JOIN shop USING (amount)",
    # Column 'author' in SELECT is ambiguous, or would be if the text said so
    "SELECT author FROM (SELECT 'author'») T JOIN sale",
    "SELECT author FROM (SELECT ('author')») T JOIN sale",
    # Duplicate column name
    "SELECT COUNT(*) FROM (SELECT author, 'x' »FROM sale) T",
    "SELECT 1 FROM (SELECT `null`, NULL »FROM sale) T",
    "SELECT 1 FROM (SELECT NULL, »`null` FROM sale) T",
    # Column 'null' in FROM is ambiguous
    "SELECT 1 FROM (SELECT NULL) T JOIN sale »NATURAL JOIN shop",
    "SELECT 1 FROM (SELECT NULL) T JOIN sale JOIN shop USING (»`null`)",
]


@pytest.mark.parametrize(
    ("dialect", "sql"), [("mysql", sql) for sql in BOTH + MYSQL] + [("sqlite", sql.replace("`", '"')) for sql in BOTH]
)
def test_nothing_is_taken_for_an_output_without_a_name(dialect: str, sql: str) -> None:
    assert ("»" in sql) == (reason(judge((sql, *WORDS), dialect, schema=ODD), sql) is not None)
