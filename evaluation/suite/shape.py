"""What a suite's databases must obey: kinds of columns, keys, NOT NULL, references, as SQLite tables.

Keys are the schema's, NOT NULL and further keys those of the domain's own database, where it has one. A key or
reference that the own database breaks is not believed: rows that obey it would be none of the real kind.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from ...data.databases.sqlite_schema import quoted
from ...data.databases.sqlite_urls import reading_url
from ...data.databases.sqlite_urls import sqlite_file as named_file
from ...data.domains.domain import Domain
from ...data.errors import DatabaseError
from ...data.schema.schema import Function, Table

__all__ = ["Field", "Kind", "Place", "Reference", "Relation", "Shape", "opened", "quoted", "sqlite_file"]

Kind = Literal["integer", "real", "text", "date", "time"]
Place = tuple[str, str]
"""Lower-cased table and column."""

_KINDS: tuple[tuple[str, Kind], ...] = (
    (r"bool|int|serial|year", "integer"),
    (r"doub|floa|real|deci|nume|number|money", "real"),
    (r"datetime|timestamp|time", "time"),
    (r"date", "date"),
)
_TYPES: dict[Kind, str] = {"integer": "INTEGER", "real": "NUMERIC", "text": "TEXT", "date": "TEXT", "time": "TEXT"}


@dataclass(frozen=True)
class Field:
    """One column; ``type`` is what SQLite declares it as."""

    name: str
    kind: Kind
    type: str
    nullable: bool = True


@dataclass(frozen=True)
class Reference:
    """``columns`` hold NULL or a row's ``references`` in ``table``; all names lower-cased."""

    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class Relation:
    """One table: its fields by lower-cased name, its keys (the primary key first) and its references."""

    name: str
    fields: dict[str, Field]
    keys: tuple[tuple[str, ...], ...] = ()
    references: tuple[Reference, ...] = ()

    def ddl(self) -> str:
        """Return the CREATE TABLE statement."""
        lines = [f"{quoted(f.name)} {f.type}{'' if f.nullable else ' NOT NULL'}" for f in self.fields.values()]
        for number, key in enumerate(self.keys):
            columns = ", ".join(quoted(self.fields[c].name) for c in key)
            lines.append(f"{'UNIQUE' if number else 'PRIMARY KEY'} ({columns})")
        for r in self.references:
            columns, targets = (", ".join(map(quoted, names)) for names in (r.columns, r.references))
            lines.append(f"FOREIGN KEY ({columns}) REFERENCES {quoted(r.table)} ({targets})")
        return f"CREATE TABLE {quoted(self.name)} ({', '.join(lines)})"


@dataclass(frozen=True)
class Shape:
    """The relations by lower-cased name, referenced ones before those that refer to them; the schema's functions."""

    relations: dict[str, Relation]
    functions: tuple[Function, ...] = ()

    @staticmethod
    def of(domain: Domain) -> Shape:
        """Read a domain's shape.

        Raises:
            DatabaseError: its own SQLite file cannot be read.
        """
        relations = {t.name.lower(): _relation(t) for t in domain.schema.tables}
        relations = {n: replace(r, references=_sensible(r, relations)) for n, r in relations.items()}
        file = sqlite_file(domain)
        if file is not None:
            try:
                with closing(opened(file)) as own:
                    relations = {name: _believed(r, own) for name, r in relations.items()}
            except sqlite3.Error as error:
                raise DatabaseError(f"cannot read the tables: {error}", file=file) from error
        return Shape(_sorted(relations), domain.schema.functions)

    def field(self, place: Place | None) -> Field | None:
        """Return the field at a place, None if there is none."""
        relation = None if place is None else self.relations.get(place[0])
        return None if relation is None or place is None else relation.fields.get(place[1])

    @cached_property
    def ddl(self) -> list[str]:
        """The CREATE TABLE statements."""
        return [relation.ddl() for relation in self.relations.values()]


