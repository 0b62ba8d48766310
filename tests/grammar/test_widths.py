"""Stars show no more columns than the engine takes."""

from __future__ import annotations

import pytest
from rule_cases import judge, reason, stop, typed

SCHEMA = typed(
    wide=", ".join(f"c{i} INTEGER" for i in range(700)),
    half=", ".join(f"h{i} INTEGER" for i in range(300)),
    small="id INTEGER, name TEXT",
)


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM wide, wide x",
        "SELECT id, * FROM wide, small",
        "SELECT x.* FROM (SELECT * FROM wide, wide y) x, wide",
        "SELECT c1, c2, c3, c4, c5 FROM wide",
        "SELECT name FROM small WHERE EXISTS (SELECT * FROM wide)",
    ],
)
def test_what_fits_is_admitted(dialect: str, sql: str) -> None:
    assert stop(judge((sql,), dialect, schema=SCHEMA), sql) is None


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM wide, wide x», wide y",
        "SELECT *», *, * FROM wide",
        "SELECT * FROM wide, wide x», (SELECT * FROM wide) y",
        "SELECT * FROM wide x, wide y »JOIN wide z ON 1 = 1",
    ],
)
def test_what_is_too_wide_is_stopped(dialect: str, sql: str) -> None:
    assert "columns" in str(reason(judge((sql,), dialect, schema=SCHEMA), sql))


def test_the_terms_of_windows_are_columns_to_postgres() -> None:
    sql = "SELECT RANK() OVER (ORDER BY id + 1), * FROM small, wide, wide x"
    assert stop(judge((sql,), "sqlite", schema=SCHEMA, wide=True), sql) is None
    assert "columns" in str(
        reason(judge((sql,), "postgres", schema=SCHEMA, wide=True), sql.replace(", wide x", "», wide x"))
    )
