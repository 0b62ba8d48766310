"""The items of a schema that a query can point at: tables and columns, with names in words and relations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...data.schema.later_uses import ReferredTables
from ...data.schema.plain_names import plain_name, spoken
from ...data.schema.schema import Column, Schema, Table, as_text
from ...ner.language.words import stems_of
from . import relations as rel

ITEM_KINDS = (
    "word", "table", "text", "number", "time", "boolean", "other",
    "cell", "cell, nearly", "number said", "time said", "quoted", "text said", "query word",
)  # fmt: skip
"""The kinds of nodes: words of the question, tables, columns by type, values by how they were found, words of the
previous query."""

KEY, FOREIGN = 1, 2
"""The marks of a column: it is in its table's primary key, it is in a foreign key."""

_MAX_NAMES = 12
"""The number of columns that the text of their table lists."""

Samples = Callable[[str, str], Sequence[str]]
"""A function (table, column) -> some of its cells."""


@dataclass(frozen=True)
class SchemaItem:
    """A table, or a column if ``column`` is set.

    Attributes:
        name: its name in plain words.
        kind: its kind, one of `ITEM_KINDS`.
        texts: its texts for a sentence encoder: the name; the name in its context; the name with cells.
        marks: the marks `KEY` and `FOREIGN`, added up.
    """

    table: str
    column: str | None
    name: str
    kind: str
    texts: tuple[str, str, str]
    marks: int = 0


def column_kind(declared: str) -> str:
    """Return the kind of a column's declared type.

    >>> [column_kind(t) for t in ("VARCHAR(20)", "bigint unsigned", "timestamp", "year", "bit")]
    ['text', 'number', 'time', 'time', 'boolean']
    """
    text = as_text(declared).lower()
    for kind, parts in (
        ("boolean", ("bool", "bit")),
        ("text", ("char", "text", "clob", "enum", "string", "uuid")),
        ("time", ("date", "time", "year", "interval")),
        ("number", ("int", "num", "dec", "real", "float", "double", "serial", "money")),
    ):
        if any(part in text for part in parts):
            return kind
    return "other"


