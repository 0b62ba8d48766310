"""The parts of a test suite: neighbours, mutants, proofs, the engine."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlglot

from querent.data.schema.schema import Column, Function
from querent.evaluation.suite.engine import Engine, in_sqlite
from querent.evaluation.suite.equivalence import Prover
from querent.evaluation.suite.mutate import KINDS, mutants
from querent.evaluation.suite.names import Names
from querent.evaluation.suite.neighbours import beside, between
from querent.evaluation.suite.shape import Field, Reference, Relation, Shape

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
        "r": Relation(
            "r",
            {
                "tag": Field("tag", "integer", "INTEGER", nullable=False),
                "hour": Field("hour", "time", "TEXT", nullable=False),
                "value": Field("value", "real", "REAL"),
            },
            (("tag", "hour"),),
            (Reference(("tag",), "t", ("id",)),),
        ),
    }
)
NAMES = Names(SHAPE)


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


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("SELECT DISTINCT id, a FROM t", "SELECT id, a FROM t"),
        ("SELECT COUNT(id) FROM t", "SELECT COUNT(*) FROM t"),
        ("SELECT COUNT(DISTINCT id) FROM t", "SELECT COUNT(id) FROM t"),
        ("SELECT COUNT(a) FROM t WHERE a > 3", "SELECT COUNT(*) FROM t WHERE a > 3"),
        ("SELECT MAX(DISTINCT a) FROM t", "SELECT MAX(a) FROM t"),
        ("SELECT a FROM t WHERE id IN (SELECT DISTINCT t FROM u)", "SELECT a FROM t WHERE id IN (SELECT t FROM u)"),
        ("SELECT MAX(a) FROM t LIMIT 2", "SELECT MAX(a) FROM t"),
        ("SELECT SUM(a) FROM t WHERE id = 4", "SELECT AVG(a) FROM t WHERE id = 4"),
        ("SELECT id FROM t WHERE a >= (SELECT MAX(a) FROM t)", "SELECT id FROM t WHERE a = (SELECT MAX(a) FROM t)"),
        (
            "SELECT a FROM t LEFT JOIN u ON t.id = u.t WHERE u.c = 'x'",
            "SELECT a FROM t JOIN u ON t.id = u.t WHERE u.c = 'x'",
        ),
        ("SELECT hour FROM r LEFT JOIN t ON t.id = r.tag", "SELECT hour FROM r JOIN t ON t.id = r.tag"),
        (
            "SELECT a FROM t LEFT JOIN r ON t.id = r.tag WHERE NOT r.value BETWEEN t.a AND t.b",
            "SELECT a FROM t JOIN r ON t.id = r.tag WHERE NOT r.value BETWEEN t.a AND t.b",
        ),
        (
            "SELECT DISTINCT x.tag FROM r AS x JOIN r AS y ON y.tag = x.tag AND y.hour = DATETIME(x.hour, '-1 hours')"
            " WHERE x.hour = (SELECT MAX(hour) FROM r)",
            "SELECT x.tag FROM r AS x JOIN r AS y ON y.tag = x.tag AND y.hour = DATETIME(x.hour, '-1 hours')"
            " WHERE x.hour = (SELECT MAX(hour) FROM r)",
        ),
        ("SELECT COUNT(DISTINCT hour) FROM r WHERE tag = 3", "SELECT COUNT(hour) FROM r WHERE tag = 3"),
    ],
)
def test_equivalent_queries_have_one_normal_form(one, two):
    first, second = (sqlglot.parse_one(sql, dialect="sqlite") for sql in (one, two))
    assert Prover(NAMES).of(first)(second) is not None


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("SELECT DISTINCT a FROM t", "SELECT a FROM t"),
        ("SELECT COUNT(a) FROM t", "SELECT COUNT(*) FROM t"),
        ("SELECT COUNT(DISTINCT a) FROM t WHERE a > 3", "SELECT COUNT(a) FROM t WHERE a > 3"),
        ("SELECT SUM(a) FROM t WHERE b = 4", "SELECT AVG(a) FROM t WHERE b = 4"),
        ("SELECT COUNT(a) FROM t WHERE id = 4", "SELECT COUNT(*) FROM t WHERE id = 4"),
        ("SELECT a FROM t ORDER BY a", "SELECT a FROM t"),
        ("SELECT a FROM t LIMIT 2", "SELECT a FROM t LIMIT 3"),
        ("SELECT t.a FROM t LEFT JOIN r ON t.id = r.tag", "SELECT t.a FROM t JOIN r ON t.id = r.tag"),
        ("SELECT hour FROM r LEFT JOIN t ON t.a = r.tag", "SELECT hour FROM r JOIN t ON t.a = r.tag"),
        ("SELECT COUNT(DISTINCT hour) FROM r", "SELECT COUNT(hour) FROM r"),
        (
            "SELECT DISTINCT x.tag FROM r AS x JOIN r AS y ON y.tag = x.tag",
            "SELECT x.tag FROM r AS x JOIN r AS y ON y.tag = x.tag",
        ),
        (
            "SELECT a FROM t LEFT JOIN u ON t.id = u.t WHERE u.c = 'x' OR t.a = 1",
            "SELECT a FROM t JOIN u ON t.id = u.t WHERE u.c = 'x' OR t.a = 1",
        ),
        (
            "SELECT a FROM t LEFT JOIN u ON t.id = u.t WHERE NOT u.c IN (SELECT w FROM t)",
            "SELECT a FROM t JOIN u ON t.id = u.t WHERE NOT u.c IN (SELECT w FROM t)",
        ),
        ("SELECT (SELECT a FROM t ORDER BY b)", "SELECT (SELECT a FROM t)"),
        ("SELECT SUM(DISTINCT a) FROM t", "SELECT SUM(a) FROM t"),
        (
            "SELECT id FROM t WHERE a >= (SELECT MAX(a) FROM t WHERE b = 1)",
            "SELECT id FROM t WHERE a = (SELECT MAX(a) FROM t WHERE b = 1)",
        ),
        ("SELECT a FROM t LEFT JOIN u ON t.id = u.t", "SELECT a FROM t JOIN u ON t.id = u.t"),
        ("SELECT COUNT(u.t) FROM t LEFT JOIN u ON t.id = u.t", "SELECT COUNT(*) FROM t LEFT JOIN u ON t.id = u.t"),
        ("SELECT DISTINCT id FROM t JOIN u ON t.id = u.t", "SELECT id FROM t JOIN u ON t.id = u.t"),
        ("SELECT a FROM t UNION ALL SELECT DISTINCT b FROM t", "SELECT a FROM t UNION ALL SELECT b FROM t"),
        ("SELECT a FROM t WHERE a IN (SELECT a FROM t LIMIT 1)", "SELECT a FROM t WHERE a IN (SELECT a FROM t)"),
    ],
)
def test_what_may_differ_is_not_proven_equal(one, two):
    first, second = (sqlglot.parse_one(sql, dialect="sqlite") for sql in (one, two))
    assert Prover(NAMES).of(first)(second) is None


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


def test_brackets_around_set_operations_are_taken_off():
    sql = in_sqlite("(SELECT a FROM t WHERE b = 1) EXCEPT (SELECT a FROM t WHERE b = 2)", "mysql")
    assert Engine(SHAPE).problem(sql) is None


def test_an_alias_is_traced_to_its_column():
    tree = sqlglot.parse_one("SELECT d.x FROM (SELECT a AS x FROM t) AS d", dialect="sqlite")
    assert NAMES.base(next(tree.find_all(sqlglot.exp.Column))) == ("t", "a")