def sqlite_file(domain: Domain) -> Path | None:
    """Return the domain's own database if it is a SQLite file."""
    file = None if domain.database is None else named_file(domain.database)
    return file if file is not None and file.is_file() else None


def _relation(table: Table) -> Relation:
    key = tuple(c.lower() for c in table.primary_key)
    fields: dict[str, Field] = {}
    for column in table.columns:
        kind = _kind(column.type)
        real = kind == "real" and re.search(r"doub|floa|real", column.type.lower())
        name = column.name.lower()
        fields[name] = Field(column.name, kind, "REAL" if real else _TYPES[kind], name not in key)
    references = tuple(
        Reference(tuple(c.lower() for c in f.columns), f.table.lower(), tuple(c.lower() for c in f.references))
        for f in table.foreign_keys
    )
    return Relation(table.name, fields, (key,) if key else (), references)


def _kind(declared: str) -> Kind:
    for pattern, kind in _KINDS:
        if re.search(pattern, declared.lower()):
            return kind
    return "text"


def _sensible(relation: Relation, relations: dict[str, Relation]) -> tuple[Reference, ...]:
    """Keep the references to a key of another table: SQLite takes no others."""
    return tuple(
        r
        for r in relation.references
        if r.table in relations and r.references in relations[r.table].keys and relations[r.table] is not relation
    )


def _believed(relation: Relation, own: sqlite3.Connection) -> Relation:
    """Add the own database's NOT NULL, drop the keys and references that its rows break."""
    table = quoted(relation.name)
    told: list[tuple[Any, ...]] = own.execute(f"PRAGMA table_info({table})").fetchall()
    if not told:
        return relation
    filled = {str(c[1]).lower() for c in told if c[3]}
    fields = {n: replace(f, nullable=f.nullable and n not in filled) for n, f in relation.fields.items()}
    keys = tuple(k for k in relation.keys if _is_key(own, table, k))
    loose = {c for k in relation.keys if k not in keys for c in k} - filled
    fields = {n: replace(f, nullable=True) if n in loose else f for n, f in fields.items()}
    references = tuple(r for r in relation.references if _holds(own, table, r))
    return replace(relation, fields=fields, keys=keys, references=references)


def _is_key(own: sqlite3.Connection, table: str, key: tuple[str, ...]) -> bool:
    columns = ", ".join(map(quoted, key))
    empty = " OR ".join(f"{quoted(c)} IS NULL" for c in key)
    twice = own.execute(f"SELECT 1 FROM {table} GROUP BY {columns} HAVING COUNT(*) > 1 LIMIT 1").fetchone()
    return twice is None and own.execute(f"SELECT 1 FROM {table} WHERE {empty} LIMIT 1").fetchone() is None


def _holds(own: sqlite3.Connection, table: str, r: Reference) -> bool:
    pairs = zip(r.columns, r.references, strict=True)
    same = " AND ".join(f"child.{quoted(c)} = parent.{quoted(p)}" for c, p in pairs)
    filled = " AND ".join(f"child.{quoted(c)} IS NOT NULL" for c in r.columns)
    lost = f"SELECT 1 FROM {table} AS child WHERE {filled} AND NOT EXISTS (SELECT 1 FROM {quoted(r.table)} AS parent "
    return own.execute(f"{lost}WHERE {same}) LIMIT 1").fetchone() is None


def _sorted(relations: dict[str, Relation]) -> dict[str, Relation]:
    """Put referenced tables first; of a circle one reference is dropped."""
    left, done = dict(relations), dict[str, Relation]()
    while left:
        ready = [n for n, r in left.items() if all(f.table in done for f in r.references)]
        if not ready:
            name = next(iter(left))
            kept = tuple(f for f in left[name].references if f.table in done)
            left[name] = replace(left[name], references=kept)
            continue
        for name in ready:
            done[name] = left.pop(name)
    return done


def opened(file: Path) -> sqlite3.Connection:
    """Open a SQLite file for reading only."""
    return sqlite3.connect(reading_url(file), uri=True)
