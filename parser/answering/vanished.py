"""Tables and columns that a database had since it was opened and has no longer: whoever asks for one is told so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from ...data.schema.plain_names import spoken
from ...data.schema.schema import Column, Schema, Table
from ...data.sql.parsing import PARSE_ERRORS, read_tree
from ...data.sql.sources import Stored, tables_in
from ...ner.stems import stem
from ...ner.units import units
from ..reader.schema.naming import EXACT, NO_MATCH, match_names

__all__ = ["Vanished"]


class Vanished:
    """Remembers what a database had.

    Attributes:
        had: all tables and columns that were ever there.
    """

    def __init__(self, dialect: str) -> None:
        self.had = self._now = self._tables = self._columns = Schema(())
        self._dialect = dialect

    def follow(self, now: Schema, *before: Schema) -> None:
        """Take a schema for what is there, and what earlier ones had beyond it for what is gone."""
        had = {table.name: table for table in self.had.tables}
        for table in (table for schema in (*before, now) for table in schema.tables):
            had[table.name] = replace(table, columns=(*table.columns, *_lost(had.get(table.name, table), table)))
        self.had, self._now = Schema(tuple(had.values())), now
        there = {name: now.by_name.get(name) for name in had}
        self._tables = Schema(tuple(table for name, table in had.items() if there[name] is None))
        left = ((table, _lost(table, kept)) for name, table in had.items() if (kept := there[name]) is not None)
        self._columns = Schema(tuple(replace(table, columns=lost) for table, lost in left if lost))

    def gone(self, question: str, *queries: str) -> str | None:
        """Say what is gone, where a question names it or a query reads it; None otherwise."""
        if not self._tables.tables and not self._columns.tables:
            return None
        gone = [*self._named(question)] or [name for sql in queries for name in self._read(sql)]
        told = f"gone since the database was opened, or no longer to be read: {', '.join(dict.fromkeys(gone))}"
        return told if gone else None

    def _named(self, question: str) -> Iterator[str]:
        """Yield what is gone and called as the question says, where nothing that is there is called so."""
        gone = [(table.name, _stems(table)) for table in self._tables.tables]
        gone += [(f"{table.name}.{column.name}", _stems(column)) for table, column in self._columns.columns()]
        if gone:
            said = [stem(unit.text) for unit in units(question)]
            kept = [*map(_stems, self._now.tables), *(_stems(column) for _, column in self._now.columns())]
            free = match_names(said, kept).max(1, initial=NO_MATCH) < EXACT
            named = (match_names(said, [name for _, name in gone])[free] == EXACT).any(0).tolist()
            yield from (name for (name, _), is_named in zip(gone, named, strict=True) if is_named)

    def _read(self, sql: str) -> Iterator[str]:
        """Yield what is gone and stands in a query; nothing of a text that is none."""
        try:
            tree = read_tree(sql, self._dialect)
        except PARSE_ERRORS:
            return
        yield from tables_in(tree, self._tables)
        stored = Stored(self._columns)
        yield from (f"{table}.{name}" for one in tree.find_all(exp.Column) for _, table, name in stored.of(one))


def _lost(had: Table, now: Table) -> tuple[Column, ...]:
    return tuple(column for column in had.columns if now.by_name.get(column.name) is None)


def _stems(named: Table | Column) -> list[str]:
    return [stem(unit.text) for unit in units(spoken(named.name, named.description))]
