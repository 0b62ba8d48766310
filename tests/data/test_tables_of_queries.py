"""Which stored tables a query reads."""

from __future__ import annotations

import pytest

from querent.data.schema.schema import Schema, Table
from querent.data.sql.sources import tables_of

SCHEMA = Schema(
    (Table("City", ()), Table("river", (), namespace="geo"), Table("geo.lake", (), namespace="geo", qualified=True))
)


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT 1 FROM city", ("City",)),
        ('SELECT 1 FROM "City" AS a JOIN river USING (x) JOIN city ON 1', ("City", "river")),
        ("SELECT 1 FROM (SELECT 2 FROM river) AS city_2 WHERE x IN (SELECT y FROM City)", ("river", "City")),
        ("SELECT 1 FROM geo.river, geo.lake", ("river", "geo.lake")),
        ("SELECT 1 FROM other.river", ()),
        ("SELECT 1 FROM nothing", ()),
        ("no query at all (", ()),
    ],
)
def test_tables_of_a_query(sql: str, found: tuple[str, ...]) -> None:
    assert sorted(tables_of(sql, SCHEMA, "postgres")) == sorted(found)
