"""Set operators of MySQL and MariaDB, which rank INTERSECT above the others, and the others as one."""

from __future__ import annotations

import pytest
from rule_cases import MARK, judge, stop

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


@pytest.mark.parametrize("sql", FAILING)
def test_intersect_behind_another_is_stopped(sql: str) -> None:
    plain = sql.replace(MARK, "")
    stopped = stop(judge((plain,), "mysql"), plain)
    assert stopped is not None
    assert stopped[0] == sql.index(MARK), stopped
    assert "behind another set operator" in stopped[1]
