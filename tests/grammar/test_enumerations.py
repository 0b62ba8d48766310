"""MySQL's ENUM and SET: texts to texts, and integers, of which nothing is known, to arithmetic."""

from __future__ import annotations

import pytest
from rule_cases import MARK, judge, stop, typed

ITEM = typed(item="kind SET('x','y'), size ENUM('s','m'), count INTEGER UNSIGNED, name TEXT")
ABLE = [
    "SELECT name FROM item WHERE kind = 'x' AND size IN ('s', 'm')",
    "SELECT CONCAT(kind, '-', UPPER(size)) FROM item WHERE kind LIKE '%x%'",
    "SELECT COALESCE(size, 'none'), COUNT(*), MAX(kind) FROM item GROUP BY size ORDER BY COUNT(*) DESC",
    "SELECT CASE WHEN count > 3 THEN size ELSE name END FROM item",
    "SELECT size FROM item UNION SELECT name FROM item",
    "SELECT LENGTH(size), FIND_IN_SET('x', kind) FROM item",
]
FAILING = [
    "SELECT kind» * count FROM item",
    "SELECT kind MOD 7» * count FROM item",
    "SELECT COALESCE(kind, 1) MOD 7» * count FROM item",
    "SELECT -»kind FROM item",
]


@pytest.mark.parametrize("sql", ABLE)
def test_what_people_write_is_admitted(sql: str) -> None:
    assert stop(judge((sql,), "mysql", schema=ITEM), sql) is None


@pytest.mark.parametrize("sql", FAILING)
def test_arithmetic_that_may_run_over_is_stopped(sql: str) -> None:
    plain = sql.replace(MARK, "")
    stopped = stop(judge((plain,), "mysql", schema=ITEM), plain)
    assert stopped is not None
    assert stopped[0] == sql.replace(f"{MARK} ", " »").index(MARK), stopped
