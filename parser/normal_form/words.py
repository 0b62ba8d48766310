"""The vocabulary of normal forms: made from the schema alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from ...data.schema import Schema, Table
from ...grammar import Grammar
from ...grammar.vocabulary import Vocabulary, Word
from .naming import derived_name, names_in, second_use

__all__ = ["CONSTANTS", "twice", "vocabulary"]

CONSTANTS = (*range(11), 100)
"""Whole numbers that queries name though no question does."""

TEXT_FORMS = ("'{}'", "'%{}%'", "'{}%'", "'%{}'")
"""How a text of the question stands in a query: whole, or within, at the beginning or end of what LIKE looks for."""

_UNUSED = frozenset({"!=", "==", "ASC", "INNER", "OUTER", "RIGHT", "FULL", "NATURAL", "USING"})
"""Words that say what the normal form says otherwise."""

_SPECIAL = (Word("<pad>", "", "special"), Word("<bos>", "", "special"), Word("<eos>", "$END", "special"))


def vocabulary(grammar: Grammar, *, texts: int, numbers: int) -> Vocabulary:
    """Return every word that normal forms on a schema have, in an order that the schema gives.

    Columns of derived tables are left out, and uses of a table from the third on.

    Args:
        grammar: of the schema.
        texts: slots for texts of the question, ``text0`` and on.
        numbers: slots for numbers of the question, ``number0`` and on.
    """
    words = [*_SPECIAL, *_fixed(grammar), *_functions(grammar), *_tables(grammar), *_values(texts, numbers)]
    return Vocabulary(grammar, words)


def _fixed(grammar: Grammar) -> Iterator[Word]:
    for terminal in grammar.terminals:
        text = grammar.tables.texts.get(terminal)
        if text is not None and text not in _UNUSED:
            yield Word(text, terminal, "keyword" if text[0].isalpha() else "operator")


def _functions(grammar: Grammar) -> Iterator[Word]:
    for name, spec in grammar.functions.items():
        yield Word(name, spec.terminal, "function", function=name)


def _tables(grammar: Grammar) -> Iterator[Word]:
    write = grammar.quoting.write
    for table in grammar.schema.tables:
        yield Word(write(table.name), "TABLE", "table", table=table.name, tables=(table.name,))
    for table in grammar.schema.tables:
        yield from _columns(grammar, table, write(table.name))
    known = names_in(grammar.schema)
    for table in twice(grammar.schema):
        alias = write(second_use(table.name, known))
        yield Word(alias, "ALIAS", "alias", table=table.name, tables=(table.name,))
        yield from _columns(grammar, table, alias)
    if grammar.dialect != "sqlite":  # where a derived table needs a name, though nothing asks for it
        yield Word(derived_name(1, known), "ALIAS", "alias")


def _columns(grammar: Grammar, table: Table, owner: str) -> Iterator[Word]:
    of = (table.name,)
    for column in table.columns:
        text = f"{owner}.{grammar.quoting.write(column.name)}"
        yield Word(text, "QCOLUMN", "column", table.name, column.name, tables=of)
    yield Word(f"{owner}.*", "QSTAR", "column", table.name, "*", tables=of)


def twice(schema: Schema) -> list[Table]:
    """Return the tables that a FROM may have reason to use twice.

    Those with a key to themselves, those that another table refers to twice, and those that refer twice to one.
    """
    found: set[str] = set()
    for table in schema.tables:
        name = table.name.lower()
        for other, count in Counter(key.table.lower() for key in table.foreign_keys).items():
            if other == name:
                found.add(name)
            elif count > 1:
                found |= {name, other}
    return [table for table in schema.tables if table.name.lower() in found]


def _values(texts: int, numbers: int) -> Iterator[Word]:
    for constant in CONSTANTS:
        yield Word(str(constant), "WHOLE", "constant")
    for form in TEXT_FORMS:
        for index in range(texts):
            yield _slot(form, "STRING", f"text{index}")
    for index in range(numbers):
        yield _slot("{}", "WHOLE", f"number{index}")


def _slot(form: str, terminal: Literal["STRING", "WHOLE"], slot: str) -> Word:
    return Word(form.format("{" + slot + "}"), terminal, "slot", slot=slot)
