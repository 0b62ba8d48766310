"""Queries and their normal forms: SQL in, SQL out."""

import json
import re
import sqlite3
from pathlib import Path

import databases
import pytest
from lark import Lark
from lark.exceptions import LarkError
from sql_pairs import pairs, schema

from querent.data.domains.collection import from_spider
from querent.data.errors import QueryError
from querent.data.sql.query import Query
from querent.grammar import Grammar
from querent.parser.decoding.candidates import shows_given
from querent.parser.normal_form import NormalForm, ShortForm
from querent.parser.normal_form.join_rewriter import JoinRewriter

SCHEMA = schema("tracks")

CASES, REFUSED = pairs("normal_form"), pairs("normal_form", "!")


@pytest.fixture(scope="module")
def normal() -> NormalForm:
    return NormalForm(Grammar.for_schema(SCHEMA, dialect="sqlite"))


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    for table in SCHEMA.tables:
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        connection.execute(f"CREATE TABLE {table.name} ({columns})")
        for row in range(1, 7):
            values = [row % 4 if column.name.endswith("Id") else "xyab"[row % 4] for column in table.columns]
            connection.execute(f"INSERT INTO {table.name} VALUES ({', '.join('?' * len(values))})", values)
    return connection


@pytest.mark.parametrize("sql", CASES)
def test_normal_form(normal: NormalForm, database: sqlite3.Connection, sql: str):
    assert normal.of(sql) == normal.of(CASES[sql]) == CASES[sql]
    if "{" not in sql:
        assert sorted(map(repr, database.execute(normal.of(sql)))) == sorted(map(repr, database.execute(sql)))


@pytest.mark.parametrize("sql", REFUSED)
def test_refused(normal: NormalForm, sql: str):
    with pytest.raises(QueryError, match=REFUSED[sql]):
        normal.of(sql)


def test_names_that_the_engine_would_fold_stand_in_quotes():
    normal = NormalForm(Grammar.for_schema(SCHEMA, dialect="postgres"))
    sql = 'SELECT X."Title" FROM (SELECT a."Title" FROM "Album" a) x WHERE NOT x."Title" IS NULL LIMIT 3'
    assert normal.of(sql) == (
        'SELECT t1.c1 FROM (SELECT "Album"."Title" AS c1 FROM "Album") AS t1 WHERE t1.c1 IS NOT NULL LIMIT 3'
    )
    for wrong in ('SELECT Title FROM "Album"', 'SELECT "title" FROM "Album"', 'SELECT "Title" FROM Album'):
        with pytest.raises(QueryError, match=r"no table|no column"):
            normal.of(wrong)


def test_gold_queries_keep_their_rows(shared_data: Path):
    folder = shared_data / "multi" / "spider-train"
    if not folder.is_dir():
        pytest.skip("Spider's training part is not at ../shared/data/multi")
    pairs = [(row["db_id"], row["query"]) for row in json.loads((folder / "train_spider.json").read_text("utf-8"))]
    forms: dict[str, NormalForm] = {}
    for place, gold in pairs[::70]:
        if place not in forms:
            read = from_spider(folder / "tables.json", place)
            forms[place] = NormalForm(Grammar.for_schema(read, dialect="sqlite"))
        with sqlite3.connect(f"file:{folder / 'database' / place / place}.sqlite?mode=ro", uri=True) as database:
            database.text_factory = bytes
            due = database.execute(gold).fetchall()
            assert sorted(map(repr, database.execute(forms[place].of(gold)))) == sorted(map(repr, due)), gold


# --- docs/normal-form.md: its grammar is the language of its examples, and each becomes what it says


PAGE = (Path(__file__).parents[2] / "docs" / "normal-form.md").read_text("utf-8")
LINES = [line for block in re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
EXAMPLES = [(query, due[0], due[2:]) for query, due in zip(LINES[::2], LINES[1::2], strict=True)]


@pytest.fixture(scope="module")
def language() -> Lark:
    (text,) = re.findall(r"```lark\n(.*?)```", PAGE, re.DOTALL)
    return Lark(text + "%ignore /\\s+/\n", start="query")


def is_in(language: Lark, sql: str) -> bool:
    try:
        language.parse(sql)
    except LarkError:
        return False
    return True


@pytest.mark.parametrize(("query", "sign", "due"), EXAMPLES)
def test_an_example_becomes_what_the_page_says(language: Lark, query: str, sign: str, due: str) -> None:
    grammar = Grammar.for_schema(databases.schema("staff" if "employee" in query else "music"), dialect="sqlite")
    form, short = NormalForm(grammar), ShortForm(grammar)
    if sign == "!":
        with pytest.raises(QueryError, match=re.escape(due)):
            form.of(query)
        return
    if sign == "=":
        assert form.of(query) == due == form.of(due)
        assert not is_in(language, query)
    elif sign == "~":
        assert grammar.spell(short.words(query)) == due
        assert short.sql(short.words(query)) == query
    else:
        assert JoinRewriter(grammar).of(Query(query, "sqlite")).slotted == due
    assert is_in(language, query if sign == "~" else due)


SHOWN, GIVEN = pairs("given_values", "="), pairs("given_values", "!")


@pytest.mark.parametrize("sql", [*SHOWN, *GIVEN])
def test_a_query_that_shows_what_it_was_given(sql: str) -> None:
    assert shows_given(Query(sql, "sqlite")) == (sql in GIVEN)
