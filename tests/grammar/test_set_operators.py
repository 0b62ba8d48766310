"""Set operators of MySQL and MariaDB, which rank INTERSECT above the others, and the others as one."""

from __future__ import annotations

import pytest
from rule_cases import LAND, judge, reason, stop, typed

from querent.data.errors import QueryError
from querent.grammar import Grammar

ABLE = {
    "mysql": [
        "SELECT name FROM city INTERSECT SELECT name FROM state UNION SELECT source FROM river",
        "SELECT name FROM city INTERSECT SELECT name FROM state INTERSECT SELECT source FROM river",
        "SELECT name FROM city WHERE EXISTS (SELECT id FROM state INTERSECT SELECT state_id FROM river "
        "WHERE river.length > city.people)",
    ],
    "sqlite": ["SELECT name FROM city UNION SELECT name FROM state INTERSECT SELECT source FROM river"],
    "postgres": ["SELECT name FROM city EXCEPT SELECT name FROM state INTERSECT SELECT source FROM river"],
}
OPERANDS = [
    "SELECT id FROM city WHERE name IN ((SELECT name FROM state) INTERSECT (SELECT source FROM river))",
    "SELECT id FROM city WHERE name NOT IN ((SELECT name FROM state) UNION SELECT source FROM river)",
    "SELECT id FROM city WHERE id = ((SELECT id FROM state) UNION (SELECT state_id FROM river) LIMIT 1)",
]
"""The first bracket might as well begin a value of one row, for which the operand has too many."""

FAILING = [
    # Unknown column 'city.people' in 'WHERE'
    "SELECT name FROM city WHERE EXISTS (SELECT id FROM state UNION SELECT id FROM state »INTERSECT "
    "SELECT state_id FROM river WHERE river.length > city.people)",
    # Duplicate column name 'id'
    "SELECT id, id FROM city EXCEPT SELECT id, id FROM state »INTERSECT SELECT id, id FROM city",
    "SELECT id FROM city INTERSECT SELECT id FROM state UNION SELECT id FROM city »INTERSECT SELECT id FROM city",
]


@pytest.mark.parametrize(("dialect", "sql"), [(dialect, sql) for dialect, several in ABLE.items() for sql in several])
def test_what_each_engine_runs_is_admitted(dialect: str, sql: str) -> None:
    assert stop(judge((sql,), dialect), sql) is None


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        *((dialect, sql) for dialect in ("mysql", "postgres") for sql in OPERANDS),
        (
            "postgres",
            "SELECT id FROM city WHERE name IN (((SELECT name FROM state) UNION (SELECT 'a')) EXCEPT SELECT 'x')",
        ),
    ],
)
def test_an_operand_in_brackets_may_have_several_rows(dialect: str, sql: str) -> None:
    assert stop(judge((sql,), dialect), sql) is None


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
@pytest.mark.parametrize("tail", ["»)", "», 'x')"])
def test_a_value_in_brackets_may_not(dialect: str, tail: str) -> None:
    sql = "SELECT id FROM city WHERE name IN ((SELECT name FROM state)" + tail
    assert "several rows" in str(reason(judge((sql, OPERANDS[0]), dialect), sql))


@pytest.mark.parametrize("sql", FAILING)
def test_intersect_behind_another_is_stopped(sql: str) -> None:
    assert "behind another set operator" in str(reason(judge((sql,), "mysql"), sql))


def test_intersect_all_is_not_written() -> None:
    """``SELECT 1 INTERSECT ALL SELECT 2 EXCEPT ALL SELECT 1`` never ends on MariaDB 10.11."""
    grammar = Grammar.for_schema(LAND, dialect="mysql")
    assert grammar.tokenize("SELECT id FROM city EXCEPT ALL SELECT id FROM state")
    with pytest.raises(QueryError, match="ALL"):
        grammar.tokenize("SELECT id FROM city INTERSECT ALL SELECT id FROM state")


@pytest.mark.parametrize(
    "sql",
    [
        # Can't group on 'b'
        "SELECT 1 UNION SELECT SUM(part) AS b FROM t NATURAL JOIN s GROUP BY »b",
        # Column 'b' in GROUP BY is ambiguous
        "SELECT 1, 2 UNION SELECT t.b, s.b FROM t NATURAL JOIN s GROUP BY »b",
        # 't.b' isn't in GROUP BY
        "SELECT 1, 2 UNION SELECT 1 AS b, t.b AS c FROM t NATURAL JOIN s GROUP BY »b",
        # Column 'b' in HAVING is ambiguous
        "SELECT 1 UNION SELECT x AS b FROM s GROUP BY »b, x HAVING b > 1",
    ],
)
def test_mysql_takes_a_key_for_an_output_of_its_name_behind_a_set_operator_too(sql: str) -> None:
    schema = typed(t="a INTEGER, b INTEGER, name VARCHAR(20)", s="x INTEGER, b INTEGER, part INTEGER")
    stopped = reason(judge((sql,), "mysql", schema=schema), sql)
    assert stopped == "'b' is not allowed here: b is an output column too"
    first = "SELECT COUNT(*) AS b FROM t UNION SELECT b FROM s GROUP BY b"
    assert stop(judge((first,), "mysql", schema=schema), first) is None
