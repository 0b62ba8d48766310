"""What the constraint says of the queries in ``sql/*.sql``, see `sql_cases`, and at which level it begins to."""

from itertools import groupby

import pytest
from draws import in_turn
from rule_cases import MARK, stop
from sql_cases import HOME, Case, cases, hold

STOPPED = [case for case in cases("phrases") if MARK in case.sql]


def some() -> list[Case]:
    """Return each query in one of its dialects in turn, with QUERENT_ALL_INSTANCES=1 in all of them."""
    lines = groupby((one for file in sorted(HOME.glob("*.sql")) for one in cases(file.stem)), lambda one: one.place)
    return in_turn(list(line) for _, line in lines)


@pytest.mark.parametrize("case", some(), ids=str)
def test_a_query_is_admitted_or_stopped_where_it_is_marked(case: Case) -> None:
    hold(case)


@pytest.mark.parametrize("case", [c for c in STOPPED if c.dialect != "postgres" and "»UNION" not in c.sql], ids=str)
def test_phrases_are_refused_from_their_level_on(case: Case) -> None:
    below = "types" if case.told["about"] == "runs" else "scope"
    found = stop(case.judge(below), case.sql.replace(MARK, ""))
    assert found is None or (below == "scope" and (found[0] > case.sql.index(MARK) or "in FROM" in found[1])), found


@pytest.mark.xfail(strict=True, reason="where a phrase can end in several ways, the reason of another one is told")
@pytest.mark.parametrize("case", [case for case in STOPPED if "should" in case.told], ids=str)
def test_the_reason_is_told(case: Case) -> None:
    found = stop(case.judge(), case.sql.replace(MARK, ""))
    assert found is not None
    assert case.told["should"] in found[1]
