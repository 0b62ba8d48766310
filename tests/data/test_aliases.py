"""Aliases written one way."""

from __future__ import annotations

import pytest

from querent.data.errors import QueryError
from querent.data.schema.schema import Column, Schema, Table
from querent.data.sql.sources import with_canonical_aliases

SCHEMA = Schema((Table("lake", (Column("x"), Column("s"))), Table("state", (Column("s"), Column("area")))))
CASES = [
    ("SELECT x FROM lake", "SELECT x FROM lake"),
    ("SELECT l.x FROM lake AS l", "SELECT lake.x FROM lake"),
    (
        "SELECT a.x FROM lake AS a JOIN state AS s ON a.s = s.s WHERE s.area > {number0}",
        "SELECT lake.x FROM lake JOIN state ON lake.s = state.s WHERE state.area > {number0}",
    ),
    (
        "SELECT p.x FROM lake AS p JOIN lake AS q ON q.x = p.s",
        "SELECT lake1.x FROM lake AS lake1 JOIN lake AS lake2 ON lake2.x = lake1.s",
    ),
    (  # the inner b hides the outer one
        "SELECT b.x FROM lake AS b WHERE b.s = (SELECT MAX(b.s) FROM lake AS b) AND b.x = '{name0}'",
        "SELECT lake1.x FROM lake AS lake1 WHERE lake1.s = (SELECT MAX(lake2.s) FROM lake AS lake2) "
        "AND lake1.x = '{name0}'",
    ),
    (  # correlated: the inner query reads the outer source
        "SELECT o.x FROM lake AS o WHERE EXISTS(SELECT 1 FROM lake AS i WHERE i.s = o.s AND i.x <> o.x)",
        "SELECT lake1.x FROM lake AS lake1 WHERE EXISTS(SELECT 1 FROM lake AS lake2 "
        "WHERE lake2.s = lake1.s AND lake2.x <> lake1.x)",
    ),
    (
        "SELECT MAX(d.n) FROM (SELECT l.s, COUNT(*) AS n FROM lake AS l GROUP BY l.s) AS d WHERE n > 1",
        "SELECT MAX(derived1.value1) FROM (SELECT lake.s, COUNT(*) AS value1 FROM lake GROUP BY lake.s) AS derived1 "
        "WHERE value1 > 1",
    ),
    ("SELECT s, COUNT(*) AS n FROM lake GROUP BY s ORDER BY n DESC LIMIT {number0}",
     "SELECT s, COUNT(*) AS value1 FROM lake GROUP BY s ORDER BY value1 DESC LIMIT {number0}"),
    ("SELECT MAX(x) AS s FROM lake", "SELECT MAX(x) AS s FROM lake"),
    (
        "SELECT a.x FROM lake AS a UNION SELECT a.s FROM lake AS a",
        "SELECT lake1.x FROM lake AS lake1 UNION SELECT lake2.s FROM lake AS lake2",
    ),
    ("SELECT lake.x FROM lake CROSS JOIN state", "SELECT lake.x FROM lake CROSS JOIN state"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "wanted"), CASES)
@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
def test_one_way(sql, wanted, dialect):
    found = with_canonical_aliases(sql, dialect=dialect, schema=SCHEMA)
    assert found == wanted
    assert with_canonical_aliases(found, dialect=dialect, schema=SCHEMA) == found


def test_a_broken_query_is_told():
    with pytest.raises(QueryError, match="not sqlite"):
        with_canonical_aliases("SELECT FROM", dialect="sqlite", schema=SCHEMA)
