"""Keys that a schema does not declare but that its names tell, those into the same table among them.

Guesses for a reader of schemas, never more: what the constraint promises of a query (a subquery used as a value
returns one row) must rest on declared keys alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from .key_targets import KEY_WORDS, Contained, KeyTarget, KeyTargets, borne_out, comparable, is_code, joined, key_name
from .later_uses import names_in, referred_uses
from .plain_names import singular, spoken, words
from .schema import Column, ForeignKey, Schema, Table

__all__ = ["ReferredTables", "referred_noun", "with_likely_keys", "with_likely_primary_keys"]

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


_ABOVE = {
    *("parent", "predecessor", "successor", "previous", "next", "original", "reply to", "replies to", "report to"),
    *("reports to", "prerequisite", "父", "上级", "上一级", "父级", "上级部门"),
}
"""What is of the same kind as the row itself."""

_SUPERIORS = {"manager", "mgr", "boss", "supervisor", "superior", "leader", "head", "mentor", "经理", "主管", "领导"}
_PERSONS = {
    "employee",
    "staff",
    "person",
    "people",
    "worker",
    "member",
    "user",
    "agent",
    "officer",
    "员工",
    "职员",
    "人员",
}


Identifies: TypeAlias = Callable[[Table, str], bool | None]
"""Whether no two rows of a table have the same cell of a column, and none has none; None where nobody can tell."""


def with_likely_keys(
    schema: Schema, contained: Contained | None = None, identifies: Identifies | None = None
) -> Schema:
    """Return the schema with likely primary keys where none is declared, and likely foreign keys beside the declared.

    Args:
        schema: as declared; its keys all stay.
        contained: if given, a foreign key must be borne out by the column's cells.
        identifies: if given, what cells tell of primary keys.
    """
    keyed, targets = _with_primary_keys(schema, identifies or _unknown)
    return replace(keyed, tables=tuple(_with_foreign_keys(table, targets, contained) for table in keyed.tables))


def with_likely_primary_keys(schema: Schema) -> Schema:
    """Return the schema with the primary keys that names tell where none is declared."""
    return schema if all(table.primary_key for table in schema.tables) else _with_primary_keys(schema, _unknown)[0]


def _with_primary_keys(schema: Schema, identifies: Identifies) -> tuple[Schema, KeyTargets]:
    named = [table if table.primary_key else _keyed(table, _own_key(table, identifies)) for table in schema.tables]
    firsts = Counter(first.name.lower() for table in named if (first := _only_id(table)))
    targets = KeyTargets(named)
    keyed = [
        table if table.primary_key else _keyed(table, _lone_key(table, firsts, targets, identifies)) for table in named
    ]
    targets.add(after for before, after in zip(named, keyed, strict=True) if after is not before)
    return replace(schema, tables=tuple(keyed)), targets


def _unknown(_table: Table, _column: str) -> None:
    """Say that nobody has looked at the cells of a column."""


def _keyed(table: Table, key: Column | None) -> Table:
    return replace(table, primary_key=(key.name,)) if key else table


def _own_key(table: Table, identifies: Identifies) -> Column | None:
    """Return the column that is called ``id``, ``TABLE_id`` or alike, or the first one that is a code of each row."""
    own, first = key_name(table.name), table.columns[0]
    named = {joined(key_name(column.name)): column for column in reversed(table.columns)}
    *codes, name = (joined(f"{own}{word}") for word in KEY_WORDS)
    for called in ("id", "编号", *codes):
        if called in named and identifies(table, named[called].name) is not False:
            return named[called]
    return first if is_code(key_name(first.name)) and identifies(table, first.name) else named.get(name)


def _lone_key(table: Table, firsts: Mapping[str, int], targets: KeyTargets, identifies: Identifies) -> Column | None:
    """Return the first column where it is an id that no other table begins with and that refers to none."""
    first = _only_id(table)
    alone = first is not None and firsts[first.name.lower()] == 1 and identifies(table, first.name) is not False
    return first if first and alone and not targets.likely(table, first) else None


def _only_id(table: Table) -> Column | None:
    """Return the first column if it is the only one that ends in id: a second tells of a link table."""
    ids = [column for column in table.columns if column.name.lower().endswith("id")]
    return ids[0] if ids == [table.columns[0]] else None


def _with_foreign_keys(table: Table, targets: KeyTargets, contained: Contained | None) -> Table:
    linked = {column.lower() for key in table.foreign_keys for column in key.columns}
    likely: list[ForeignKey] = []
    for column in (column for column in table.columns if column.name.lower() not in linked):
        target = targets.likely(table, column, contained)
        if target is None and contained is not None:
            own = _own_target(column, targets.own(table))
            target = own if own and borne_out(table, column, own, contained) else None
        if target:
            likely.append(ForeignKey((column.name,), target.table.name, (target.column.name,)))
    return replace(table, foreign_keys=(*table.foreign_keys, *likely))


def _own_target(column: Column, own: KeyTarget | None) -> KeyTarget | None:
    """Return a column's own table where its name says so: employee.manager_id, part.parent, comment.reply_to."""
    if own is None or column.name == own.column.name or not comparable(column, own.column):
        return None
    name = key_name(column.name).removesuffix(f" {own.word}").removesuffix(" id").removesuffix(f" {own.own}")
    person = own.own.rpartition(" ")[2] in _PERSONS
    return own if name in _ABOVE or (person and name in _SUPERIORS) else None
