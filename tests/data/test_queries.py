"""Names and values in queries, as queries.toml has them: aliases, compared columns, tables, texts, literals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cases import cases

from querent.data.databases.schema_readers import from_ddl
from querent.data.domains.domain import tidy
from querent.data.errors import QueryError
from querent.data.schema.schema import Schema, Table
from querent.data.sql.sources import compared_columns, sql_literals, tables_of, with_canonical_aliases

FILE = Path(__file__).with_name("queries.toml")
LAKES = from_ddl("CREATE TABLE lake (x TEXT, s TEXT); CREATE TABLE state (s TEXT, area REAL);", "sqlite")
CITIES = from_ddl(
    "CREATE TABLE city (name TEXT, state TEXT, people INTEGER, founded DATE);"
    "CREATE TABLE state (name TEXT, area REAL, nickname TEXT);",
    "sqlite",
)
NAMESPACES = Schema(
    (Table("City", ()), Table("river", (), namespace="geo"), Table("geo.lake", (), namespace="geo", qualified=True))
)


@pytest.mark.parametrize("case", cases(FILE, "alias"))
@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
def test_aliases_are_written_one_way(case: dict[str, Any], dialect: str) -> None:
    found = with_canonical_aliases(case["sql"], dialect=dialect, schema=LAKES)
    assert found == with_canonical_aliases(found, dialect=dialect, schema=LAKES) == case["becomes"]


def test_a_broken_query_has_no_aliases() -> None:
    with pytest.raises(QueryError, match="not sqlite"):
        with_canonical_aliases("SELECT FROM", dialect="sqlite", schema=LAKES)


@pytest.mark.parametrize("case", cases(FILE, "compared"))
def test_values_belong_to_the_column_that_they_are_compared_with(case: dict[str, Any]) -> None:
    found = compared_columns(case["sql"], CITIES, case.get("dialect", "sqlite"))
    assert sorted([value, f"{table}.{column}"] for value, table, column in found) == case["values"]


@pytest.mark.parametrize("case", cases(FILE, "tables"))
def test_tables_of_a_query(case: dict[str, Any]) -> None:
    assert sorted(tables_of(case["sql"], NAMESPACES, "postgres")) == sorted(case["tables"])


@pytest.mark.parametrize("case", cases(FILE, "text"))
def test_strings_and_dates_stand_in_single_quotes(case: dict[str, Any]) -> None:
    assert tidy(case["sql"], dialect=case.get("dialect", "sqlite")) == case["kept"]


@pytest.mark.parametrize("case", cases(FILE, "literals"))
@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
def test_literals_stand_where_they_are_said_to(case: dict[str, Any], dialect: str) -> None:
    sql, texts = case["sql"], case["texts"]
    found = sql_literals(sql, dialect)
    assert [sql[x.start : x.end] for x in found] == texts
    assert [x.value for x in found] == [text.removeprefix("'").removesuffix("'").replace("''", "'") for text in texts]


@pytest.mark.parametrize("case", cases(FILE, "columns"))
def test_columns_of_literals(case: dict[str, Any]) -> None:
    literals = sql_literals(case["sql"], case["dialect"])
    assert [f"{x.value}{':' * bool(x.column)}{x.column}{'?' * (not x.likely)}" for x in literals] == case["columns"]
