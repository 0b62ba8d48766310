"""Which tables a prompt tells, to a budget: those that a query needs among others, so that a model learns to choose."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from ...data.domains.collection import Pair
from ...data.schema.schema import Schema, Table
from ...data.sql.parsing import parse
from ...data.sql.sources import Stored

__all__ = ["Needs", "TablePicker", "narrowed", "needs_of", "told_part"]

TablePicker = Callable[[Pair, Schema], Sequence[str]]
"""Takes a question and its schema and returns names of tables, the one that is most likely needed first."""

Needs = Mapping[str, Collection[str]]
"""The tables that a query reads, with their columns in it, as the schema spells them."""


def needs_of(sql: str, schema: Schema, dialect: str = "sqlite") -> dict[str, set[str]]:
    """Return the tables and columns that a query reads; nothing of one that cannot be parsed."""
    tree = parse(sql, dialect)
    if tree is None:
        return {}
    stored, called = Stored(schema), {node.name.lower() for node in tree.find_all(exp.Table)}
    found: dict[str, set[str]] = {table.name: set() for table in schema.tables if table.name.lower() in called}
    for column in tree.find_all(exp.Column):
        for _, table, name in stored.of(column):
            found.setdefault(table, set()).add(name)
    if any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star)):
        return {name: {column.name for column in schema.table(name).columns} for name in found}
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
        tokens: of all together. What a query needs is told though it takes more; without ``needs`` the first table.
        needs: what a query needs; of its tables columns are left out that it does not, before they take too much.
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
