"""The sizes of types that a cast may name: what any value that may come fits into, whatever the constants are."""

from __future__ import annotations

import pytest
from rule_cases import judge, reason, stop

ABLE = {
    "postgres": [
        "SELECT 9 :: NUMERIC(3)",
        "SELECT CAST(9 AS NUMERIC(3, 0)) + 1",
        "SELECT 9999.7 :: NUMERIC(20)",
        "SELECT 1234 :: NUMERIC(10, 1)",
        "SELECT NULL :: NUMERIC(2, 0)",
        "SELECT people / 3 :: NUMERIC(10, 1) FROM city",
        "SELECT people :: VARCHAR(500) FROM city",
    ],
    "mysql": [
        "SELECT CAST(area AS DECIMAL(10, 2)) FROM state",
        "SELECT CAST(area AS DECIMAL(38, 9)) FROM state",
        "SELECT CAST(area AS DECIMAL(3, 0)) FROM state",
        "SELECT CAST(name AS CHAR(9999)) FROM state",
    ],
}
FAILING = {
    "postgres": {
        "SELECT CAST(9.7 AS NUMERIC»(1))": "may not fit",
        "SELECT 9 :: NUMERIC(3, »1)": "may not fit",
        "SELECT 9 :: NUMERIC(10, »2)": "may not fit",
        "SELECT 123456789 :: NUMERIC»(10)": "may not fit",
        "SELECT people / 0.01 »:: NUMERIC(10, 1) FROM city": "could fail on some rows",
        "SELECT people :: VARCHAR(»0) FROM city": "another size",
    },
    "mysql": {
        "SELECT CAST(area AS DECIMAL(3, »2)) FROM state": "another size",
        "SELECT CAST(area AS DECIMAL(»39, 2)) FROM state": "another size",
        "SELECT CAST(area AS DECIMAL(12, »10)) FROM state": "another size",
        "SELECT CAST(name AS CHAR(»12345)) FROM state": "another size",
    },
}


@pytest.mark.parametrize(("dialect", "sql"), [(dialect, sql) for dialect, several in ABLE.items() for sql in several])
def test_sizes_that_hold_every_value_are_admitted(dialect: str, sql: str) -> None:
    """With the constants of the query alone, so that its shortest way out is this one."""
    assert stop(judge((sql,), dialect), sql) is None


@pytest.mark.parametrize(
    ("dialect", "sql", "why"), [(dialect, *case) for dialect, cases in FAILING.items() for case in cases.items()]
)
def test_sizes_that_may_be_too_small_are_stopped(dialect: str, sql: str, why: str) -> None:
    """The server says «numeric field overflow», or refuses the size, or a scale rounds to 0; it is stopped at the word
    that begins it.
    """
    assert why in str(reason(judge((sql,), dialect), sql))
