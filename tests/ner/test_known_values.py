"""Values that a domain tells beside its database: which columns they belong to, and what people call them."""

import tomllib
from pathlib import Path

import pytest

from querent.data.databases.schema_readers import from_ddl
from querent.data.domains.domain import Domain, Entity, Example
from querent.data.values.slots import ValueMention, bind, fill_sql
from querent.ner.index import FoundValue, ValueIndex
from querent.ner.known_values import columns_of_types, constants, given, write_known

CASES = tomllib.loads(Path(__file__).with_name("questions.toml").read_text("utf-8"))

SCHEMA = from_ddl(
    "CREATE TABLE city (name TEXT, state TEXT, people INTEGER, founded DATE);"
    "CREATE TABLE state (name TEXT, area REAL, nickname TEXT);",
    "sqlite",
    name="geo",
)


def example(question: str, slotted: str, *said: tuple[str, str, str]) -> Example:
    """Make an example of a question with (text, type, value) for each of its values."""
    mentions = [
        ValueMention(question.index(text), question.index(text) + len(text), text, kind, sql, literal)
        for text, kind, sql in said
        for literal in ("number" if kind == "number" else "string",)
    ]
    values = bind(mentions)
    return Example(question, question, fill_sql(slotted, values), slotted, values)


EXAMPLES = (
    example("people of Austin", "SELECT people FROM city WHERE name = '{city0}'", ("Austin", "city", "austin")),
    example(
        "cities of the Lone Star State",
        "SELECT name FROM city WHERE state = '{state0}'",
        ("Lone Star State", "state", "texas"),
    ),
    example("area of ohio", "SELECT area FROM state WHERE name = '{state0}'", ("ohio", "state", "ohio")),
    example(
        "cities over 500", "SELECT name FROM city WHERE people > {number0} AND people < 900", ("500", "number", "500")
    ),
    example("big cities", "SELECT name FROM city WHERE people > 150000"),
    example("the big ones", "SELECT name FROM city WHERE people > 150000"),
    example("the capital", "SELECT area FROM state WHERE name = 'king''s' AND area > 1"),
)
ENTITIES = (
    Entity("utah", "state", ("the Beehive State",)),
    Entity("the golden state", "nickname"),
    Entity("nile", "river", ("the Nile",)),
)
DOMAIN = Domain("geo", "en", "sqlite", SCHEMA, EXAMPLES, ENTITIES)


def test_a_type_has_the_columns_that_queries_compare_it_with() -> None:
    found = columns_of_types(DOMAIN, EXAMPLES)
    assert found == {
        "city": (("city", "name"),),
        "state": (("city", "state"), ("state", "name")),
        "number": (("city", "people"),),
        "nickname": (("state", "nickname"),),  # no query tells, but its name does
        "river": (),
    }


@pytest.fixture
def known(tmp_path: Path) -> Path:
    (tmp_path / "values.sqlite").write_text("of a run before")
    write_known(tmp_path / "values.sqlite", DOMAIN, EXAMPLES, columns_of_types(DOMAIN, EXAMPLES))
    return tmp_path / "values.sqlite"


@pytest.mark.parametrize(("question", "value", "text", "columns"), CASES["a_value_is_found_by_what_people_call_it"])
def test_a_value_is_found_by_what_people_call_it(
    known: Path, question: str, value: str, text: str, columns: list[list[str]]
) -> None:
    with ValueIndex.open(None, SCHEMA, known=known) as index:
        first = index.find(question)[0]
    assert (first.value, first.kind, list(map(list, first.columns))) == (value, "cell", columns)
    assert text in first.text


def test_what_no_column_holds_is_not_kept_and_numbers_are_not(known: Path) -> None:
    with ValueIndex.open(None, SCHEMA, known=known) as index:
        assert [f for f in index.find("along the nile") if f.kind == "cell"] == []
        assert index.samples("city", "people") == ()
        assert set(index.samples("city", "state")) == {"utah", "texas", "ohio"}
        assert index.few("state", "nickname") == ("the golden state",)


def test_constants_are_what_no_question_says() -> None:
    found = constants(DOMAIN, EXAMPLES, without={"1"})
    assert [(c.value, c.kind, c.columns) for c in found] == [
        ("150000", "number", (("city", "people"),)),  # the most frequent first
        ("900", "number", (("city", "people"),)),
        ("king's", "cell", (("state", "name"),)),
    ]
    assert {(c.start, c.end, c.text, c.how, c.score) for c in found} == {(0, 0, "", "constant", 0.0)}
    assert "1" in {c.value for c in constants(DOMAIN, EXAMPLES)}


def test_only_so_many_constants_are_kept() -> None:
    many = [example(f"q {n}", f"SELECT name FROM city WHERE people > {1000 + n}") for n in range(60)]
    assert len(constants(DOMAIN, [*many, many[7]])) == 24
    assert constants(DOMAIN, [*many, many[7]])[0].value == "1007"


def test_own_values_are_given_as_if_they_had_been_found() -> None:
    asked = example(
        "cities of Texas over 500 since 1900 named 12",
        "SELECT name FROM city WHERE state = '{state0}'",
        ("Texas", "state", "texas"),
        ("500", "number", "500"),
        ("1900", "time", "1900-01-01"),
        ("12", "number", "12"),
    )
    found = given(asked, {"state": (("city", "state"),)})
    assert found == (
        FoundValue(10, 15, "Texas", "texas", "cell", "exact", (("city", "state"),), 1.0),
        FoundValue(21, 24, "500", "500", "number", "literal", (), 1.0),
        FoundValue(31, 35, "1900", "1900-01-01", "time", "literal", (), 1.0),
        FoundValue(42, 44, "12", "12", "number", "literal", (), 1.0),
    )
