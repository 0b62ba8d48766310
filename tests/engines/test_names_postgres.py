"""PostgreSQL with names in mixed case and several schemas: what is read, what is admitted, what questions become."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import execute, fresh_database, reader, url_of

import querent as face
from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.schema.schema import ForeignKey
from querent.grammar import Access, Grammar, Vocabulary
from querent.ner.index import ValueIndex
from querent.validation import Validator

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

MADE = CASES["made"]
SAID = CASES["said"]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with fresh_database(url_of("postgres")) as made:
        execute(made, *MADE)
        yield made


def test_tables_of_all_schemas_are_told_apart(url: str) -> None:
    schema = read_schema(url)
    found = {(t.name, t.namespace, t.qualified) for t in schema.tables}
    assert found == {
        ("users", "public", False),
        ("CoffeeShop", "public", False),
        ("orders", "public", True),
        ("Sales.orders", "Sales", True),
        ("Sales.Line", "Sales", True),
        ("hidden.secret", "hidden", True),
    }
    assert set(schema.table("Sales.orders").foreign_keys) == {
        ForeignKey(("userId",), "users", ("userId",)),
        ForeignKey(("first",), "orders", ("id",)),
    }
    assert schema.table("Sales.Line").foreign_keys == (ForeignKey(("order",), "Sales.orders", ("id",)),)
    assert schema.table("Sales.orders").column("kind").type == "point"


def test_only_what_the_user_may_read_is_there(url: str) -> None:
    with reader(url, 'USAGE ON SCHEMA "Sales"', 'SELECT ON users, "Sales"."Line"') as allowed:
        schema = read_schema(allowed)
    assert [table.name for table in schema.tables] == ["users", "Sales.Line"]
    assert schema.tables[1].foreign_keys == ()


def test_every_word_is_a_name_there(url: str) -> None:
    schema = read_schema(url)
    grammar = Grammar.for_schema(schema, dialect="postgres")
    words = Vocabulary.build(grammar, ()).words
    written = {word.tables[0]: word.text for word in words if word.kind == "table"}
    with Database.open(url) as database:
        database.confine(schema)
        for word in words:
            if word.kind == "column":
                database.query(f"SELECT {word.text} FROM {written[word.tables[0]]}")


@pytest.fixture(scope="module")
def judges(url: str) -> Iterator[tuple[Database, Validator]]:
    schema = read_schema(url)
    with Database.open(url) as database:
        database.confine(schema)
        yield database, Validator(schema, dialect="postgres")


@pytest.mark.parametrize("sql", SAID)
def test_validate_says_what_the_engine_says(judges: tuple[Database, Validator], sql: str) -> None:
    database, validator = judges
    found, ran = validator.validate(sql), database.attempt(sql)
    assert found.runs is (ran is not None), found.problem
    if found.nearest is not None:
        database.query(found.nearest)


def test_cells_are_read_and_belong_to_their_column(url: str, tmp_path: Path) -> None:
    index = ValueIndex.open(url, read_schema(url), cache=tmp_path)
    assert index.samples("users", "userName") == ("Abe", "Bea", "Cal")
    assert index.samples("users", "username") == ("7", "8", "9")
    assert [value.columns for value in index.find("where is Drip?")] == [(("CoffeeShop", "shopName"),)]


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("access", [None, Access(("CoffeeShop", "Sales.orders"), {"users": ("userName", "city")})])
def test_questions_become_queries_that_run(url: str, access: Access | None) -> None:
    with face.connect(url, access=access) as connection:
        answers = [
            connection.ask(question)
            for question in (
                "how many users live in Rome?",
                "list the user names of all users in Bari",
                "what is the total of the orders of each user name?",
            )
        ]
    assert [answer.status for answer in answers if answer.status == "error"] == []
    assert '"userName"' in (answers[1].sql or "")
    assert answers[0].rows == ((2,),)
