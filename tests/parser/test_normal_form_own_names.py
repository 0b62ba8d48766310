"""What derived tables show, by the names that people know."""

from __future__ import annotations

import pytest
from games import SCHEMA, filled

from querent.data.sql.query import Query
from querent.grammar import Grammar
from querent.parser.decoding.rewritten import to_plain_sql
from querent.parser.normal_form import NormalForm

COUNTED = "(SELECT Game.Hall AS c1, COUNT(*) AS c2 FROM Game GROUP BY Game.Hall) AS t1"
QUERIES = {
    f"SELECT t1.c1, t1.c2 FROM {COUNTED} WHERE t1.c1 > 2": "SELECT t1.Hall, t1.c2 FROM "
    "(SELECT Game.Hall, COUNT(*) AS c2 FROM Game GROUP BY Game.Hall) AS t1 WHERE t1.Hall > 2",
    # two are called alike
    "SELECT t1.c1, t1.c2 FROM (SELECT Player.Id AS c1, Lone.Id AS c2 FROM Player, Lone) AS t1": None,
    # two derived tables have one name
    f"SELECT t1.c1 FROM {COUNTED} WHERE t1.c2 > (SELECT AVG(t1.c2) FROM {COUNTED})": None,
    "SELECT Game.Hall FROM Game": None,
    "SELECT COUNT(*) FROM (SELECT DISTINCT Game.Hall FROM Game)": None,
    "SELECT t1.c1 FROM (SELECT Game.Hall + 1 AS c1 FROM Game) AS t1": None,
}


@pytest.mark.parametrize("sql", QUERIES)
def test_own_names(sql: str) -> None:
    found = to_plain_sql(Query(sql, "sqlite"), SCHEMA).sql
    assert found == (QUERIES[sql] or sql)
    database = filled(SCHEMA)
    assert database.execute(found).fetchall() == database.execute(sql).fetchall()


def test_the_normal_form_takes_them_away_again() -> None:
    grammar = Grammar.for_schema(SCHEMA, dialect="sqlite")
    (sql, found), *_ = QUERIES.items()
    assert found is not None
    assert NormalForm(grammar).of(found) == NormalForm(grammar).of(sql) == sql
