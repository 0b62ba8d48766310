"""Names and values in queries, and queries in other dialects, as queries.toml has them."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from cases import cases, rows

from querent.data.databases.schema_readers import from_ddl
from querent.data.errors import QueryError
from querent.data.parsing import tidy
from querent.data.schema.schema import Schema, Table
from querent.data.sql.dialects import translate
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


def test_a_name_keeps_its_quotes_before_its_columns() -> None:
    sql = 'SELECT o."placedOn" FROM "Sales"."Orders" AS o'
    found = with_canonical_aliases(sql, dialect="postgres", schema=LAKES)
    assert found == 'SELECT "Orders"."placedOn" FROM "Sales"."Orders"'


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


FILE = Path(__file__).with_name("queries.toml")


@pytest.mark.parametrize("case", cases(FILE, "dialect"))
@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_text(case, dialect):
    found = translate(f"SELECT {case['mysql']} FROM x", read="mysql", write=dialect)
    assert found == f"SELECT {case[dialect]} FROM x"
    sqlglot.parse_one(found.replace("{", "").replace("}", ""), dialect=dialect)


def test_slots_survive_and_equal_dialects_change_nothing():
    sql = "SELECT  a FROM x WHERE b LIKE '%{topic0}%' AND c > {number0} AND d < {number1} + 1 LIMIT {number0}"
    assert translate(sql, read="mysql", write="mysql") == sql
    assert translate(sql, read="mysql", write="sqlite") == sql.replace("  ", " ")


@pytest.mark.parametrize("case", cases(FILE, "answer"))
def test_answers_on_sqlite_are_those_of_mysql(case):
    sql = translate(f"SELECT {case['mysql']}", read="mysql", write="sqlite")
    assert sqlite3.connect(":memory:").execute(sql).fetchone()[0] == case["is"]


@rows(FILE, "untranslated")
def test_what_is_not_translated_is_told(sql, problem):
    with pytest.raises(QueryError, match=problem):
        translate(sql, read="mysql", write="sqlite")


def test_sqlite_reads_set_operands_without_brackets():
    sql = "(SELECT 1 UNION SELECT {number0}) EXCEPT (SELECT 1 LIMIT 1)"
    found = translate(sql, read="mysql", write="sqlite")
    assert found == "SELECT 1 UNION SELECT {number0} EXCEPT SELECT * FROM (SELECT 1 LIMIT 1) AS side"
    assert sqlite3.connect(":memory:").execute(found.replace("{number0}", "5")).fetchall() == [(5,)]
