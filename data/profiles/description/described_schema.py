"""A schema as a description file changes it: names in words, keys, and what is hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...errors import did_you_mean
from ...formats.files import Record
from ...schema.plain_names import spoken
from ...schema.schema import Column, ForeignKey, Schema, Table
from .entries import DescribedColumn, DescribedTable, texts_of, truth_of

__all__ = ["called_in", "described_schema"]

_HAN = re.compile(r"[\u3400-\u9fff]")


def described_schema(schema: Schema, entries: Sequence[DescribedTable]) -> Schema:
    """Return the schema as it is described, without what is hidden.

    Raises:
        DomainError: a key names what does not exist, or everything is hidden.
    """
    told = {entry.table.name: entry for entry in entries}
    tables = tuple(_table(t, told[t.name], schema) if t.name in told else t for t in schema.tables)
    hidden = {name: _hidden(entry) for name, entry in told.items()}
    kept = {t.name: [c.name for c in t.columns if c.name not in hidden.get(t.name, set())] for t in tables}
    kept = {table: columns for table, columns in kept.items() if columns}
    if not kept:
        raise replace(entries[0].record, name="").error("everything is hidden", hint="leave a table")
    return replace(schema, tables=tables).part(kept)


def called_in(schema: Schema, names: Mapping[tuple[str, str | None], Sequence[str]], language: str) -> Schema:
    """Return a schema with names in a language: the first that is told, where the name is one of another language.

    Args:
        names: in that language, by table and column, whose name is None of the table itself.
        language: ``zh``, or another, whose names have no Chinese characters.
    """

    def name(identifier: str, description: str, told: Sequence[str]) -> str:
        foreign = bool(_HAN.search(spoken(identifier, description))) != (language == "zh")
        return told[0] if told and foreign else description

    def column(table: Table, one: Column) -> Column:
        return replace(one, description=name(one.name, one.description, names.get((table.name, one.name), ())))

    tables = (
        replace(
            table,
            description=name(table.name, table.description, names.get((table.name, None), ())),
            columns=tuple(column(table, one) for one in table.columns),
        )
        for table in schema.tables
    )
    return replace(schema, tables=tuple(tables))


def _table(table: Table, entry: DescribedTable, schema: Schema) -> Table:
    columns = {one.column.name: one for one in entry.columns}
    return replace(
        table,
        description=_described(entry.record, table.name, table.description),
        columns=tuple(
            replace(c, description=_described(columns[c.name].record, c.name, c.description))
            if c.name in columns
            else c
            for c in table.columns
        ),
        primary_key=_primary_key(entry) if "key" in entry.record.data else table.primary_key,
        foreign_keys=tuple(_foreign_keys(table, entry, schema)),
    )


def _foreign_keys(table: Table, entry: DescribedTable, schema: Schema) -> Iterator[ForeignKey]:
    """Yield the keys of a table, in place of each that is told anew the new one, and behind them those that are new."""
    told = {c.column.name.lower(): (c.column.name, _reference(c, schema)) for c in entry.columns if c.tells("refers")}
    for key in table.foreign_keys:
        name = key.columns[0].lower() if len(key.columns) == 1 else ""
        if name not in told:
            yield key
            continue
        column, there = told.pop(name)
        other = schema.by_name.get(key.table)
        before = (key.table, key.references or (other.primary_key if other else ()))
        if there is not None:
            yield key if there == before and column in key.columns else ForeignKey((column,), *there)
    yield from (ForeignKey((column,), *there) for column, there in told.values() if there is not None)


def _described(record: Record, name: str, description: str) -> str:
    """Return a name in words; the description that is there where this is nothing but what it says."""
    words = record.text("name", "") if "name" in record.data else ""
    return description if words in ("", spoken(name, description)) else words


def _primary_key(entry: DescribedTable) -> tuple[str, ...]:
    found: list[str] = []
    for name in texts_of(entry.record, "key"):
        column = entry.table.by_name.get(name)
        if column is None:
            hint = did_you_mean(name, [c.name for c in entry.table.columns])
            raise entry.record.error(f"there is no column {name!r}", "key", hint)
        found.append(column.name)
    return tuple(found)


def _reference(entry: DescribedColumn, schema: Schema) -> tuple[str, tuple[str]] | None:
    """Return the table and column that a column refers to, None where it is said to refer to none."""
    told = entry.record.data["refers"]
    if told == "":
        return None
    found = next(_places(str(told), schema), None)
    if found is None:
        places = [f"{table.name}.{column.name}" for table, column in schema.columns()]
        hint = did_you_mean(str(told), places) or 'write "table.column"'
        raise entry.record.error(f"there is no column {told!r}", "refers", hint)
    return found


def _places(told: str, schema: Schema) -> Iterator[tuple[str, tuple[str]]]:
    """Yield the columns that are called so with their table before them; either's name may have a dot in it."""
    for dot in re.finditer(r"\.", told):
        table = schema.by_name.get(told[: dot.start()])
        column = table and table.by_name.get(told[dot.end() :])
        if table and column:
            yield table.name, (column.name,)


def _hidden(entry: DescribedTable) -> set[str]:
    """Return the columns that are hidden, all of a table that is."""
    whole = truth_of(entry.record, "hidden")
    return {c.name for c in entry.table.columns} if whole else {c.column.name for c in entry.columns if c.hidden}
