"""Prunes a schema to the tables and columns that a prompt has room for.

In training the columns of the gold query are kept, in a session those that the question mentions.
"""

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

Needs = Mapping[str, Collection[str]]
"""The tables that a prompt must have, each with the columns that it must have."""


def needed_columns(sql: str, schema: Schema, dialect: str = "sqlite") -> dict[str, set[str]]:
    """Return the columns that a query reads by table, none where the query cannot be parsed."""
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


def mentioned_columns(question: str, schema: Schema, index: ValueIndex | None, language: str) -> dict[str, set[str]]:
    """Return the columns that a question mentions, by name or by a cell, for each table of the schema.

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


def prune_schema(
    names: Iterable[str],
    schema: Schema,
    size: Callable[[Table], int],
    tokens: int,
    *,
    needs: Needs | None = None,
    drawn: random.Random | None = None,
) -> Schema:
    """Return a schema with the tables that fit into a prompt, in the order of their names, and the keys among them.

    Args:
        names: the names of the tables, the most relevant first.
        size: returns the number of tokens that a table takes.
        tokens: the budget. Needed tables stay although they take more; without ``needs`` the first table stays.
        needs: the tables that must stay. Their other columns are left out where they take too much.
        drawn: chooses the columns to leave out.
    """
    needs, kept, left = needs or {}, dict[str, list[str]](), tokens
    for name in names:
        table = schema.table(name)
        if name in needs and size(table) > left:
            table = _without_spare_columns(table, needs[name], size, left, drawn or random.Random(0))
        if name in needs or not kept or size(table) <= left:
            kept[name] = [column.name for column in table.columns]
            left -= size(table)
    tables = {table.name: table for table in schema.part(kept).tables}
    return replace(schema, tables=tuple(tables[name] for name in kept))


def _without_spare_columns(
    table: Table, needed: Collection[str], size: Callable[[Table], int], tokens: int, drawn: random.Random
) -> Table:
    """Return a table without some of the columns that are neither needed nor keys, so that it fits if it can."""
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    spare = [column.name for column in table.columns if column.name not in needed and column.name not in keys]
    drawn.shuffle(spare)
    while spare and size(table) > tokens:
        gone = {spare.pop() for _ in range(min(4, len(spare)))}  # a few at once: each size is a tokenizer's work
        table = replace(table, columns=tuple(column for column in table.columns if column.name not in gone))
    return table
