"""Functions that a database's people have defined: the rules know them by their class and their types."""

import pytest

from querent.data.errors import SchemaError
from querent.data.schema.schema import Column, Function, Schema, Table
from querent.grammar import Access, Grammar
from querent.validation import validate

HAS_ENTRY = Function("HAS_ENTRY", (Column("list"), Column("entry")), "INTEGER", "instr(:list, :entry) > 0")
FIRST_TEACHER = Function("FIRST_TEACHER", (Column("name"),), "TEXT", "(SELECT min(author) FROM books)")
BOOKS = Table("books", (Column("title"), Column("subjects"), Column("year", "INTEGER"), Column("author")))
SCHEMA = Schema((BOOKS,), functions=(HAS_ENTRY, FIRST_TEACHER))
QUERY = "SELECT title FROM books WHERE HAS_ENTRY(subjects, 'war') = 1 AND FIRST_TEACHER(author) = 'Ada'"


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
def test_their_arguments_are_counted_and_typed(dialect: str) -> None:
    assert validate(SCHEMA, QUERY, dialect=dialect).runs
    for wrong in ("FIRST_TEACHER(author, title)", "HAS_ENTRY(subjects)", "FIRST_TEACHER(year)", "LAST_TEACHER(author)"):
        assert not validate(SCHEMA, f"SELECT title FROM books WHERE {wrong} = 'Ada'", dialect=dialect).runs


def test_what_they_return_has_a_type() -> None:
    assert validate(SCHEMA, "SELECT SUM(HAS_ENTRY(subjects, 'war')) FROM books", dialect="postgres").runs
    assert not validate(SCHEMA, "SELECT SUM(FIRST_TEACHER(author)) FROM books", dialect="postgres").runs


@pytest.mark.parametrize("name", ["COUNT", "SELECT", "has_entry", "HAS ENTRY"])
def test_a_name_that_is_taken_or_needs_quotes_is_refused(name: str) -> None:
    schema = Schema((BOOKS,), functions=(Function(name, (), "TEXT", "1"),))
    with pytest.raises(SchemaError, match=name):
        Grammar.for_schema(schema, dialect="sqlite")


def test_a_name_that_comes_twice_is_refused() -> None:
    with pytest.raises(SchemaError, match="HAS_ENTRY is taken"):
        Grammar.for_schema(Schema((BOOKS,), functions=(HAS_ENTRY, HAS_ENTRY)), dialect="sqlite")


def test_a_role_has_none_since_nothing_says_what_they_read() -> None:
    grammar = Grammar.for_schema(SCHEMA, dialect="sqlite", access=Access(tables=["books"]))
    assert {"HAS_ENTRY", "FIRST_TEACHER"}.isdisjoint(grammar.functions)
    assert grammar.functions == Grammar.for_schema(Schema((BOOKS,)), dialect="sqlite").functions
