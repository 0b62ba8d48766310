"""What the constraint says of the queries in ``sql/*.sql``, see `sql_cases`."""

from __future__ import annotations

import pytest
from sql_cases import HOME, Case, cases, hold


@pytest.mark.parametrize("case", [one for file in sorted(HOME.glob("*.sql")) for one in cases(file.stem)], ids=str)
def test_a_query_is_admitted_or_stopped_where_it_is_marked(case: Case) -> None:
    hold(case)
