"""Keys that names tell, and what a view's definition tells of its columns and keys."""

from dataclasses import replace
from pathlib import Path

import pytest
from cases import rows

from querent.data.domains.collection import read_collection
from querent.data.schema.ddl import from_ddl
from querent.data.schema.likely_keys import with_likely_keys
from querent.data.schema.schema import Column, ForeignKey, Schema, Table
from querent.data.schema.text2sql import from_text2sql
from querent.data.schema.views import with_origins

CASES = Path(__file__).with_suffix(".toml")


def links(schema: Schema) -> set[str]:
    return {f"{t.name}.{k.columns[0]} -> {k.table}.{k.references[0]}" for t in schema.tables for k in t.foreign_keys}


def guessed(ddl: str) -> set[str]:
    return links(with_likely_keys(from_ddl(ddl, "sqlite")))


@rows(CASES, "a_primary_key_is_what_is_called_so")
def test_a_primary_key_is_what_is_called_so(ddl, key):
    assert with_likely_keys(from_ddl(ddl, "sqlite")).tables[0].primary_key == (key,)


@rows(CASES, "a_link_is_no_primary_key")
def test_a_link_is_no_primary_key(ddl):
    assert with_likely_keys(from_ddl(ddl, "sqlite")).tables[-1].primary_key == ()


@rows(CASES, "a_foreign_key_is_what_tells_of_a_table")
def test_a_foreign_key_is_what_tells_of_a_table(ddl, found):
    assert guessed(ddl) == {f"concert.{found}"}


@rows(CASES, "what_is_not_sure_is_left_out")
def test_what_is_not_sure_is_left_out(ddl):
    assert guessed(ddl) == set()


def test_declared_keys_stay_and_are_not_said_again():
    ddl = "CREATE TABLE state (city_id INT REFERENCES town (id)); CREATE TABLE town (id INT PRIMARY KEY);"
    assert guessed(ddl + "CREATE TABLE city (city_id INT PRIMARY KEY)") == {"state.city_id -> town.id"}
    back = "CREATE TABLE a (b_code INT PRIMARY KEY); CREATE TABLE b (b_code INT PRIMARY KEY REFERENCES a (b_code));"
    assert guessed(back) == {"b.b_code -> a.b_code"}


def test_cells_confirm_a_key():
    ddl = "CREATE TABLE a (b_id REAL, c_id INT);" + "".join(f"CREATE TABLE {t} (id INT);" for t in "bc")
    schema = from_ddl(ddl, "sqlite")
    assert links(with_likely_keys(schema)) == {"a.b_id -> b.id", "a.c_id -> c.id"}
    confirmed = with_likely_keys(
        schema, lambda table, column, other, reference: column == f"{other.name}_{reference}" != "c_id"
    )
    assert links(confirmed) == {"a.b_id -> b.id"}


def test_of_tables_whose_cells_fit_the_one_whose_type_fits_is_meant():
    ddl = "CREATE TABLE customer (cust_id TEXT PRIMARY KEY); CREATE TABLE client (cust_id INT PRIMARY KEY);"
    schema = from_ddl(f"{ddl} CREATE TABLE loan (cust_id TEXT, amount INT)", "sqlite")
    assert "loan.cust_id -> customer.cust_id" in links(with_likely_keys(schema, lambda *_: 1.0))


def test_where_no_table_owns_a_key_a_rule_that_is_less_sure_decides():
    alike = "".join(f"CREATE TABLE {name} (student_id INT PRIMARY KEY);" for name in ("passport", "locker"))
    ddl = f"CREATE TABLE student (id INT PRIMARY KEY); {alike} CREATE TABLE grade (student_id INT, mark INT)"
    assert "grade.student_id -> student.id" in guessed(ddl)


def test_of_many_tables_with_the_same_key_the_one_that_is_called_after_it_is_meant():
    days = "".join(f"CREATE TABLE day{number} (city_id INT PRIMARY KEY);" for number in range(5))
    hall = "CREATE TABLE hall (city_id INT, seats INT);"
    owned = {f"{name}.city_id -> city.city_id" for name in ("hall", *(f"day{number}" for number in range(5)))}
    assert guessed(f"{days} CREATE TABLE city (city_id INT PRIMARY KEY); {hall}") == owned
    assert guessed(days + hall) == set()


