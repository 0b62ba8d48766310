"""What a description file says, table by table and column by column, each held against the schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...errors import did_you_mean
from ...formats.files import Record
from ...schema.schema import Column, Schema, Table

__all__ = ["DescribedColumn", "DescribedTable", "sections", "texts_of", "truth_of"]

_TABLE_FIELDS = ("name", "en", "zh", "hidden", "key", "columns")
_COLUMN_FIELDS = ("name", "en", "zh", "hidden", "kind", "first", "scale", "yes", "no", "refers")


@dataclass(frozen=True)
class DescribedColumn:
    """What is said of a column; ``names``: others by language, ``en`` and ``zh``."""

    column: Column
    record: Record
    names: Mapping[str, tuple[str, ...]]
    hidden: bool

    @classmethod
    def of(cls, record: Record, name: str, table: Table) -> DescribedColumn:
        """Read what is said of a column.

        Raises:
            DomainError: there is no such column, or a field is unknown or wrong.
        """
        column = table.by_name.get(name)
        if column is None:
            hint = did_you_mean(name, [c.name for c in table.columns])
            raise record.error(f"table {table.name!r} has no column {name!r}", hint=hint)
        record.known(_COLUMN_FIELDS)
        return cls(column, record, _names(record), truth_of(record, "hidden"))

    def tells(self, field: str) -> bool:
        """Does the file say this of the column?"""
        return field in self.record.data


@dataclass(frozen=True)
class DescribedTable:
    """What is said of a table, and of its columns."""

    table: Table
    record: Record
    names: Mapping[str, tuple[str, ...]]
    columns: tuple[DescribedColumn, ...]

    @classmethod
    def of(cls, record: Record, name: str, schema: Schema) -> DescribedTable:
        """Read what is said of a table.

        Raises:
            DomainError: there is no such table or column, or a field is unknown or wrong.
        """
        table = schema.by_name.get(name)
        if table is None:
            hint = did_you_mean(name, [t.name for t in schema.tables])
            raise record.error(f"there is no table {name!r}", hint=hint)
        record.known(_TABLE_FIELDS)
        columns = tuple(DescribedColumn.of(entry, column, table) for column, entry in sections(record, "columns"))
        return cls(table, record, _names(record), columns)


def sections(record: Record, name: str) -> Iterable[tuple[str, Record]]:
    """Return the tables of TOML within a field, each called by its way from the top, for messages."""
    inner: object = record.data.get(name, {})
    if not isinstance(inner, dict):
        raise record.error("not a section", name)
    for key, value in inner.items():
        where = f"{record.name}.{key}" if record.name else str(key)
        if not isinstance(value, dict):
            raise Record({}, record.file, name=where).error("not a section", hint=f'write {key} = {{ name = "…" }}')
        yield str(key), Record(value, record.file, name=where)


def truth_of(record: Record, name: str) -> bool:
    """Return a field that is true or false; false where it is not told.

    Raises:
        DomainError: it is something else.
    """
    value: object = record.data.get(name, False)
    if not isinstance(value, bool):
        raise record.error(f"{value!r} is neither true nor false", name)
    return value


def texts_of(record: Record, name: str) -> tuple[str, ...]:
    """Return a field that is a list of texts; none where it is not told.

    Raises:
        DomainError: it is something else.
    """
    value: object = record.data.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        raise record.error("not a list of texts", name, 'write ["…", "…"]')
    return tuple(str(one) for one in value)


def _names(record: Record) -> Mapping[str, tuple[str, ...]]:
    found = {language: texts_of(record, language) for language in ("en", "zh")}
    return {language: names for language, names in found.items() if names}
