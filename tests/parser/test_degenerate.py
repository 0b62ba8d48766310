"""Queries that nobody means."""

from __future__ import annotations

import pytest

from querent.data.sql.query import Query
from querent.parser.decoding.degenerate import is_degenerate


@pytest.mark.parametrize(
    ("sql", "given"),
    [
        ("SELECT a.x FROM a WHERE a.x = 'v'", True),
        ("SELECT a.x FROM a JOIN b ON a.x = b.y WHERE b.y = 'v' AND b.z > 1", True),
        ("SELECT a.x, b.w FROM a JOIN b ON a.x = b.y JOIN c ON b.w = c.w WHERE a.x = 1 AND c.w = 2", True),
        ("SELECT a.x FROM a WHERE a.x = 'it''s'", True),
        ("SELECT a.x FROM a WHERE a.x = -5", True),
        ("SELECT a.x FROM a WHERE a.x = CAST('2024-01-01' AS DATE)", True),
        ("SELECT a.x FROM a LEFT JOIN b ON a.x = b.y AND b.y = 'v'", False),
        ("SELECT a.x FROM a WHERE a.x = (SELECT MAX(b.y) FROM b)", False),
        ("SELECT a.x FROM a WHERE a.x = a.y", False),
        (f"SELECT a.x FROM a WHERE a.x = {'(' * 99}1{')' * 99}", False),  # deeper than can be read
        ("SELECT a.x, a.z FROM a WHERE a.x = 'v'", False),
        ("SELECT a.x FROM a WHERE a.x = 'v' OR a.x = 'w'", False),
        ("SELECT a.x FROM a WHERE a.x <> 'v'", False),
        ("SELECT a.x FROM a WHERE a.x IN (SELECT b.y FROM b WHERE b.y = 'v')", False),
        ("SELECT COUNT(*) FROM a WHERE a.x = 'v'", False),
        ("SELECT a.x FROM a WHERE a.x = 'v' UNION SELECT a.z FROM a", False),
    ],
)
def test_what_is_given_is_not_asked(sql: str, given: bool) -> None:
    assert is_degenerate(Query(sql, "sqlite")) == given


@pytest.mark.parametrize(
    ("sql", "pointless"),
    [
        ("SELECT SUM(a.x) FROM a ORDER BY a.y DESC LIMIT 3", True),
        ("SELECT COUNT(*), AVG(a.x) + 1 FROM a ORDER BY a.y", True),
        ("SELECT a.z FROM a WHERE a.x > (SELECT AVG(a.x) FROM a ORDER BY a.y LIMIT 3)", True),
        ("SELECT SUM(a.x) FROM (SELECT a.x FROM a ORDER BY a.y LIMIT 3) AS a", False),
        ("SELECT a.z, SUM(a.x) FROM a GROUP BY a.z ORDER BY SUM(a.x) DESC", False),
        ("SELECT SUM(a.x) FROM a GROUP BY a.z ORDER BY a.z", False),
        ("SELECT a.x, SUM(a.y) OVER (ORDER BY a.z) FROM a ORDER BY a.x", False),
        ("SELECT SUM(a.y) OVER (ORDER BY a.z) FROM a ORDER BY a.x", False),
        ("SELECT (SELECT MAX(b.y) FROM b) FROM a ORDER BY a.x", False),
    ],
)
def test_one_row_is_not_sorted(sql: str, pointless: bool) -> None:
    assert is_degenerate(Query(sql, "sqlite")) == pointless


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ('SELECT "My A"."X" FROM "My A" WHERE "My A"."X" = E\'c\'', "postgres"),
        ('SELECT "My A"."X" FROM "My A" WHERE "My A"."X" = DATE \'2024-01-01\'', "postgres"),
        ("SELECT `My A`.`X` FROM `My A` WHERE `My A`.`X` = 'c:\\\\'", "mysql"),
        ("SELECT a.x FROM a WHERE a.x = 'c:\\'", "sqlite"),
    ],
)
def test_as_servers_write_it(sql: str, dialect: str) -> None:
    assert is_degenerate(Query(sql, dialect))
    assert not is_degenerate(Query(sql.replace("=", "<>"), dialect))
