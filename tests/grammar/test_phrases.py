"""Phrases fit together and nothing fails while it runs: at which level sql/phrases.sql is refused."""

from __future__ import annotations

import pytest
from rule_cases import MARK, stop
from sql_cases import Case, cases

STOPPED = [case for case in cases("phrases") if MARK in case.sql]
SHAPES = [case for case in STOPPED if case.told["about"] == "shapes"]
RUNS = [case for case in STOPPED if case.told["about"] == "runs"]


@pytest.mark.parametrize("case", [c for c in SHAPES if c.dialect != "postgres" and "»UNION" not in c.sql], ids=str)
def test_shapes_and_types_are_refused_below_runs_and_not_below_types(case: Case) -> None:
    found = stop(case.judge("scope"), case.sql.replace(MARK, ""))
    assert found is None or found[0] > case.sql.index(MARK) or "in FROM" in found[1], found


@pytest.mark.parametrize("case", RUNS, ids=str)
def test_what_may_fail_has_the_right_types(case: Case) -> None:
    assert stop(case.judge("types"), case.sql.replace(MARK, "")) is None


@pytest.mark.xfail(
    strict=True, reason="where a phrase can end in several ways, the reason of one that nobody wrote is told"
)
@pytest.mark.parametrize("case", [case for case in STOPPED if "should" in case.told], ids=str)
def test_the_reason_is_told(case: Case) -> None:
    found = stop(case.judge(), case.sql.replace(MARK, ""))
    assert found is not None
    assert case.told["should"] in found[1]
