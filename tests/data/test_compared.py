"""The values of queries: where they stand, and which columns they are compared with."""

from __future__ import annotations

import pytest

from querent.data.schema.ddl import from_ddl
from querent.data.sql.compared import compared_columns, sql_literals

SCHEMA = from_ddl(
    "CREATE TABLE city (name TEXT, state TEXT, people INTEGER, founded DATE);"
    "CREATE TABLE state (name TEXT, area REAL, nickname TEXT);",
    "sqlite",
    name="geo",
)


def test_columns_of_literals() -> None:
    sql = (
        "SELECT 'a' FROM `order` o WHERE o.`first name` NOT LIKE '%b%' AND SUM(o.x) > 3 AND y IN ('c', 'd') "
        "AND z BETWEEN 4 AND 5 AND DATE_SUB(w, INTERVAL 6 DAY) AND f(7) AND 8 < q HAVING LOWER(n) = 'e' LIMIT 9, 10"
    )
    got = [(x.value, x.column, x.likely) for x in sql_literals(sql, "mysql")]
    assert got == [
        ("a", "", True),
        ("%b%", "first name", True),
        ("3", "x", True),
        ("c", "y", True),
        ("d", "y", True),
        ("4", "z", True),
        ("5", "z", True),
        ("6", "", True),
        ("7", "", False),
        ("8", "q", True),
        ("e", "n", True),
        ("9", "", True),
        ("10", "", True),
    ]


@pytest.mark.parametrize(
    ("sql", "texts"),
    [
        ("SELECT a FROM t WHERE b = 'it''s' AND c > -3.50", ["'it''s'", "3.50"]),
        ("SELECT a FROM t WHERE b LIKE '%{name0}%' AND c > {number0} LIMIT 7", ["'%{name0}%'", "7"]),
        ("SELECT a FROM t WHERE c BETWEEN {number0} AND 9 AND b = '{x0}'", ["9", "'{x0}'"]),
        ("SELECT 'ä', '湖' FROM t WHERE 图 > 10", ["'ä'", "'湖'", "10"]),
        ("SELECT a1 FROM t2 WHERE t2.b3 = 4e2", ["4e2"]),
        ("SELECT a FROM t WHERE (b = 'x' AND", ["'x'"]),  # no query, and yet it has a literal
        ("SELECT 'a", []),
    ],
)
def test_literals_stand_where_they_are_said_to(sql: str, texts: list[str]) -> None:
    for dialect in ("sqlite", "mysql", "postgres"):
        assert [sql[x.start : x.end] for x in sql_literals(sql, dialect)] == texts
        assert [x.value for x in sql_literals(sql, dialect)] == [
            text.removeprefix("'").removesuffix("'").replace("''", "'") for text in texts
        ]


def test_a_type_or_a_keyword_is_no_column() -> None:
    sql = "SELECT a FROM t WHERE CAST(x AS INTEGER) < 8 GROUP BY a HAVING SUM(CASE WHEN y = 'b' THEN 1 END) = 0"
    assert [(x.value, x.column) for x in sql_literals(sql, "sqlite")] == [
        ("8", "x"),
        ("b", "y"),
        ("1", "y"),
        ("0", "y"),
    ]


def compared(query: str, *, dialect: str = "sqlite") -> set[tuple[str, str]]:
    """Return what is compared with which column, as ``value: table.column``."""
    return {(value, f"{table}.{column}") for value, table, column in compared_columns(query, SCHEMA, dialect)}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("SELECT c.people FROM city AS c WHERE c.name = '{city0}'", {("'{city0}'", "city.name")}),
        ("SELECT PEOPLE FROM CITY WHERE NAME = '{city0}'", {("'{city0}'", "city.name")}),  # as the schema spells it
        ("SELECT name FROM city WHERE '{state0}' = state", {("'{state0}'", "city.state")}),
        (
            "SELECT name FROM city WHERE state IN ('{state0}', 'ohio')",
            {("'{state0}'", "city.state"), ("'ohio'", "city.state")},
        ),
        (
            "SELECT name FROM city WHERE people BETWEEN {number0} AND 500",
            {("{number0}", "city.people"), ("500", "city.people")},
        ),
        ("SELECT name FROM city WHERE NOT name LIKE '%{word0}%'", {("'%{word0}%'", "city.name")}),
        ("SELECT state FROM city GROUP BY state HAVING SUM(people) > {number0}", {("{number0}", "city.people")}),
        ("SELECT state FROM city GROUP BY state HAVING COUNT(*) > {number0}", set()),
        ("SELECT name FROM city WHERE state = name ORDER BY people LIMIT 3", set()),
        # a slot of a select within belongs to the columns of that one
        (
            "SELECT area FROM state WHERE name IN (SELECT state FROM city WHERE people > {number0})",
            {("{number0}", "city.people")},
        ),
        (
            "SELECT name FROM city WHERE people > (SELECT AVG(people) FROM city WHERE state = '{state0}')",
            {("'{state0}'", "city.state")},
        ),
        # a bare column that no table of its own select has is one of the select around it
        (
            "SELECT name FROM state WHERE EXISTS (SELECT 1 FROM city WHERE city.state = state.name AND area < 7)",
            {("7", "state.area")},
        ),
        # which of two tables a bare column is of, a schema alone does not tell
        (
            "SELECT area FROM city, state WHERE name = '{name0}'",
            {("'{name0}'", "city.name"), ("'{name0}'", "state.name")},
        ),
        ("SELECT t.n FROM (SELECT name AS n FROM city) AS t WHERE t.n = 'x'", set()),
        ("SELECT name FROM nowhere WHERE name = 'x'", set()),
        ("SELECT name FROM", set()),
        ("no query ' at all", set()),
    ],
)
def test_values_belong_to_the_column_that_they_are_compared_with(query: str, found: set[tuple[str, str]]) -> None:
    assert compared(query) == found


def test_each_dialect_compares_in_its_own_way() -> None:
    assert compared("SELECT name FROM city WHERE name ILIKE '%{word0}%'", dialect="postgres") == {
        ("'%{word0}%'", "city.name")
    }
    assert compared("SELECT `name` FROM `city` WHERE `state` = '{state0}'", dialect="mysql") == {
        ("'{state0}'", "city.state")
    }
