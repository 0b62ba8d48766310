"""MariaDB, where GROUP BY groups by a derived table's column that a subquery among the items names.

It says of such a column that it «isn't in GROUP BY», even where it is.
"""

from __future__ import annotations

import pytest
from rule_cases import judge, reason, stop, typed

SCHEMA = typed(t="id INTEGER, x INTEGER", s="id INTEGER, n INTEGER")
ABLE = {
    "mysql": [
        "SELECT EXISTS (SELECT s.id FROM s WHERE d.n) FROM (SELECT s.n FROM s) d",
        "SELECT EXISTS (SELECT s.id FROM s WHERE t.x) FROM t, (SELECT s.n FROM s) d GROUP BY t.x, d.n",
        "SELECT EXISTS (SELECT s.id FROM s WHERE x) FROM t GROUP BY x",
        "SELECT MAX(EXISTS (SELECT s.id FROM s WHERE d.n)) FROM (SELECT s.n FROM s) d GROUP BY d.n",
        "SELECT d.n FROM (SELECT s.n FROM s) d WHERE EXISTS (SELECT s.id FROM s WHERE d.n) GROUP BY d.n",
        "SELECT d.n FROM (SELECT s.n FROM s) d GROUP BY d.n HAVING EXISTS (SELECT t.id FROM t WHERE d.n)",
    ],
    "sqlite": ["SELECT EXISTS (SELECT s.id FROM s WHERE d.n) FROM (SELECT s.n FROM s) d GROUP BY d.n"],
    "postgres": ["SELECT EXISTS (SELECT s.id FROM s WHERE d.n = 1) FROM (SELECT s.n FROM s) d GROUP BY d.n"],
}
FAILING = [
    "SELECT EXISTS (SELECT s.id FROM s WHERE d.n) FROM (SELECT s.n FROM s) d »GROUP BY d.n",
    "SELECT EXISTS (SELECT s.id FROM s WHERE x) FROM (SELECT t.x FROM t) d »GROUP BY x",
    "SELECT MAX(t.x), EXISTS (SELECT s.id FROM s WHERE »d.n) FROM t, (SELECT s.n FROM s) d GROUP BY d.n",
    "SELECT EXISTS (SELECT s.id FROM s WHERE d.n), »MAX(t.x) FROM t, (SELECT s.n FROM s) d GROUP BY d.n",
    "SELECT EXISTS (SELECT s.id FROM s WHERE EXISTS (SELECT t.id FROM t WHERE d.n)) FROM (SELECT s.n FROM s) d "
    "»GROUP BY d.n",
]


@pytest.mark.parametrize(("dialect", "sql"), [(dialect, sql) for dialect, several in ABLE.items() for sql in several])
def test_what_each_engine_runs_is_admitted(dialect: str, sql: str) -> None:
    assert stop(judge((sql,), dialect, schema=SCHEMA), sql) is None


@pytest.mark.parametrize("sql", FAILING)
def test_groups_by_what_a_subquery_names_are_stopped(sql: str) -> None:
    why = str(reason(judge((sql,), "mysql", schema=SCHEMA), sql))
    assert "a subquery names n of a derived table" in why or "a subquery names x" in why


def test_a_derived_table_does_not_show_what_would_be_grouped_later() -> None:
    sql = "SELECT MAX(id), EXISTS (SELECT s.id FROM s WHERE x) FROM (SELECT t.x, t.id FROM t) d GROUP BY x"
    stopped = stop(judge((sql,), "mysql", schema=SCHEMA), sql)
    assert stopped is not None
    assert stopped[0] == sql.index("t.x, t.id")
