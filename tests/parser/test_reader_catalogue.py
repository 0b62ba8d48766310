"""Contexts of some tables of a database, which know no others."""

from collections.abc import Collection
from pathlib import Path

import databases
import pytest
from cases import table
from reader_cases import write_database
from sql_pairs import script

from querent.data.databases.schema_readers import from_ddl, from_sqlite
from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import Access
from querent.meaning.profile import ColumnProfile, DatabaseProfile
from querent.meaning.profiling import open_profile
from querent.ner.index import FoundValue, ValueIndex
from querent.ner.language.question import QuestionText
from querent.parser.reader.catalogue import TableCatalogue, TableRetriever
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.profile import Profile
from querent.retrieval.schema_retriever.table_scorer import open_scorer


@pytest.fixture
def catalogue(tmp_path: Path) -> TableCatalogue:
    file = write_database(tmp_path)
    schema = from_sqlite(file)
    profile = open_profile(file, schema, cache=tmp_path)
    return TableCatalogue(schema, ValueIndex.open(file, schema, cache=tmp_path), "sqlite", "en", profile=profile)


def test_a_context_has_its_tables_alone(catalogue: TableCatalogue) -> None:
    context = catalogue.over(["album", "review"])
    assert [table.name for table in context.items.schema.tables] == ["album", "review"]
    assert {word.table for word in context.vocabulary.words} == {None, "album", "review"}
    assert [key.table for table in context.grammar.schema.tables for key in table.foreign_keys] == ["album"]
    assert {table for table, _ in context.profile.columns} == {"album", "review"}
    assert set(context.profile.rows) == {"album", "review"}
    assert all({key.table, key.other} <= {"album", "review"} for key in context.profile.keys)


def test_values_are_those_of_its_tables(catalogue: TableCatalogue) -> None:
    question = "Who made Debut, Björk?"
    found = {one.value for one in catalogue.over(["album"]).values(QuestionText(question))}
    assert "Debut" in found and "Björk" not in found
    found = {one.value for one in catalogue.over(["artist"]).values(QuestionText(question))}
    assert "Björk" in found and "Debut" not in found
    assert {"Björk", "Debut"} <= {one.value for one in catalogue.whole.values(QuestionText(question))}


def test_constants_go_with_the_tables_that_hold_them(catalogue: TableCatalogue) -> None:
    def constant(value: str, *columns: tuple[str, str]) -> FoundValue:
        return FoundValue(0, 0, "", value, "cell" if columns else "number", "constant", columns, 0.0)

    told = (constant("USA", ("artist", "country")), constant("7"))
    some = TableCatalogue(catalogue.schema, catalogue.index, "sqlite", "en", constants=told)
    assert [one.value for one in some.over(["album"]).constants] == ["7"]
    assert [one.value for one in some.over(["artist"]).constants] == ["USA", "7"]


def test_a_role_reads_no_more_of_some_tables_than_of_all(catalogue: TableCatalogue) -> None:
    role = Access(tables=("review",), columns={"artist": ("name",)})
    some = TableCatalogue(catalogue.schema, catalogue.index, "sqlite", "en", access=role)
    assert [table.name for table in some.readable.tables] == ["artist", "review"]
    context = some.over(["artist"])
    assert {word.column for word in context.vocabulary.words if word.table == "artist"} <= {None, "name"}
    assert context.grammar.access == Access((), {"artist": ("name",)})
    assert not any(("artist", "country") in one.columns for one in context.values(QuestionText("Who is from Iceland?")))


def test_a_table_that_differs_in_case_alone_gives_no_access() -> None:

    schema = from_ddl(
        'CREATE TABLE "T" (open INTEGER, secret INTEGER); CREATE TABLE t (a INTEGER);', dialect="postgres"
    )
    role = Access(tables=("t",), columns={"T": ("open",)})
    assert role.only(["T"], schema) == Access((), {"T": ("open",)})
    assert role.only(["t"], schema) == Access(("t",))
    narrowed = role.only(["T"], schema).narrowed(schema.only(["T"]))
    assert [column.name for _, column in narrowed.columns()] == ["open"]


# --- names that a description file tells


TOLD = """
[tables.frt]
zh = ["水果", "果品"]
[tables.frt.columns]
nm = { zh = ["名称"] }
prc = { name = "售价", zh = ["价", "零售价格"] }
is_ripe = { zh = ["是否成熟", "熟了"] }
"""


@pytest.fixture
def context(tmp_path: Path) -> DatabaseContext:
    file, description = databases.create(tmp_path / "fruit.sqlite", script("fruit")), tmp_path / "fruit.toml"
    description.write_text(TOLD, encoding="utf-8")
    profile = Profile.of(from_sqlite(file), dialect="sqlite", language="zh", database=str(file))
    return profile.catalogue(file, description=description, cache=tmp_path).whole


def names(context: DatabaseContext, question: str) -> list[str]:
    return [item.name for item in context.as_called(QuestionText(question, "zh")).items.items]


@pytest.mark.parametrize(("question", "called"), table(__file__, "items_are_called_as_the_question_does"))
def test_items_are_called_as_the_question_does(context: DatabaseContext, question: str, called: list[str]) -> None:
    assert names(context, question) == called


def test_a_name_is_no_value(context: DatabaseContext) -> None:
    assert [value.text for value in context.values(QuestionText("id为2的果品有哪些", "zh"))] == ["2"]


def test_a_flag_is_named_by_another_name(context: DatabaseContext) -> None:
    found = [value for value in context.values(QuestionText("熟了的有哪些", "zh")) if value.how == "meaning"]
    assert [(value.text, value.columns) for value in found] == [("熟了", (("frt", "is_ripe"),))]


# --- which tables of a large database come first


COLUMNS = ("name", "country", "birth_year")
TABLES = ("singers_2019", "singers_2020", "invoice")
SCHEMA = Schema(tuple(Table(table, tuple(Column(name, "TEXT") for name in COLUMNS)) for table in TABLES))


def best_first(question: str, *, empty: Collection[str] = (), beside: Collection[str] = ()) -> list[str]:
    columns = {
        (table, name): ColumnProfile("empty" if table in empty else "name") for table in TABLES for name in COLUMNS
    }
    catalogue = TableCatalogue(SCHEMA, None, "sqlite", "en", profile=DatabaseProfile(columns))
    return TableRetriever(catalogue, open_scorer()).ranked(QuestionText(question), beside=[*beside])


@pytest.mark.parametrize("empty", TABLES[:2])
def test_a_table_that_nobody_fills_stands_behind_its_like(empty: str) -> None:
    first, second, third = best_first("how many singers are there?", empty=[empty])
    assert (second, third) == (empty, "invoice")
    assert first != empty


def test_that_a_table_is_empty_counts_little_beside_its_name() -> None:
    assert best_first("how many invoices are there?", empty=["invoice"])[0] == "invoice"


def test_what_is_told_beside_a_question_counts() -> None:
    assert best_first("how much is it?", beside=["invoice"])[0] == "invoice"
