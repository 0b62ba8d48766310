"""What is asked back: for the one thing in which readings differ, or for a value that is not where it is looked for."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import databases
import pytest
from cases import table
from sql_pairs import script

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.sql.query import Query
from querent.ner.index import FoundValue, ValueIndex
from querent.parser.answering.choice import Choice
from querent.parser.answering.clarifying import absent_value, clarification, near_values
from querent.parser.decoding.candidates import Candidate, Comparison, values_in
from querent.parser.reader.context import DatabaseContext


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DatabaseContext, Database]]:
    """Return customers and their orders, both with cities."""
    file = databases.create(tmp_path_factory.mktemp("shop") / "shop.sqlite", script("debts"))
    schema = read_schema(file)
    index = ValueIndex.open(file, schema, cache=file.parent)
    with Database.open(file) as database:
        yield DatabaseContext.of(schema, index, dialect="sqlite", language="en"), database


def choices(database: Database, *queries: str, shares: Sequence[float]) -> list[Choice]:
    return [
        Choice(Candidate(Query(sql, "sqlite"), 0.0, ()), database.query(sql), None, share, {}, share, share)
        for sql, share in zip(queries, shares, strict=True)
    ]


@pytest.mark.parametrize(("one", "other", "kind", "labels"), table(__file__, "readings"))
def test_readings_that_differ_in_one_thing_are_told_apart_by_it(
    shop: tuple[DatabaseContext, Database], one: str, other: str, kind: str, labels: list[str]
) -> None:
    context, database = shop
    asked = clarification(choices(database, one, other, shares=(0.5, 0.4)), None, context, database)
    assert asked is not None
    assert (asked.kind, [option.label for option in asked.options]) == (kind, labels)
    assert [option.sql for option in asked.options] == [one, other]
    assert asked.options[0].rows == tuple(database.query(one).rows[:3])
    assert asked.question == ("What is ‹Oslo›?" if kind == "value" else "Which do you mean?")


def test_chinese_questions_are_asked_back_in_chinese(shop: tuple[DatabaseContext, Database]) -> None:
    context, database = replace(shop[0], language="zh"), shop[1]
    queries = "SELECT SUM(orders.amount) FROM orders", "SELECT AVG(orders.amount) FROM orders"
    asked = clarification(choices(database, *queries, shares=(0.5, 0.4)), None, context, database)
    assert asked is not None
    assert asked.question == "您指的是哪一个？"
    assert [option.label for option in asked.options] == ["orders的amount的总和", "orders的amount的平均值"]


@pytest.mark.parametrize(("other", "shares"), table(__file__, "not_asked"))
def test_nothing_is_asked_where_it_would_not_help(
    shop: tuple[DatabaseContext, Database], other: str, shares: tuple[float, float]
) -> None:
    context, database = shop
    found = choices(database, "SELECT customers.name FROM customers", other, shares=shares)
    assert clarification(found, None, context, database) is None


def looking_for(text: str, slotted: str, *columns: tuple[str, str]) -> Candidate:
    """Return a query that looks for a text of the question among the cities of customers."""
    value = FoundValue(0, len(text), text, text, "cell" if columns else "text", "exact", columns, 1.0)
    compared = (Comparison("customers", "city", value, "=" in slotted),)
    return Candidate(Query(slotted, "sqlite", values_in({"text0": text})), 0.0, (), compared=compared)


IN_CITY = "SELECT customers.name FROM customers WHERE customers.city = '{text0}'"


def test_a_value_that_its_column_does_not_hold_is_asked_for(shop: tuple[DatabaseContext, Database]) -> None:
    context, database = shop
    candidate = looking_for("Oslp", IN_CITY)
    absent = absent_value(candidate, context)
    asked = clarification(
        [Choice(candidate, database.query(candidate.sql), None, 1, {}, 1, 1)], absent, context, database
    )
    assert asked is not None
    assert (asked.kind, asked.question) == ("near", "There is no ‹Oslp› in city. Do you mean:")
    assert asked.options[0].sql == "SELECT customers.name FROM customers WHERE customers.city = 'Oslo'"
    assert (asked.options[0].label, asked.options[0].rows) == ("Oslo", (("Kim",), ("Ann",)))


def test_no_text_is_offered_where_the_query_has_a_number(shop: tuple[DatabaseContext, Database]) -> None:
    context, database = shop
    slotted = "SELECT customers.name FROM customers WHERE customers.city = {number0}"
    candidate = replace(looking_for("05", IN_CITY), query=Query(slotted, "sqlite", values_in({"number0": "05"})))
    absent = absent_value(candidate, context)
    assert absent is not None
    with_near = replace(absent, value=replace(absent.value, text="Osl", value="05"))
    assert list(near_values(candidate, with_near, context, database, 3)) == []


def test_so_is_one_that_another_column_holds(shop: tuple[DatabaseContext, Database]) -> None:
    context, database = shop
    elsewhere = (
        "SELECT customers.name FROM customers JOIN orders ON orders.customer = customers.id WHERE orders.ship_city"
    )
    candidate = looking_for("Turku", IN_CITY, ("orders", "ship_city"))
    found = choices(database, candidate.sql, f"{elsewhere} = 'Turku'", shares=(0.5, 0.1))
    found[0] = replace(found[0], candidate=candidate)
    asked = clarification(found, absent_value(candidate, context), context, database)
    assert asked is not None
    assert (asked.options[0].label, asked.options[0].rows) == ("ship city of orders", (("Kim",),))


@pytest.mark.parametrize("candidate", [looking_for("OSLO", IN_CITY), looking_for("Osl", IN_CITY.replace("=", "LIKE"))])
def test_what_a_column_holds_or_may_hold_is_not_absent(
    shop: tuple[DatabaseContext, Database], candidate: Candidate
) -> None:
    assert absent_value(candidate, shop[0]) is None
