"""Tables and columns that a database had since it was opened and has no longer: whoever asks for one is told so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from ...data.answer import Answer
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

    Args:
        dialect: of its queries.
    """

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._had: dict[str, Table] = {}
        self._names: list[list[str]] = []  # of what is there, as stems
        self._tables = self._columns = Schema(())  # that are gone, the columns by their tables

    def follow(self, now: Schema, *before: Schema) -> None:
        """Take a schema for what is there, and what earlier ones had beyond it for what is gone."""
        for table in (table for schema in (*before, now) for table in schema.tables):
            had = self._had.get(table.name, table)
            more = (column for column in had.columns if table.by_name.get(column.name) is None)
            self._had[table.name] = replace(table, columns=(*table.columns, *more))
        gone, less = list[Table](), list[Table]()
        for had in self._had.values():
            if (table := now.by_name.get(had.name)) is None:
                gone.append(had)
            elif lost := tuple(column for column in had.columns if table.by_name.get(column.name) is None):
                less.append(replace(had, columns=lost))
        self._tables, self._columns = Schema(tuple(gone)), Schema(tuple(less))
        self._names = [name for table in now.tables for name in (_stems(table), *map(_stems, table.columns))]

    @property
    def had(self) -> Schema:
        """Return all that was ever there."""
        return Schema(tuple(self._had.values()))

    def answer(self, question: str, *queries: str | None) -> Answer | None:
        """Return the answer that tells what is gone, where a question names it or a query reads it; None otherwise."""
        gone = self._named(question) or [name for sql in queries if sql for name in self._read(sql)]
        if not gone:
            return None
        told = f"gone since the database was opened, or no longer to be read: {', '.join(dict.fromkeys(gone))}"
        return Answer(question, None, status="no_answer", reason=told)

    def _named(self, question: str) -> list[str]:
        """Return what is gone and called as the question says, where nothing that is there is called so."""
        gone = [(table.name, _stems(table)) for table in self._tables.tables]
        gone += [(f"{t.name}.{c.name}", _stems(c)) for t in self._columns.tables for c in t.columns]
        if not gone:
            return []
        said = [stem(unit.text) for unit in units(question)]
        there = match_names(said, self._names).max(1, initial=NO_MATCH) == EXACT
        named = (match_names(said, [name for _, name in gone]) == EXACT)[~there].any(0)
        return [name for (name, _), is_named in zip(gone, named.tolist(), strict=True) if is_named]

    def _read(self, sql: str) -> Sequence[str]:
        """Return what is gone and stands in a query."""
        try:
            tree = read_tree(sql, self._dialect)
        except PARSE_ERRORS:
            return ()
        columns = Stored(self._columns)
        lost = (f"{table}.{name}" for one in tree.find_all(exp.Column) for _, table, name in columns.of(one))
        return [*tables_in(tree, self._tables), *lost]


def _stems(named: Table | Column) -> list[str]:
    return [stem(unit.text) for unit in units(spoken(named.name, named.description))]
