"""Columns and the texts of expressions: what SQLite and MySQL take for one another.

They call an output of a derived table without a name by its text, as a column may be called; SQLite takes TRUE for a
column of that name.
"""

from __future__ import annotations

import sqlite3

import pytest
from rule_cases import judge, reason, typed

from querent.grammar.scope.implicit_names import is_text

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
    "SELECT COUNT(*) FROM (SELECT author, 'x' AS n FROM sale) T",
    # Column 'author' in SELECT is ambiguous, or would be if the text said so
    "SELECT author FROM (SELECT 'author'») T JOIN sale",
    "SELECT author FROM (SELECT ('author')») T JOIN sale",
    # Duplicate column name, or could be
    "SELECT COUNT(*) FROM (SELECT 1, 2 AS »`a+b` FROM sale) T",
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


NAMED = typed(sale="author TEXT, true INTEGER", shop="true TEXT, name TEXT", item="no INTEGER")
CONSTANTS = [
    'SELECT "true" FROM sale WHERE "true" + 1 = 2',
    'SELECT "true" FROM sale UNION SELECT 1 ORDER BY "true"',
    'SELECT DISTINCT "true" FROM sale GROUP BY "true"',
    "SELECT 1 FROM (SELECT * FROM shop) AS T WHERE name = FALSE",
    # ambiguous column name
    "SELECT 1 FROM sale JOIN shop ON »TRUE",
    # no such column, for which SQLite takes a text then
    'SELECT 1 FROM (SELECT * FROM shop) AS T WHERE »"true" = 1',
    'SELECT "true" FROM (SELECT "true" »FROM shop) AS T',
    'SELECT 1 FROM (SELECT name AS »"False" FROM shop) AS T',
]


@pytest.mark.parametrize("sql", CONSTANTS)
@pytest.mark.parametrize("level", ["scope", "runs"])
def test_a_constant_is_not_taken_for_a_column(sql: str, level: str) -> None:
    assert ("»" in sql) == (reason(judge((*CONSTANTS, "SELECT TRUE"), "sqlite", level, schema=NAMED), sql) is not None)


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
