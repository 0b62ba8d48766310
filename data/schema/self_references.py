"""What rows of a table refer to in the same table: the manager of an employee, the parent of a category."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .later_uses import names_in, referred_uses
from .noun_forms import singular
from .plain_names import spoken, words
from .schema import Column, ForeignKey, Schema, Table

__all__ = ["ReferredTables", "referred_noun"]

_KEY_WORDS = {"id", "ids", "code", "no", "num", "number", "key", "fk", "nr", "of", "to", "by"}
_ENDS_ZH = ("编号", "代码", "编码", "号", "ID", "id")
_NOUNS = {"reports": "manager", "report": "manager", "managed": "manager", "supervised": "supervisor",
          "mentored": "mentor", "mgr": "manager", "sup": "supervisor", "super": "supervisor"}  # fmt: skip
_BEFORE = {"parent", "main", "original", "previous", "next", "base", "primary"}
"""Words that say nothing without what they stand before."""


def referred_noun(key: str, table: str) -> str:
    """Return what a row refers to by a key into its own table, empty where the key's name only says «id».

    Args:
        key, table: what the column and a row of the table are called, in plain words.

    >>> referred_noun("reports to", "employee"), referred_noun("parent part id", "part")
    ('manager', 'parent part')
    """
    if not key.isascii():
        for end in _ENDS_ZH:
            key = key.removesuffix(end)
        return "" if key == table else key
    own = {singular(word) for word in words(table)}
    parts = [word for word in words(key) if len(word) > 1 and word not in _KEY_WORDS and singular(word) not in own]
    if not parts:
        return ""
    noun = _NOUNS.get(parts[0], " ".join([*parts[:-1], singular(parts[-1])]))
    return f"{noun} {table}" if noun in _BEFORE else noun


@dataclass(frozen=True)
class ReferredTables:
    """A schema in which what the rows of a table refer to in that table is a table of its own.

    Beside ``employee`` with its ``manager_id`` stands ``employee_2``, the «manager», as if there were two tables: so
    «the manager of Ann» is a join of two tables to whoever reads the schema. It is called as a query calls a later use
    of the table; each key has one of its own, as `referred_uses` tells.

    Attributes:
        schema: with the tables that are referred to behind all others.
        again: their names, by the table whose rows they are, in the order of its keys; the table's own name stands for
            a key that says nothing. Tables of such keys alone are left out.
    """

    schema: Schema
    again: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, schema: Schema) -> ReferredTables:
        """Find them; what would be called after another table refers to that, and is none."""
        known, rows = names_in(schema), {_row(table) for table in schema.tables}
        tables, referred, again = list[Table](), list[Table](), dict[str, tuple[str, ...]]()
        for table in schema.tables:
            uses = referred_uses(table, known)
            nouns = {key: _noun(key, table) for key in uses.values()}
            named = {key: name for name, key in uses.items() if nouns[key] and nouns[key] not in rows}
            if named:
                again[table.name] = tuple(named.get(key, table.name) for key in uses.values())
            for key, name in named.items():
                targets = key.references or table.primary_key
                referred.append(replace(table, name=name, primary_key=targets, foreign_keys=(), description=nouns[key]))
            keys = tuple(replace(key, table=named.get(key, key.table)) for key in table.foreign_keys)
            tables.append(replace(table, foreign_keys=keys))
        return cls(replace(schema, tables=(*tables, *referred)), again)


def _noun(key: ForeignKey, table: Table) -> str:
    return referred_noun(_said(table.column(key.columns[0])), _row(table))


def _said(one: Column) -> str:
    return spoken(one.name, one.description).lower()


def _row(table: Table) -> str:
    """Return what a row of a table is called."""
    *before, last = spoken(table.name, table.description).lower().split() or [""]
    return " ".join([*before, singular(last)])
