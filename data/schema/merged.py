"""Two tellings of one database made one: what its file declares, and the natural names and keys written beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .schema import ForeignKey, Schema, Table

__all__ = ["merged"]


def merged(stored: Schema, told: Schema) -> Schema:
    """Return the tables of ``stored`` with the descriptions of ``told`` and the foreign keys of both.

    Tables and columns that only ``told`` has are left out, since no query on the database could name them, and
    so are keys that lead to such. A primary key of ``told`` counts where ``stored`` declares none.
    """
    tables = (_table(stored, table, told.by_name.get(table.name) or Table(table.name, ())) for table in stored.tables)
    return Schema(tuple(tables), told.name or stored.name)


def _table(stored: Schema, table: Table, told: Table) -> Table:
    says = {column.name.lower(): column.description for column in told.columns}
    columns = (replace(c, description=says.get(c.name.lower()) or c.description) for c in table.columns)
    spelled = _spelled(table, told.primary_key)
    return replace(
        table,
        columns=tuple(columns),
        primary_key=table.primary_key or spelled or (),
        foreign_keys=tuple(_foreign_keys(stored, table, told)),
        description=told.description or table.description,
    )


def _foreign_keys(stored: Schema, table: Table, told: Table) -> Iterator[ForeignKey]:
    seen: set[tuple[str, str, str]] = set()  # column, table and column of the links so far
    for key in (*table.foreign_keys, *told.foreign_keys):
        found = _resolved(stored, table, key)
        if found is None:
            continue
        links = {(a, found.table, b) for a, b in zip(found.columns, found.references, strict=True)}
        itself = found.table == table.name and found.columns == found.references
        if not links <= seen and not itself:
            seen |= links
            yield found


def _resolved(stored: Schema, table: Table, key: ForeignKey) -> ForeignKey | None:
    """Return the key as the database spells its names, or None if it leads nowhere in it."""
    target = stored.by_name.get(key.table)
    if target is None:
        return None
    columns = _spelled(table, key.columns)
    references = _spelled(target, key.references) if key.references else target.primary_key
    if not columns or not references or len(columns) != len(references):
        return None
    return ForeignKey(columns, target.name, references)


def _spelled(table: Table, names: tuple[str, ...]) -> tuple[str, ...] | None:
    found = [column.name for name in names if (column := table.by_name.get(name))]
    return tuple(found) if len(found) == len(names) else None
