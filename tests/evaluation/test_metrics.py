"""Metrics of predicted queries."""

from decimal import Decimal

import pytest

from querent.data.databases.rows import Rows
from querent.evaluation.metrics import exact_match, execution_match, is_ordered, is_valid, jaccard, rows_match


def test_exact_match_compares_numbers_by_value() -> None:
    assert exact_match(["SELECT", "a", "WHERE", "b", ">", "0.30"], ["SELECT", "a", "WHERE", "b", ">", "0.3"])
    assert not exact_match(["SELECT", "a", "WHERE", "b", ">", "3"], ["SELECT", "a", "WHERE", "b", ">", "30"])
    assert not exact_match(["'007'"], ["'7'"])  # strings are compared as they stand
    assert not exact_match(["SELECT"], ["SELECT", "a"])


def test_jaccard_is_of_sets() -> None:
    assert jaccard(["a", "b", "b", "c"], ["b", "c", "d"]) == 0.5
    assert jaccard([], []) == 1.0
    assert jaccard(["a"], []) == 0.0


@pytest.mark.parametrize(
    ("one", "other", "ordered", "same"),
    [
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], False, True),
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], True, False),
        ([(1,), (1,)], [(1,)], False, False),
        ([(1,)], [(1.0,)], False, True),
        ([(Decimal("2.50"),)], [(2.5,)], False, True),
        ([(0.1 + 0.2,)], [(0.3,)], False, True),
        ([(0.3001,)], [(0.3,)], False, False),
        ([(1234567,)], [(1234568,)], False, False),
        ([(None,)], [(None,)], False, True),
        ([(None,)], [("",)], False, False),
        ([(1, 2)], [(2, 1)], False, False),
        ([], [], False, True),
    ],
)
def test_execution_match(
    one: list[tuple[object, ...]], other: list[tuple[object, ...]], ordered: bool, same: bool
) -> None:
    assert execution_match(one, other, ordered) is same


def test_rows_match_in_order_only_where_the_gold_query_sorts() -> None:
    found, gold = Rows(("a", "b"), [(1, "x"), (2, "y")]), Rows(("b", "a"), [("y", 2), ("x", 1)])
    assert rows_match(found, gold, "SELECT b, a FROM t")
    assert not rows_match(found, gold, "SELECT b, a FROM t ORDER BY b DESC")
    assert not rows_match(Rows(("a",), [(1,)]), gold, "SELECT b, a FROM t")


@pytest.mark.parametrize(
    ("sql", "dialect", "valid", "ordered"),
    [
        ("SELECT a FROM t ORDER BY b LIMIT 3", "sqlite", True, True),
        ("(SELECT a FROM t ORDER BY a)", "mysql", True, True),
        ("(SELECT a FROM t) UNION (SELECT a FROM u) ORDER BY a", "mysql", True, True),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a) AS x", "mysql", True, False),  # not the whole query
        *((broken, "sqlite", False, False) for broken in (
            "", "SELECT a FROM t WHERE", "SELECT a FROM t; SELECT b FROM t", "DELETE FROM t", "SELECT (a FROM t",
        )),
    ],
)  # fmt: skip
def test_validity_and_order_are_of_one_whole_query(sql: str, dialect: str, valid: bool, ordered: bool) -> None:
    assert (is_valid(sql, dialect), is_ordered(sql, dialect)) == (valid, ordered)
