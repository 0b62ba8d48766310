"""Gold queries as Querent keeps them."""

from __future__ import annotations

import pytest

from querent.data.domains.domain import tidy


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ('SELECT a FROM t WHERE b = "x" ;', "SELECT a FROM t WHERE b = 'x'"),
        (
            "select 名称 from 会 where 时间 >= 1928-02-11 limit 3",
            "select 名称 from 会 where 时间 >= '1928-02-11' limit 3",
        ),
        ("SELECT 1 WHERE b IN (2020-01-31, 2020-12-01)", "SELECT 1 WHERE b IN ('2020-01-31', '2020-12-01')"),
        ("SELECT a FROM t WHERE b = '1928-02-11'", None),
        ('SELECT a FROM t WHERE b = "on 1928-02-11"', "SELECT a FROM t WHERE b = 'on 1928-02-11'"),
        ("SELECT 2000-15-3, 1928-02-11-1, x1928-02-11 FROM t", None),
        ('SELECT code AS "x y" FROM tag ; ', 'SELECT code AS "x y" FROM tag'),
        ("SELECT code FROM tag WHERE code = 'C:\\'", None),
    ],
)
def test_strings_and_dates(written: str, kept: str | None) -> None:
    assert tidy(written, dialect="sqlite") == (kept or written)


def test_other_dialects() -> None:
    sql = "SELECT `order` FROM tag WHERE code = \"a\" OR code = 'it\\'s'"
    assert tidy(sql, dialect="mysql") == "SELECT `order` FROM tag WHERE code = 'a' OR code = 'it''s'"
    assert tidy('SELECT "code" FROM "tag"', dialect="postgres") == 'SELECT "code" FROM "tag"'
