"""The names of further uses of a table in a query, employee_2 beside employee, and the nouns that people use for them.

Where a table has several keys into itself, each has a later use of its own, in the order of the columns: beside a
horse with a sire_id and a dam_id, horse_2 is the sire and horse_3 the dam; horse_4 is a sire again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count, cycle, islice

from .plain_names import singular, spoken, words
from .schema import ForeignKey, Schema, Table

_MOST = 20


@dataclass(frozen=True)
class LaterUse:
    """A use of a table from the second on.

    Attributes:
        number: 2 for the second.
        key: what rows refer to it by, where the table has several keys into itself.
    """

    table: str
    number: int
    key: ForeignKey | None = None


def names_in(schema: Schema) -> frozenset[str]:
    """Return the lower-cased names that no source of a normal form may take."""
    tables = (name.lower() for table in schema.tables for name in {table.name, table.own_name})
    return frozenset(tables) | {column.name.lower() for _, column in schema.columns()}


def later_uses(table: str, known: Collection[str]) -> Iterator[str]:
    """Yield the names of a table's uses from the second on; ``known`` are lower-cased names of the schema."""
    names = (f"{table}_{number}" for number in count(2))
    return (name for name in names if name.lower() not in known)


def referred_uses(table: Table, known: Collection[str]) -> dict[str, ForeignKey]:
    """Return what a table is called as what its rows refer to by each key; of keys beyond the 19th it has no name."""
    return dict(zip(islice(later_uses(table.name, known), _MOST - 1), table.self_keys, strict=False))


def used_again(schema: Schema) -> dict[str, LaterUse]:
    """Return the tables' uses from the second to the twentieth on by their names."""
    known = names_in(schema)
    found: dict[str, LaterUse] = {}
    for table in schema.tables:
        keys = list(referred_uses(table, known).values())
        turns = cycle(keys if len(keys) > 1 else [None])
        names = islice(later_uses(table.name, known), _MOST - 1)
        found |= {name: LaterUse(table.name, number, next(turns)) for number, name in enumerate(names, 2)}
    return found


_KEY_WORDS = {"id", "ids", "code", "no", "num", "number", "key", "fk", "nr", "of", "to", "by"}
_ENDS_ZH = ("编号", "代码", "编码", "号", "ID", "id")
_NOUNS = {"reports": "manager", "report": "manager", "managed": "manager", "supervised": "supervisor",
          "mentored": "mentor", "mgr": "manager", "sup": "supervisor", "super": "supervisor"}  # fmt: skip
_BEFORE = {"parent", "main", "original", "previous", "next", "base", "primary"}
"""Adjectives, which need the noun of the table behind them."""


def referred_noun(key: str, table: str) -> str:
    """Return the noun for the row that a key into its own table refers to, empty if the key's name is just «id».

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
    of the table; each key has one of its own, see `referred_uses`.

    Attributes:
        schema: with the tables that are referred to behind all others.
        again: their names, by the table whose rows they are, in the order of its keys; the table's own name stands for
            a key without a noun. Tables of such keys alone are left out.
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
            columns = {key: table.column(key.columns[0]) for key in uses.values()}
            row = _row(table)
            nouns = {key: referred_noun(spoken(c.name, c.description).lower(), row) for key, c in columns.items()}
            named = {key: name for name, key in uses.items() if nouns[key] and nouns[key] not in rows}
            if named:
                again[table.name] = tuple(named.get(key, table.name) for key in uses.values())
            for key, name in named.items():
                targets = key.references or table.primary_key
                referred.append(replace(table, name=name, primary_key=targets, foreign_keys=(), description=nouns[key]))
            keys = tuple(replace(key, table=named.get(key, key.table)) for key in table.foreign_keys)
            tables.append(replace(table, foreign_keys=keys))
        return cls(replace(schema, tables=(*tables, *referred)), again)


def _row(table: Table) -> str:
    """Return what a row of a table is called."""
    *before, last = spoken(table.name, table.description).lower().split() or [""]
    return " ".join([*before, singular(last)])