class SchemaItems:
    """The items of one schema: its tables first, then its columns, in the schema's order.

    The rows that a table refers to in itself are items of their own, as of another table: see `ReferredTables`.

    Args:
        schema: the schema, with the foreign keys for joins.
        samples: a function that returns some cells of a column; None to read no cells.
        described: whether names may come from descriptions, or from identifiers alone.
    """

    def __init__(self, schema: Schema, samples: Samples | None = None, *, described: bool = True) -> None:
        self.schema = schema
        self.described = described
        self._samples = samples
        self._referred = ReferredTables.of(schema)
        self._owners = {again: own for own, copies in self._referred.again.items() for again in copies}
        read = self._referred.schema
        self.tables = len(read.tables)
        name = spoken if described else lambda identifier, _: plain_name(identifier)
        self.items = tuple(
            [_table_item(t, name) for t in read.tables]
            + [_column_item(t, c, name, self._cells(t.name, c.name)) for t, c in read.columns()]
        )
        places = [(item.table, item.column) for item in self.items]
        folded = {(table.lower(), column and column.lower()): i for i, (table, column) in enumerate(places)}
        self._index: Mapping[tuple[str, str | None], int] = folded | {place: i for i, place in enumerate(places)}
        self.names = [stems_of(item.name) for item in self.items]
        self.kinds = np.array([ITEM_KINDS.index(item.kind) for item in self.items], np.int64)
        self.marks = np.array([item.marks for item in self.items], np.int64)
        self.owner = np.array([self._index[item.table, None] for item in self.items])

    def __len__(self) -> int:
        return len(self.items)

    def _cells(self, table: str, column: str) -> Sequence[str]:
        return self._samples(self._owners.get(table, table), column) if self._samples else ()

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, without the function that reads cells, which the texts have already."""
        return self.__dict__ | {"_samples": None}

    def over(self, schema: Schema) -> SchemaItems:
        """Return the items of the same tables and columns under other names, which may come from descriptions."""
        return SchemaItems(schema, self._samples)

    def find(self, table: str, column: str | None = None) -> int:
        """Return the number of a table or column.

        Raises:
            KeyError: there is no such table or column.
        """
        number = self._known(table, column)
        if number is None:
            raise KeyError(f"{table}.{column}" if column else table)
        return number

    def referred(self, table: str, column: str | None = None) -> tuple[int, ...]:
        """Return the numbers of a table or column in its referred copies, one for each key of the table into itself.

        A key whose name says nothing has the number of the table itself; without such keys the tuple is empty.
        """
        return tuple(self.find(again, column) for again in self._referred.again.get(table, ()))

    def _known(self, table: str, column: str | None) -> int | None:
        """Return the number of a table or column, by its exact name or else regardless of case."""
        return self._index.get((table, column), self._index.get((table.lower(), column and column.lower())))

    @cached_property
    def relations(self) -> rel.Relations:
        """Return the relations between the items, (items, items)."""
        relations = np.full((len(self), len(self)), rel.NONE, np.uint8)
        columns = np.arange(len(self)) >= self.tables
        both = columns[:, None] & columns[None, :]
        same = self.owner[:, None] == self.owner[None, :]
        called = np.array([" ".join(names) for names in self.names])
        relations[both & same] = rel.SAME_TABLE
        relations[both & ~same & (called[:, None] == called[None, :])] = rel.SAME_NAME
        for i in np.flatnonzero(columns):
            key = bool(self.items[i].marks & KEY)
            relations[i, self.owner[i]] = rel.KEY_OF if key else rel.COLUMN_OF
            relations[self.owner[i], i] = rel.HAS_KEY if key else rel.HAS_COLUMN
        for referring, referred in self._keys():
            relations[referring, referred], relations[referred, referring] = rel.REFERS, rel.REFERRED
            source, target = self.owner[referring], self.owner[referred]
            if source == target:  # a column that refers to its own table keeps the relation to its table
                continue
            relations[referring, target], relations[target, referring] = rel.TABLE_REFERRED, rel.REFERRED_BY
            both_ways = relations[source, target] in (rel.TABLE_IS_REFERRED, rel.TABLES_BOTH)
            relations[source, target] = rel.TABLES_BOTH if both_ways else rel.TABLE_REFERS
            relations[target, source] = rel.TABLES_BOTH if both_ways else rel.TABLE_IS_REFERRED
        np.fill_diagonal(relations, rel.SELF)
        return relations

    def _keys(self) -> Iterator[tuple[int, int]]:
        """Yield (referring column, referred column) of each foreign key."""
        schema = self._referred.schema
        for table in schema.tables:
            for key in table.foreign_keys:
                referred = schema.by_name.get(key.table)
                others = key.references or (() if referred is None else referred.primary_key)
                for own, other in zip(key.columns, others, strict=False):
                    pair = (self._known(table.name, own), self._known(key.table, other))
                    if pair[0] is not None and pair[1] is not None:
                        yield pair[0], pair[1]


def _table_item(table: Table, name: Callable[[str, str], str]) -> SchemaItem:
    own = name(table.name, table.description)
    columns = ", ".join(name(c.name, c.description) for c in table.columns[:_MAX_NAMES])
    return SchemaItem(table.name, None, own, "table", (own, f"{own}: {columns}", f"{own} table"))


def _column_item(table: Table, column: Column, name: Callable[[str, str], str], cells: Sequence[str]) -> SchemaItem:
    own, owner = name(column.name, column.description), name(table.name, table.description)
    samples = ", ".join(cell[:30] for cell in cells)
    lower = column.name.lower()
    marks = KEY * (lower in {c.lower() for c in table.primary_key})
    marks |= FOREIGN * any(lower in {c.lower() for c in key.columns} for key in table.foreign_keys)
    texts = (own, f"{owner} {own}", f"{own}: {samples}" if samples else own)
    return SchemaItem(table.name, column.name, own, column_kind(column.type), texts, marks)
