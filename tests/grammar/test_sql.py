"""What the constraint says of the queries in ``sql/*.sql``, see `sql_cases`."""

from __future__ import annotations

from itertools import groupby

import pytest
from draws import in_turn
from sql_cases import HOME, Case, cases, hold


def some() -> list[Case]:
    """Return each query in one of its dialects in turn, with QUERENT_ALL_INSTANCES=1 in all of them."""
    lines = groupby((one for file in sorted(HOME.glob("*.sql")) for one in cases(file.stem)), lambda one: one.place)
    return in_turn(list(line) for _, line in lines)


@pytest.mark.parametrize("case", some(), ids=str)
def test_a_query_is_admitted_or_stopped_where_it_is_marked(case: Case) -> None:
    hold(case)
