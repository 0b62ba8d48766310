"""The tables, columns and keys of one database, found by their names; types that list their values (``enum``)."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Generic, Protocol, TypeVar

from ..errors import SchemaError, did_you_mean
from ..texts import made_of, plain_of
from ..values.slots import quoted


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


NamedT = TypeVar("NamedT", bound=_HasName)


class ByName(Generic[NamedT]):
    """Looks names up, however many there are, in the same time."""

    def __init__(self, among: Iterable[NamedT]) -> None:
        self._alike: dict[str, list[NamedT]] = {}
        for one in among:
            self._alike.setdefault(one.name.lower(), []).append(one)

    def alike(self, name: str) -> Sequence[NamedT]:
        """Return all of this name in any case, in order."""
        return self._alike.get(name.lower(), ())

    @property
    def names(self) -> list[str]:
        """Return all names."""
        return [one.name for several in self._alike.values() for one in several]

    def get(self, name: str) -> NamedT | None:
        """Return the one of this name; a name in another case counts only if none matches exactly."""
        alike = self.alike(name)
        return next((one for one in alike if one.name == name), alike[0] if alike else None)


@dataclass(frozen=True)
class Column:
    """One column; ``type`` is the SQL type as the source wrote it.

    Attributes:
        computed: whether a view computes it, or it holds times of any size, even infinite ones: its values are bounded
            by its type alone.
    """

    name: str
    type: str = "text"
    description: str = ""
    computed: bool = False


@dataclass(frozen=True)
class ForeignKey:
    """``columns`` of the owning table refer to ``references`` of ``table``."""

    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...]

    def refers_to(self, table: Table) -> bool:
        """Return whether it leads to a table."""
        return self.table.lower() == table.name.lower()


@dataclass(frozen=True)
class Table:
    """One table with its columns in order.

    Attributes:
        name: its unique name in the schema; ``Sales.orders`` if ``orders`` alone would not find it.
        unique: columns, besides a primary key, that have each value in one row at most.
        namespace: the schema of the database that it is in; empty if unknown.
        qualified: whether queries need the namespace before its name, which alone is ambiguous or not found.
        behind: of a view, the number of tables that its query joins; 0 of a table.
        aggregated: of a view, whether it or one behind it has aggregates; true if its query is unknown.
        partial: whether it has further columns, which its user may not read.
    """

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    description: str = ""
    unique: tuple[str, ...] = ()
    namespace: str = ""
    qualified: bool = False
    behind: int = 0
    aggregated: bool = False
    partial: bool = False

    @property
    def path(self) -> tuple[str, ...]:
        """Return the parts of its name in queries, which dots separate: Sales and orders."""
        return (self.namespace, self.own_name) if self.qualified else (self.name,)

    @property
    def own_name(self) -> str:
        """Return its name in its namespace: orders."""
        return self.name.removeprefix(f"{self.namespace}.") if self.qualified else self.name

    @property
    def self_keys(self) -> tuple[ForeignKey, ...]:
        """Return the keys by which its rows refer to others of it, one of each column, in the order of its columns."""
        own = [key for key in self.foreign_keys if key.refers_to(self) and len(key.columns) == 1]
        keys = {key.columns[0].lower(): key for key in reversed(own)}
        return tuple(keys[name] for column in self.columns if (name := column.name.lower()) in keys)

    @cached_property
    def by_name(self) -> ByName[Column]:
        """Return its columns by their names."""
        return ByName(self.columns)

    def spelled(self, names: Iterable[str]) -> tuple[str, ...] | None:
        """Return names of columns as the table has them, None if it lacks one; engines list keys in another case."""
        found = [self.by_name.get(name) for name in names]
        return None if None in found else tuple(column.name for column in found if column is not None)

    def column(self, name: str) -> Column:
        """Return the column called ``name``, or so but for case."""
        found = self.by_name.get(name)
        if found is None:
            hint = did_you_mean(name, [c.name for c in self.columns])
            raise SchemaError(f"table {self.name!r} has no column {name!r}", hint=hint)
        return found


@dataclass(frozen=True)
class Function:
    """A function that a database's people have defined; one row's value of its arguments' values.

    Attributes:
        name: in upper case.
        arguments: their names and SQL types, in order.
        returns: the SQL type of the result, NULL where there is none.
        sql: an expression that is the function, with ``:name`` where an argument stands; may hold subqueries.
    """

    name: str
    arguments: tuple[Column, ...]
    returns: str
    sql: str
    description: str = ""


@dataclass(frozen=True)
class Schema:
    """The tables and views of one database, and the functions that its people have defined beside its engine's own.

    Attributes:
        left_out: the unreadable parts of the database, each with the reason: ``old_sales: no such table: sale``.
    """

    tables: tuple[Table, ...]
    name: str = ""
    functions: tuple[Function, ...] = ()
    left_out: tuple[str, ...] = ()

    @cached_property
    def by_name(self) -> ByName[Table]:
        """Return its tables by their names."""
        return ByName(self.tables)

    def table(self, name: str) -> Table:
        """Return the table called ``name``, or so but for case."""
        found = self.by_name.get(name)
        if found is None:
            raise SchemaError(f"no table {name!r}", hint=did_you_mean(name, [t.name for t in self.tables]))
        return found

    def resolved(self, table: Table, key: ForeignKey) -> ForeignKey | None:
        """Return a key of a table with all names as the schema has them, None if it leads nowhere in it."""
        other = self.by_name.get(key.table)
        if other is None:
            return None
        columns, references = table.spelled(key.columns), other.spelled(key.references or other.primary_key)
        if not columns or not references or len(columns) != len(references):
            return None
        return ForeignKey(columns, other.name, references)

    @cached_property
    def digest(self) -> str:
        """Return a hash of the whole schema, 64 hexadecimal digits."""
        return sha256(json.dumps(self.to_json()).encode()).hexdigest()

    @cached_property
    def fingerprint(self) -> str:
        """Return a hash of its tables, columns and types, 16 hexadecimal digits."""
        columns = sorted(f"{table.name}.{column.name} {column.type}" for table, column in self.columns())
        return sha256("\n".join(columns).encode()).hexdigest()[:16]

    def columns(self) -> Iterator[tuple[Table, Column]]:
        """Yield every column with the table it belongs to."""
        for table in self.tables:
            for column in table.columns:
                yield table, column

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the names of tables and columns in lower case."""
        return frozenset({table.name.lower() for table in self.tables} | {c.name.lower() for _, c in self.columns()})

    def part(self, kept: Mapping[str, Collection[str]]) -> Schema:
        """Return the schema with some of its tables, and of these some columns, and the keys that are made of them.

        Args:
            kept: the columns of each table, as the schema spells them.
        """
        tables = (table for table in self.tables if table.name in kept)
        return replace(self, tables=tuple(_part(table, self, kept) for table in tables))

    def only(self, tables: Iterable[str]) -> Schema:
        """Return the schema with some of its tables, whole, in its own order, and the keys between them."""
        wanted = set(tables)
        return self.part({t.name: [column.name for column in t.columns] for t in self.tables if t.name in wanted})

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dicts that `from_json` reads back."""
        return plain_of(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Schema:
        """Build a schema from what `to_json` returned."""
        try:
            return made_of(cls, data)
        except (TypeError, AttributeError) as error:
            raise SchemaError(f"not a schema: {error}", hint="write it with Schema.to_json") from error


def _part(table: Table, schema: Schema, kept: Mapping[str, Collection[str]]) -> Table:
    own = set(kept[table.name])
    return replace(
        table,
        columns=tuple(column for column in table.columns if column.name in own),
        primary_key=table.primary_key if own.issuperset(table.spelled(table.primary_key) or [""]) else (),
        foreign_keys=tuple(key for key in table.foreign_keys if _is_within(schema.resolved(table, key), own, kept)),
        unique=tuple(name for name in table.unique if own.issuperset(table.spelled([name]) or [""])),
    )


def _is_within(key: ForeignKey | None, own: set[str], kept: Mapping[str, Collection[str]]) -> bool:
    """Return whether both sides of a foreign key are kept."""
    return key is not None and own.issuperset(key.columns) and {*key.references} <= {*kept.get(key.table, ())}


_LABEL = r"'((?:[^']|'')*)'"
_ENUMERATION = re.compile(rf"(?:(.+) )?enum\s*\(\s*({_LABEL}(?:\s*,\s*{_LABEL})*)\s*\)", re.IGNORECASE | re.DOTALL)


def enumeration(name: str, labels: Iterable[str]) -> str:
    """Return the type of a column of an enumeration: MySQL's has no name, PostgreSQL's has one, as SQL writes it.

    >>> enumeration("mood", ["calm", "it's"])
    "mood enum('calm','it''s')"
    """
    return f"{name} enum({','.join(map(quoted, labels))})".lstrip()


def labels_of(sql_type: str) -> tuple[str, ...]:
    """Return the labels of an enumeration, none of any other type."""
    found = _ENUMERATION.fullmatch(sql_type)
    return () if found is None else tuple(label.replace("''", "'") for label in re.findall(_LABEL, found[2]))


def enumeration_name(sql_type: str) -> str:
    """Return what an enumeration is called; empty of one without a name, and of any other type."""
    found = _ENUMERATION.fullmatch(sql_type)
    return "" if found is None else found[1] or ""


def as_text(sql_type: str) -> str:
    """Return a type, ``text`` for an enumeration: the words in its name and labels say nothing of its values."""
    return "text" if labels_of(sql_type) else sql_type
