"""Every name resolves: sql/scope.sql is refused by the scope, and not by the grammar."""

from __future__ import annotations

import pytest
from rule_cases import MARK, judge, stop, typed
from sql_cases import Case, cases


@pytest.mark.parametrize("case", [case for case in cases("scope") if MARK in case.sql], ids=str)
def test_the_grammar_alone_admits_both(case: Case) -> None:
    """So each refusal there is the scope's, not the grammar's."""
    found = stop(case.judge("grammar"), case.sql.replace(MARK, ""))
    if found is not None and "grammar expects" not in case.told["because"]:
        assert found[0] == len(case.sql) - 1 > case.sql.index(MARK), found  # a prefix of a query, and no more


def test_a_derived_table_does_not_show_what_a_bare_word_would_not_hold() -> None:
    schema = typed(a="name TEXT, x INTEGER", b="name BOOLEAN, y INTEGER", c="id INTEGER")
    words = ("SELECT name FROM c JOIN (SELECT b.name FROM b) AS d ON 1 = 1", "SELECT a.name, x FROM a WHERE y > 1")
    constraint = judge(words, "sqlite", schema=schema)
    stopped = stop(constraint, "SELECT name FROM c JOIN (SELECT b.name FROM b) AS d ON 1 = 1")
    assert stopped is not None
    assert stopped[0] == words[0].index("b.name")
