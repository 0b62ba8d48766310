"""Rules that random walks hardly miss: of each, one query that it stops and that fails on the engine.

They are rules that can be switched off without an error in 10,000 random walks on an engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from servers import VARIABLES, execute, fresh_database, url_of
from sqlalchemy.exc import DBAPIError

from querent.authoring.checking.findings import objection
from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import Constraint, Grammar, Vocabulary

CITY = Table("city", (Column("id", "INTEGER"), Column("name", "TEXT"), Column("people", "INTEGER")))
LAKE = Table("lake", (Column("id", "INTEGER"),))
TAG = Table("tag", (Column("mark", "UUID"),))
LAND = {
    "sqlite": Schema((CITY, LAKE)),
    "mysql": Schema((CITY, LAKE, TAG)),
    "postgres": Schema((CITY, LAKE)),
}
STARS = "SELECT " + ", ".join("*" * 8)
LARGEST = "SELECT 1 FROM lake GROUP BY id HAVING MAX(city.people) > 1"
FULL = "SELECT 1 FROM city FULL JOIN lake ON lake.id = city.id"
BOTH = "SELECT id FROM city UNION ALL SELECT id FROM lake"
INNER = f"{FULL} JOIN lake AS l ON l.id = city.id".replace("1 FROM", "l.id FROM")
RARE = [
    ("width", "sqlite", f"{STARS}, * FROM ({STARS} FROM ({STARS} FROM city, lake))", "too many columns"),
    ("width", "postgres", f"{STARS} FROM ({STARS} FROM ({STARS} FROM city, lake) AS a) AS b", "at most 1664"),
    ("outer aggregate", "sqlite", f"SELECT id FROM city WHERE EXISTS ({LARGEST})", "misuse of aggregate"),
    ("outer aggregate", "mysql", f"SELECT id FROM city ORDER BY EXISTS ({LARGEST})", "Mixing of GROUP columns"),
    ("outer aggregate", "postgres", f"SELECT id FROM city WHERE EXISTS ({LARGEST})", "not allowed in WHERE"),
    ("operators", "sqlite", "SELECT id FROM city WHERE name LIKE REPLACE(name, 'a', name)", "pattern too complex"),
    (
        "joined unions",
        "sqlite",
        f"{FULL} JOIN ({BOTH}) AS t ON t.id = lake.id JOIN city AS c ON c.id = t.id",
        "to its right",
    ),
    (
        "joined unions",
        "sqlite",
        f"SELECT 1 FROM ({BOTH}) AS u JOIN ({INNER}) AS t ON t.id = u.id JOIN lake",
        "to its right",
    ),
    ("casts", "mysql", "SELECT CAST(mark AS SIGNED) FROM tag", "Illegal parameter data type uuid"),
]


@contextmanager
def database(dialect: str, folder: Path) -> Iterator[str]:
    """Make the tables; a city's name is as long as a name may be, and nothing but the letter a."""
    server = fresh_database(url_of(dialect)) if dialect in VARIABLES else nullcontext(f"sqlite:///{folder / 'land.db'}")
    with server as url:
        for table in LAND[dialect].tables:
            execute(url, f"CREATE TABLE {table.name} ({', '.join(f'{c.name} {c.type}' for c in table.columns)})")
        execute(url, f"INSERT INTO city VALUES (1, '{'a' * 2999}', 5)", "INSERT INTO lake VALUES (1)")
        yield url


def refused(dialect: str, sql: str, *without: str) -> str | None:
    """Return why a constraint on the query's own words stops it; None if it does not."""
    grammar = Grammar.for_schema(LAND[dialect], dialect=dialect)
    vocabulary = Vocabulary.build(grammar, [sql])
    found = objection(Constraint(vocabulary, without=without), vocabulary.encode(sql))
    return found and found[1]


@pytest.mark.parametrize(("rule", "dialect", "sql", "message"), RARE)
def test_without_the_rule_a_query_fails(rule: str, dialect: str, sql: str, message: str, tmp_path: Path) -> None:
    assert refused(dialect, sql) is not None
    assert refused(dialect, sql, rule) is None
    with database(dialect, tmp_path) as url, pytest.raises(DBAPIError, match=message):
        execute(url, sql)
