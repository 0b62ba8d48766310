"""A key that equals a constant makes a single row, where MySQL and PostgreSQL want one."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import pytest
from rule_cases import LAND, stop

from querent.data.schema.schema import Schema
from querent.grammar import Constraint, Grammar, Vocabulary

KEYS = {"city": ("id",), "state": ("name",), "river": ("length", "source")}
UNIQUE = {"city": ("state_id",), "state": (), "river": ("length",)}
KEYED = Schema(tuple(replace(t, primary_key=KEYS[t.name]) for t in LAND.tables))
UNIQUELY = Schema(tuple(replace(t, unique=UNIQUE[t.name]) for t in KEYED.tables))
WORDS = (
    "SELECT MAX(c.people), s.area, name FROM city AS c, state AS s, river AS r WHERE c.id = 7 AND s.name = 'x' "
    "AND id = 1 AND r.length = 1 AND c.state_id = s.id AND city.id = 1 OR NOT name = '7' AND state.name = 'y'",
)


@lru_cache
def constraint_of(dialect: str, schema: Schema = KEYED) -> Constraint:
    grammar = Grammar.for_schema(schema, dialect=dialect)
    return Constraint(Vocabulary.build(grammar, WORDS))


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
@pytest.mark.parametrize(
    "inner",
    [
        "SELECT people FROM city WHERE id = 7",
        "SELECT c.people FROM city AS c WHERE c.id = 7",
        "SELECT people FROM city WHERE name = 'x' AND id = 7 AND people > 1",
        "SELECT people FROM city WHERE (id = 7)",
        "SELECT people FROM city WHERE id = - 7",
    ],
)
def test_a_key_with_a_constant_makes_one_row(dialect: str, inner: str) -> None:
    assert stop(constraint_of(dialect), f"SELECT 1 FROM river WHERE length > ({inner})") is None


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
@pytest.mark.parametrize(
    "inner",
    [
        "SELECT people FROM city WHERE id > 7",
        "SELECT people FROM city WHERE id = people",
        "SELECT people FROM city WHERE NOT id = 7",
        "SELECT people FROM city WHERE id = 7 OR people > 1",
        "SELECT people FROM city WHERE people = 7",
        "SELECT people FROM city WHERE - id = 7",
        "SELECT people FROM city, state AS s WHERE city.id = 7",
        "SELECT people FROM city JOIN river ON length > 1 WHERE city.id = 7",
        "SELECT length FROM river WHERE length = 7",
        "SELECT people FROM city WHERE c.id = 7",
        "SELECT area FROM state WHERE c.id = 7 AND name > 'x'",
        "SELECT people FROM city WHERE id = 7 UNION SELECT 1",
    ],
)
def test_anything_else_may_make_several(dialect: str, inner: str) -> None:
    """The query around has a city of its own, c, whose key pins no row of the query within."""
    start = "SELECT 1 FROM city AS c WHERE c.people > ("
    found = stop(constraint_of(dialect), f"{start}{inner})")
    assert found is not None
    assert found[0] >= len(start) + inner.index("FROM"), found
    mended = f"SELECT 1 FROM city AS c WHERE c.people > ({inner} LIMIT 1)"
    assert stop(constraint_of(dialect), mended) is None


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
@pytest.mark.parametrize(
    "inner",
    [
        "SELECT people FROM city WHERE state_id = 7",
        "SELECT people FROM city WHERE id = 7",
        "SELECT c.people FROM city AS c WHERE name = 'x' AND c.state_id = 7",
        "SELECT length FROM river WHERE length = 7",
    ],
)
def test_a_unique_column_does_what_a_key_does(dialect: str, inner: str) -> None:
    query = f"SELECT 1 FROM river WHERE length > ({inner})"
    assert stop(constraint_of(dialect, UNIQUELY), query) is None
    assert (stop(constraint_of(dialect), query) is None) == ("WHERE id" in inner)


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_a_unique_column_does_not_group_its_table(dialect: str) -> None:
    """PostgreSQL takes a table's columns for grouped by its primary key alone."""
    query = "SELECT people FROM city GROUP BY {}"
    constraint = constraint_of(dialect, UNIQUELY)
    assert stop(constraint, query.format("state_id")) is not None
    assert (stop(constraint, query.format("id")) is None) == (dialect == "postgres")


def test_a_text_of_digits_pins_no_number() -> None:
    """MySQL finds '7', '7.0' and '07' in a text that it compares with 7."""
    constraint = constraint_of("mysql")
    assert stop(constraint, "SELECT 1 FROM river WHERE length > (SELECT area FROM state WHERE name = '7')") is None
    assert stop(constraint, "SELECT 1 FROM river WHERE length > (SELECT area FROM state WHERE name = 7)") is not None


def test_sqlite_takes_the_first_of_several_rows() -> None:
    assert stop(constraint_of("sqlite"), "SELECT 1 FROM river WHERE length > (SELECT people FROM city)") is None
