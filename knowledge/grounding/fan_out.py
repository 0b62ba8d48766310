"""Sums that a join would make wrong: a store's area counted once for each of its sales."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from ...data.schema import Schema, Table
from .grounded import Grounded

__all__ = ["fan_out"]

_ADDED = (exp.Sum, exp.Avg, exp.Count)


def fan_out(grounded: Grounded, schema: Schema) -> str | None:
    """Say in one line which table's rows a formula would count several times, None if it does not.

    That is a table of which all that an aggregate takes comes, while the formula has a table with several rows for
    each of its rows: ``SUM(sales.amount) / SUM(stores.area)``. COUNT(DISTINCT …) bears it, as do MIN and MAX.
    """
    tables = {name.lower(): schema.table(name) for name in grounded.tables}
    if len(tables) < 2:
        return None
    for tree in grounded.trees("sqlite"):
        for node in tree.find_all(*_ADDED):
            own = {column.table.lower() for column in node.find_all(exp.Column)}
            if isinstance(node.this, exp.Distinct) or not own:
                continue
            for many in (tables[name] for name in tables.keys() - own):
                for one in _above(many, tables, ()):
                    if own <= {one.name.lower(), *(t.name.lower() for t in _above(one, tables, ()))}:
                        return f"{many.name} has several rows for one of {one.name}, which {node.sql()} would repeat"
    return None


def _above(table: Table, among: dict[str, Table], seen: tuple[str, ...]) -> Iterator[Table]:
    """Yield the tables of which one row stands beside several rows of a table, by the keys it declares."""
    for key in table.foreign_keys:
        other = among.get(key.table.lower())
        alone = set(key.columns) == set(table.primary_key) or set(key.columns) <= set(table.unique)
        if other is None or alone or other.name in seen:
            continue
        yield other
        yield from _above(other, among, (*seen, table.name))
