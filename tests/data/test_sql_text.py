"""Gold queries as Querent keeps them."""

from __future__ import annotations

import pytest

from querent.data.formats.sql_text import tidy


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ('SELECT a FROM t WHERE b = "x" ;', "SELECT a FROM t WHERE b = 'x'"),
        (
            "select 名称 from 会 where 时间 >= 1928-02-11 limit 3",
            "select 名称 from 会 where 时间 >= '1928-02-11' limit 3",
        ),
        (
            "SELECT a FROM t WHERE b IN (2020-01-31, 2020-12-01)",
            "SELECT a FROM t WHERE b IN ('2020-01-31', '2020-12-01')",
        ),
        ("SELECT a FROM t WHERE b = '1928-02-11'", "SELECT a FROM t WHERE b = '1928-02-11'"),
        ('SELECT a FROM t WHERE b = "on 1928-02-11"', "SELECT a FROM t WHERE b = 'on 1928-02-11'"),
        ("SELECT 2000-15-3, 1928-02-11-1, x1928-02-11 FROM t", "SELECT 2000-15-3, 1928-02-11-1, x1928-02-11 FROM t"),
    ],
)
def test_strings_and_dates(written: str, kept: str) -> None:
    assert tidy(written, dialect="sqlite") == kept
