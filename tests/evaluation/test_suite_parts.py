"""The parts of a test suite: neighbours, mutants, the engine."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlglot

from querent.data.schema.schema import Column, Function
from querent.evaluation.suite.engine import Engine, in_sqlite
from querent.evaluation.suite.mutate import KINDS, mutants
from querent.evaluation.suite.names import NameResolver
from querent.evaluation.suite.neighbours import beside, between
from querent.evaluation.suite.shape import Field, Relation, Shape

SHAPE = Shape(
    {
        "t": Relation(
            "t",
            {
                "id": Field("id", "integer", "INTEGER", nullable=False),
                "a": Field("a", "integer", "INTEGER"),
                "b": Field("b", "integer", "INTEGER"),
                "w": Field("w", "text", "TEXT"),
            },
            (("id",),),
        ),
        "u": Relation("u", {"t": Field("t", "integer", "INTEGER", nullable=False), "c": Field("c", "text", "TEXT")}),
    }
)
NAMES = NameResolver(SHAPE)


def changed(sql):
    tree = sqlglot.parse_one(sql, dialect="sqlite")
    return {(m.kind, m.sql) for m in mutants(tree, dialect="sqlite", names=NAMES, known={})}


@pytest.mark.parametrize(
    ("sql", "kind", "mutant"),
    [
        ("SELECT a FROM t WHERE b > 5", "comparison", "SELECT a FROM t WHERE b >= 5"),
        ("SELECT a FROM t WHERE b > 5", "constant", "SELECT a FROM t WHERE b > 6"),
        ("SELECT a FROM t WHERE b > 5", "column", "SELECT b FROM t WHERE b > 5"),
        ("SELECT a FROM t WHERE b > 5", "condition", "SELECT a FROM t"),
        ("SELECT a FROM t WHERE b > 5", "distinct", "SELECT DISTINCT a FROM t WHERE b > 5"),
        ("SELECT MAX(a) FROM t", "aggregate", "SELECT MIN(a) FROM t"),
        ("SELECT a FROM t ORDER BY b LIMIT 2", "order", "SELECT a FROM t ORDER BY b DESC LIMIT 2"),
        ("SELECT a FROM t ORDER BY b LIMIT 2", "limit", "SELECT a FROM t ORDER BY b LIMIT 3"),
        ("SELECT a FROM t WHERE a = 1 AND b = 2", "connective", "SELECT a FROM t WHERE a = 1 OR b = 2"),
        ("SELECT a FROM t JOIN u ON t.id = u.t", "join", "SELECT a FROM t LEFT JOIN u ON t.id = u.t"),
        ("SELECT a FROM t UNION SELECT b FROM t", "set operation", "SELECT a FROM t EXCEPT SELECT b FROM t"),
        ("SELECT a FROM t WHERE b BETWEEN 1 AND 5", "between", "SELECT a FROM t WHERE (b > 1 AND b <= 5)"),
        ("SELECT a + b FROM t", "arithmetic", "SELECT a - b FROM t"),
        ("SELECT a, b FROM t GROUP BY a, b", "grouping", "SELECT a, b FROM t GROUP BY a"),
    ],
)
def test_each_kind_of_mutant_is_made(sql, kind, mutant):
    assert kind in KINDS
    assert (kind, mutant) in changed(sql)
    assert sql not in {text for _, text in changed(sql)}


def test_neighbours_lie_on_both_sides():
    assert beside(5, "integer") == [6, 4]
    assert {"2024-02-29", "2024-03-02"} <= set(beside("2024-03-01", "date"))
    assert {"2024-03-01 23:59:59", "2024-02-29 23:59:59"} <= set(beside("2024-03-01", "time"))
    assert {"abcz", "aabc", "ab", "bc"} <= set(beside("abc", "text"))
    assert between([1, 9]) == [5]


def test_a_result_that_the_order_of_rows_decides_is_not_settled():
    engine = Engine(SHAPE)
    engine.load({"t": [(1, 5, 0, "x"), (2, 5, 0, "y"), (3, 4, 0, "z")]})
    tied, clear = "SELECT w FROM t ORDER BY a DESC LIMIT 1", "SELECT w FROM t ORDER BY a LIMIT 1"
    assert engine.settled([(tied, True), (clear, True)]) == [None, [("z",)]]


def test_functions_of_the_schema_see_the_rows_of_the_moment():
    most = Function("MOST", (Column("w", "TEXT"),), "INTEGER", "(SELECT MAX(a) FROM t WHERE w = :w)")
    engine = Engine(replace(SHAPE, functions=(most,)))
    for a in (5, 7):
        engine.load({"t": [(1, a, 0, "x"), (2, 1, 0, "x"), (3, 9, 0, "y")]})
        assert engine.run("SELECT MOST(w) FROM t ORDER BY id") == [(a,), (a,), (9,)]
    assert engine.run("SELECT MOST(NULL)") == [(None,)]
    assert engine.problem("SELECT MOST()") is not None


def test_a_query_that_never_ends_is_stopped():
    engine = Engine(SHAPE)
    engine.load({"t": [(n, n, n, "x") for n in range(500)]})
    assert engine.run("SELECT COUNT(*) FROM t AS a, t AS b, t AS c, t AS d") is None
    assert engine.run("SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || 'x')") is None


def test_brackets_around_set_operations_are_taken_off():
    sql = in_sqlite("(SELECT a FROM t WHERE b = 1) EXCEPT (SELECT a FROM t WHERE b = 2)", "mysql")
    assert Engine(SHAPE).problem(sql) is None


def test_an_alias_is_traced_to_its_column():
    tree = sqlglot.parse_one("SELECT d.x FROM (SELECT a AS x FROM t) AS d", dialect="sqlite")
    assert NAMES.base(next(tree.find_all(sqlglot.exp.Column))) == ("t", "a")
