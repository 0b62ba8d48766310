"""What rows of a table refer to in the same table: the manager of an employee, the parent of a category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from .later_uses import later_uses, names_in
from .noun_forms import singular
from .plain_names import spoken, words
from .schema import Column, ForeignKey, Schema, Table, called

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
    «the manager of Ann» is a join of two tables to whoever reads the schema. It is called as a query calls the second
    use of the table.

    Attributes:
        schema: with the tables that are referred to behind all others.
        again: their names, by the table whose rows they are.
    """

    schema: Schema
    again: Mapping[str, str]

    @classmethod
    def of(cls, schema: Schema) -> ReferredTables:
        """Find them; what would be called after another table refers to that, and is none."""
        known, rows = names_in(schema), {_row(table) for table in schema.tables}
        tables, referred, again = list[Table](), list[Table](), dict[str, str]()
        for table in schema.tables:
            nouns = {key: noun for key, noun in _own_keys(table) if noun and noun not in rows}
            if nouns:
                name = again[table.name] = next(later_uses(table.name, known))
                targets = next(iter(nouns)).references or table.primary_key
                said = " or ".join(dict.fromkeys(nouns.values()))
                referred.append(replace(table, name=name, primary_key=targets, foreign_keys=(), description=said))
            keys = tuple(replace(k, table=again[table.name]) if k in nouns else k for k in table.foreign_keys)
            tables.append(replace(table, foreign_keys=keys))
        return cls(replace(schema, tables=(*tables, *referred)), again)


def _own_keys(table: Table) -> Iterator[tuple[ForeignKey, str]]:
    for key in table.foreign_keys:
        if key.table.lower() == table.name.lower() and len(key.columns) == 1:
            column = called(key.columns[0], table.columns)
            yield key, "" if column is None else referred_noun(_said(column), _row(table))


def _said(one: Column) -> str:
    return spoken(one.name, one.description).lower()


def _row(table: Table) -> str:
    """Return what a row of a table is called."""
    *before, last = spoken(table.name, table.description).lower().split() or [""]
    return " ".join([*before, singular(last)])
