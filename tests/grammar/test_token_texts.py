"""SQL as models write it, byte by byte: the texts of texts.sql, and what the options of a constraint change."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest
from rule_cases import MARK
from sql_cases import Case, cases
from token_cases import SCHEMAS, SINGERS, spellings

from querent.data.schema.schema import Schema
from querent.grammar.tokens.constraint import TokenConstraint

UNTYPED = ("postgres", next(case.sql for case in cases("everyday") if "IN (SELECT q.shop_id" in case.sql))
"""What a derived table shows has no type before FROM where an output could be called so, and here any could."""


@lru_cache
def constraint_on(schema: Schema, dialect: str, **options: Any) -> TokenConstraint:
    return TokenConstraint(schema, spellings("byte-level"), dialect=dialect, **options)


def folded(schema: Schema, dialect: str) -> Schema:
    """Return what PostgreSQL makes of tables that are created without quotes."""
    if dialect != "postgres":
        return schema
    tables = (replace(t, columns=tuple(replace(c, name=c.name.lower()) for c in t.columns)) for t in schema.tables)
    return Schema(tuple(tables))


def stop(text: str, schema: Schema = SINGERS, dialect: str = "sqlite", **options: Any) -> int | None:
    """Return the byte at which a text is refused, its length if it may not end, None if it is admitted."""
    sql = constraint_on(folded(schema, dialect), dialect, **options).text
    readings = sql.start()
    for place, byte in enumerate(text.encode()):
        readings = sql.step(readings, byte)
        if not readings:
            return place
    return None if sql.complete(readings) else len(text.encode())


@pytest.mark.parametrize("case", cases("../texts"), ids=str)
def test_a_text_is_admitted_or_refused_where_it_is_marked(case: Case) -> None:
    before, mark, behind = case.sql.replace("⏎", "\n").partition(MARK)
    assert stop(before + behind, case.schema, case.dialect) == (len(before.encode()) if mark else None)


@pytest.mark.parametrize("case", [c for c in cases("everyday") if (c.dialect, c.sql) != UNTYPED], ids=str)
def test_everyday_queries_are_admitted(case: Case) -> None:
    assert stop(case.sql, case.schema, case.dialect) is None


@pytest.mark.parametrize(("sql", "place"), [
    ("SELECT Name FROM singer WHERE Age > 20 AND Name = 'Joe' LIMIT 1", None), ("SELECT Price*2.5 FROM concert", None),
    ("SELECT Name FROM singer WHERE Age > 21", 37), ("SELECT Name FROM singer WHERE Name = 'Jim'", 39),
])  # fmt: skip
def test_only_given_values(sql: str, place: int | None) -> None:
    assert stop(sql, values=("20", "'Joe'", "2.5")) == place


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
def test_given_aliases_may_come_before_from(dialect: str) -> None:
    text = "SELECT singerAlias0.Name FROM singer AS singerAlias0"
    assert stop(text, SINGERS, dialect) is not None
    assert stop(text, SINGERS, dialect, aliases=("singerAlias0", "singerAlias1")) is None


@pytest.mark.parametrize(("sql", "place"), [
    ("```sql\nSELECT Name\nFROM singer\n```", None), ("```sql\nSELECT Name FROM singer  \n```", None),
    ("SELECT Name", 0), ("```sql\nSELECT Name FROM singer", 30), ("```sql\nSELECT Name\n```", 20),
    ("```sql\nSELECT Name FROM singer\n``` and", 34),
])  # fmt: skip
def test_prefix_and_fence(sql: str, place: int | None) -> None:
    assert stop(sql, before="```sql\n", behind="\n```") == place


def test_odd_names_stand_in_quotes() -> None:
    odd = SCHEMAS["odd"]
    assert stop('SELECT `a``b`, "a""b", "it\'s", 姓名 FROM 病人', odd) is None
    assert stop("SELECT `c.d`, `values` FROM `a.b` AS T1 WHERE T1.`c.d` = 'x'", odd, "mysql") is None
    assert stop('SELECT "c.d", "user" FROM "a.b" x WHERE x."user" = \'x\'', odd, "postgres") is None