@rows(CASES, "into_its_own_table")
def test_a_key_into_its_own_table_takes_cells(ddl, found):
    schema = from_ddl(ddl, "sqlite")
    assert links(with_likely_keys(schema, lambda *_: True)) == {*found}
    assert links(with_likely_keys(schema, lambda *_: False)) == set()
    assert links(with_likely_keys(schema)) == set()


def test_geography_joins_on_the_name_of_the_state(shared_data):
    schema = with_likely_keys(from_text2sql(shared_data / "text2sql" / "geography-schema.csv"))
    tables = ("BORDER_INFO", "CITY", "HIGHLOW", "LAKE", "MOUNTAIN", "ROAD")
    assert links(schema) == {f"{table}.STATE_NAME -> STATE.STATE_NAME" for table in tables}


def test_most_of_what_is_guessed_is_declared_in_spider(shared_data):
    folder = shared_data / "multi" / "spider-train"
    if not folder.is_dir():
        pytest.skip("spider-train is not at ../shared/data/multi")
    right = guesses = declared = 0
    for schema in read_collection(f"spider:{folder}").schemas.values():
        hidden = replace(schema, tables=tuple(replace(t, foreign_keys=()) for t in schema.tables))
        found, told = links(with_likely_keys(hidden)), links(schema)
        right, guesses, declared = right + len(found & told), guesses + len(found), declared + len(told)
    assert right / guesses > 0.88  # most of the others are true, too, and were never declared
    assert right / declared > 0.7


TABLES = (
    Table(
        "author", (Column("id", "integer"), Column("name", "text"), Column("code", "text")), ("id",), unique=("code",)
    ),
    Table(
        "book",
        (Column("id", "integer"), Column("author_id", "integer"), Column("price", "numeric")),
        ("id",),
        (ForeignKey(("author_id",), "author", ("id",)),),
    ),
)


def viewed(definition: str, columns: str) -> Table:
    view = Table("v", tuple(Column(name, "integer") for name in columns.split()))
    return with_origins((*TABLES, view), {"v": definition}, "postgres")[-1]


@rows(CASES, "keys")
def test_keys(sql: str, shows: str, primary: list[str], unique: list[str], refers: dict[str, str]) -> None:
    view = viewed(sql, shows)
    assert ([*view.primary_key], [*view.unique]) == (primary, unique)
    assert {key.columns[0]: key.table for key in view.foreign_keys if key.references == ("id",)} == refers
    assert len(refers) == len(view.foreign_keys)
    assert view.behind > 0


def test_what_is_reckoned_is_told_from_what_is_shown() -> None:
    view = viewed(
        "SELECT id, COUNT(*), SUM(price), price + 1, MAX(price) FROM book GROUP BY id, price", "id n s more most"
    )
    assert [c.computed for c in view.columns] == [False, False, True, True, True]
    assert [c.computed for c in viewed("SELECT id FROM book UNION SELECT 7", "id").columns] == [True]


def test_views_of_views_count_the_tables_behind_them() -> None:
    views = [Table(name, (Column("id", "integer"),)) for name in ("outer_one", "pair")]
    told = {
        "outer_one": "SELECT p.id FROM pair p JOIN author ON author.id = p.id",
        "pair": "SELECT b.id FROM book b JOIN book c ON b.id = c.id",
    }
    *_, outer, pair = with_origins((*TABLES, *views), told, "mysql")
    assert (outer.behind, pair.behind) == (3, 2)
    assert ForeignKey(("id",), "book", ("id",)) in outer.foreign_keys


@rows(CASES, "aggregated")
def test_a_view_holds_aggregates_of_its_own_or_of_views_behind_it(definition: str, aggregated: bool) -> None:
    told = {"v": definition, "total": "SELECT COUNT(*) FROM book", "plain": "SELECT id FROM book"}
    views = [
        Table(name, (Column(column, "integer"),)) for name, column in (("v", "x"), ("total", "n"), ("plain", "id"))
    ]
    found = with_origins((*TABLES, *views), told, "mysql")
    assert {t.name: t.aggregated for t in found if t.behind} == {"v": aggregated, "total": True, "plain": False}
