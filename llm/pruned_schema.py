"""Which tables of a database a prompt shows, to a budget of tokens, and which of their columns.

One way for training and asking: in training a query needs some of the tables, in asking a question says some columns.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from sqlglot import exp

from ..data.parsing import parse
from ..data.schema.schema import Schema, Table
from ..data.sql.sources import Stored, tables_in
from ..ner.index import ValueIndex
from ..ner.language.question import QuestionText
from ..ner.language.words import stems_of
from ..retrieval.schema_retriever.schema_names import SchemaNames, terms_of

__all__ = ["needs_of", "said_columns", "told_part"]

Needs = Mapping[str, Collection[str]]
"""Tables that are told whatever they take, with their columns that are, as the schema spells them."""


def needs_of(sql: str, schema: Schema, dialect: str = "sqlite") -> dict[str, set[str]]:
    """Return the tables and columns that a query reads; nothing of one that cannot be parsed."""
    tree = parse(sql, dialect)
    if tree is None:
        return {}
    stored, called = Stored(schema), set(tables_in(tree, schema))
    found: dict[str, set[str]] = {table.name: set() for table in schema.tables if table.name in called}
    for column in tree.find_all(exp.Column):
        for _, table, name in stored.of(column):
            found.setdefault(table, set()).add(name)
    if any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star)):
        return {name: {column.name for column in schema.table(name).columns} for name in found}
    return found


def said_columns(question: str, schema: Schema, index: ValueIndex | None, language: str) -> dict[str, set[str]]:
    """Return the columns that a question says, by name or by a cell; of each table of the schema, if only none.

    Args:
        index: of the cells of the schema's database.
        language: of the question.
    """
    names, found = SchemaNames.of(schema), {table.name: set[str]() for table in schema.tables}
    terms = set[str]().union(*terms_of(stems_of(question)))
    texts = {text for term in terms for text in names.texts_with.get(term, ())}
    for (table, column), several in names.places.items():
        if column is not None and any(int(names.text_of[name]) in texts for name in several):
            found[table].add(column)
    for value in () if index is None else index.find(QuestionText(question, language)):
        for table, column in value.columns:
            if table in found:
                found[table].add(column)
    return found


def told_part(
    names: Iterable[str],
    schema: Schema,
    size: Callable[[Table], int],
    tokens: int,
    *,
    needs: Needs | None = None,
    drawn: random.Random | None = None,
) -> Schema:
    """Return the tables that fit, in their order, with the keys among them.

    Args:
        names: of tables, the most wanted first.
        size: tokens of a table in a prompt.
        tokens: of all together. What is needed is told though it takes more; without ``needs`` the first table.
        needs: what is needed; of its tables other columns are left out before they take too much.
        drawn: chooses those columns.
    """
    needs, kept, left = needs or {}, dict[str, list[str]](), tokens
    for name in names:
        table = schema.table(name)
        if name in needs and size(table) > left:
            table = narrowed(table, needs[name], size, left, drawn or random.Random(0))
        if name in needs or not kept or size(table) <= left:
            kept[name] = [column.name for column in table.columns]
            left -= size(table)
    told = {table.name: table for table in schema.part(kept).tables}
    return replace(schema, tables=tuple(told[name] for name in kept))


def narrowed(
    table: Table, needed: Collection[str], size: Callable[[Table], int], tokens: int, drawn: random.Random
) -> Table:
    """Return a table without so many of the columns that are neither needed nor keys that it fits, if it can."""
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    spare = [column.name for column in table.columns if column.name not in needed and column.name not in keys]
    drawn.shuffle(spare)
    while spare and size(table) > tokens:
        gone = {spare.pop() for _ in range(min(4, len(spare)))}  # a few at once: each size is a tokenizer's work
        table = replace(table, columns=tuple(column for column in table.columns if column.name not in gone))
    return table
