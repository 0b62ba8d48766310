"""The schemas that walks go on, each drawn by its number, and rows for their tables.

They are the plant's and random ones, with odd names, reserved words, Unicode, composite keys or none, and every column
type; on PostgreSQL two of three have names in mixed case and several namespaces, too. Rows have nulls, ties, zeros,
large and tiny numbers, odd texts, ends of months, midnight.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from bench.accuracy.result_files import ROOT
from querent.data.databases.schema_readers import read_schema
from querent.data.schema.enumerations import labels_of
from querent.data.schema.schema import Column, ForeignKey, Schema, Table
from querent.grammar.types.dialect import load_types

__all__ = ["TOLD", "narrowed", "random_rows", "random_schema", "schema_at"]

PLANT = ROOT / "data" / "plant" / "schema.sql"
AGAIN = 60
"""The period after which the plant's schema comes again, with other rows and words."""

TOLD = tomllib.loads(Path(__file__).with_name("walks.toml").read_text("utf-8"))
"""Names, types, words and cells that are drawn."""

_UNKEYED = (
    *("TEXT", "BLOB", "BYTEA", "CLOB", "JSON", "FLOAT", "REAL", "DOUBLE", "[]", "BINARY", "BYTE", "XML"),
    *("TO MONTH", "POINT", "GEOMETRY", "POLYGON", "LINESTRING", "BOX", "CIRCLE"),
)
"""Parts of types of which an engine takes no key, or whose equal values differ in Python."""

ROWS = (0, 1, 2, 3, 4, 5, 6, 8)
"""Numbers of rows of a table, drawn from; few, since walks write cross joins of many tables."""

NULLS = 0.15
"""Share of nulls outside of keys."""

MISFITS = 0.03
"""Share of values outside of keys that are not of their column's type, which only SQLite takes."""

_CELLS: dict[str, list[str]] = TOLD["cells"]
_NAMESPACES = ("Sales", "order", "a.b", "shop", "größe", "Ü")
_FOUND = "public"


def schema_at(number: int, rng: random.Random, dialect: str) -> Schema:
    """Return the schema of a number."""
    if dialect == "sqlite" and number % AGAIN == 0:
        return read_schema(PLANT, dialect)
    found = random_schema(rng, dialect)
    return respelled(rng, found) if dialect == "postgres" and number % 3 else found


def narrowed(rng: random.Random, schema: Schema, most: int = 3) -> Schema:
    """Return a schema of one to ``most`` of the tables: rare things meet more often where there is little else."""
    kept = rng.sample(schema.tables, min(rng.randint(1, most), len(schema.tables)))
    names = {table.name for table in kept}
    linked = (replace(t, foreign_keys=tuple(k for k in t.foreign_keys if k.table in names)) for t in kept)
    return replace(schema, tables=tuple(linked))


def random_schema(rng: random.Random, dialect: str, tables: int | None = None) -> Schema:
    """Return a schema of so many tables, or of 1 to 40."""
    count = tables or rng.choice([1, 2, 2, 3, 3, 4, 5, 6, 9, 15, 40])
    made: list[Table] = []
    for number in range(count):
        name = _name(rng, {t.name.lower() for t in made}, number)
        columns: list[Column] = []
        for place in range(rng.randint(1, 9)):
            column = _name(rng, {c.name.lower() for c in columns}, place)
            columns.append(Column(column, _random_type(rng, dialect)))
        made.append(_keyed(rng, Table(name, tuple(columns)), made))
    return Schema(tuple(made), "random")


def _can_be_key(column: Column) -> bool:
    return not any(part in column.type.upper() for part in _UNKEYED)


def _random_type(rng: random.Random, dialect: str) -> str:
    kind = rng.choice(TOLD["types"][dialect]["usual" if rng.random() < 0.6 else "other"])
    return kind.lower() if rng.random() < 0.5 and "'" not in kind else kind


def _name(rng: random.Random, taken: set[str], number: int) -> str:
    name = rng.choice(TOLD["names"]["odd" if rng.random() < 0.25 else "plain"])
    return name if name.lower() not in taken else f"{name}_{number}"


def _keyed(rng: random.Random, table: Table, before: list[Table]) -> Table:
    """Give a table no key, a key, or a composite one, and perhaps references to tables before it."""
    able = [column.name for column in table.columns if _can_be_key(column)]
    key = tuple(able[: rng.choice([0, 1, 1, 2])])
    foreign: list[ForeignKey] = []
    for target in rng.sample(before, min(2, len(before))):
        width = len(target.primary_key)
        if 0 < width <= len(table.columns) and rng.random() < 0.6:
            columns = tuple(column.name for column in rng.sample(table.columns, width))
            foreign.append(ForeignKey(columns, target.name, target.primary_key))
    return Table(table.name, table.columns, key, tuple(foreign))


def respelled(rng: random.Random, schema: Schema) -> Schema:
    """Return a schema of PostgreSQL as people make them.

    Some names are spelled otherwise, some columns have a twin that differs in case alone, some tables lie in other
    namespaces, perhaps called as a table that is elsewhere.
    """
    own = {table.name: _respelled_columns(rng, table) for table in schema.tables}
    places: dict[str, tuple[str, str]] = {}
    for table in schema.tables:
        places[table.name] = _place(rng, table.name, places.values())
    several = Counter(name for _, name in places.values())
    names = {name: own if space == _FOUND else f"{space}.{own}" for name, (space, own) in places.items()}

    def respell(table: Table) -> Table:
        def spelled(keys: tuple[str, ...], of: str = table.name) -> tuple[str, ...]:
            return tuple(own[of][key][0].name for key in keys)

        space, name = places[table.name]
        return replace(
            table,
            name=names[table.name],
            columns=tuple(column for twins in own[table.name].values() for column in twins),
            primary_key=spelled(table.primary_key),
            foreign_keys=tuple(
                ForeignKey(spelled(key.columns), names[key.table], spelled(key.references, key.table))
                for key in table.foreign_keys
            ),
            unique=spelled(table.unique),
            namespace=space,
            qualified=several[name] > 1 or space != _FOUND,
        )

    return replace(schema, tables=tuple(map(respell, schema.tables)))


def _respelled_columns(rng: random.Random, table: Table) -> dict[str, tuple[Column, ...]]:
    """Return for each column its new form, and a twin that differs in case, for some."""
    taken = {column.name for column in table.columns}
    found: dict[str, tuple[Column, ...]] = {}
    for column in table.columns:
        name = _spelled(rng, column.name, taken)
        twin = name.swapcase()
        twins = (twin,) if rng.random() < 0.15 and twin not in taken | {name} and len(twin.encode()) < 64 else ()
        taken |= {name, *twins}
        found[column.name] = tuple(replace(column, name=one) for one in (name, *twins))
    return found


def _spelled(rng: random.Random, name: str, taken: Collection[str]) -> str:
    made = rng.choice([str, str, str.upper, str.title, str.swapcase, _camel])(name)
    return name if made in taken or len(made.encode()) > 63 else made


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest) if first and rest else f"{name}Id"


def _place(rng: random.Random, name: str, taken: Collection[tuple[str, str]]) -> tuple[str, str]:
    """Return the namespace of a table, and its name there."""
    space = rng.choice([_FOUND, _FOUND, _FOUND, *_NAMESPACES[:4], rng.choice(_NAMESPACES)])
    others = [own for _, own in taken if (space, own) not in taken]
    own = rng.choice(others) if others and rng.random() < 0.3 else _spelled(rng, name, {own for _, own in taken})
    while (space, own) in taken:
        own += "Again"
    return space, own


def random_rows(rng: random.Random, table: Table, dialect: str) -> list[tuple[Any, ...]]:
    """Return a few rows whose keys are unique: None, bool, int, float, Decimal, str and bytes."""
    rows: dict[Any, tuple[Any, ...]] = {}
    names = [column.name for column in table.columns]
    keys, unique = ([names.index(name) for name in some] for some in (table.primary_key, table.unique))
    for number in range(rng.choice(ROWS)):
        row = tuple(
            _key(rng, column, number, dialect) if i in keys or i in unique else _cell(rng, column, dialect)
            for i, column in enumerate(table.columns)
        )
        if all(row[i] != other[i] for other in rows.values() for i in unique):
            rows.setdefault(tuple(row[i] for i in keys) or number, row)
    return list(rows.values())


def _cell(rng: random.Random, column: Column, dialect: str) -> Any:
    if rng.random() < NULLS:
        return None
    if dialect == "sqlite" and rng.random() < MISFITS:
        return rng.choice([0, -7, 2.5, "abc", "", b"\x00x"])
    return _value(rng, column.type, dialect)


def _key(rng: random.Random, column: Column, number: int, dialect: str) -> Any:
    """Return a value that an engine does not take for equal to another one: texts differ in more than their case."""
    return f"k{number}" if re.search("CHAR|TEXT|CLOB", column.type.upper()) else _value(rng, column.type, dialect)


def _value(rng: random.Random, kind: str, dialect: str) -> Any:
    if labels := labels_of(kind):
        return rng.choice(labels)
    upper = kind.upper()
    makers = (*TOLD["makers"][dialect].items(), *TOLD["makers"]["any"].items())
    value = _drawn(rng, next(maker for pattern, maker in makers if re.search(pattern, upper)), upper)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return value
    end = 10 ** load_types(dialect).column(kind).magnitude  # stored numbers are trusted to lie below it
    return value if -end < value < end else end - 1 if value > 0 else 1 - end


def _drawn(rng: random.Random, maker: Any, kind: str) -> Any:
    """Draw a value from what walks.toml has for a type."""
    if isinstance(maker, int):
        value = rng.choice([0, 0, 1, 1, 2, 5, -1, -12, 100, rng.randint(-99, 99), maker, -maker])
        return abs(value) if "UNSIGNED" in kind else value
    if isinstance(maker, str) and maker in _FUNCTIONS:
        return _FUNCTIONS[maker](rng, kind)
    value = rng.choice(_CELLS[maker] if isinstance(maker, str) else maker)
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value


def _decimal(rng: random.Random, kind: str) -> Decimal:
    sizes = [int(size) for size in re.findall(r"-?\d+", kind)] or [20, 5]
    places = sizes[1] if len(sizes) > 1 else 0
    step = Decimal(1).scaleb(-places)
    most = Decimal("9" * sizes[0]).scaleb(-places)
    value = Decimal(rng.choice(["0", "0", "1", "1.5", "-2.25", "50", "99.99", "-0.01"])).quantize(step)
    least = most.copy_negate()  # unary minus would round
    return min(most, max(least, rng.choice([value, value, value, step, most, least])))


def _text(rng: random.Random, kind: str) -> str:
    size = re.search(r"\((\d+)\)", kind)
    most = int(size[1]) if size else 200 if "TINY" in kind else 300
    return rng.choice(_CELLS["texts"])[:most]


def _moment(rng: random.Random, kind: str) -> str:
    """Return a date with a time; a MySQL TIMESTAMP ends in 2038."""
    dates = _CELLS["dates"] if kind.startswith("DATETIME") or "NULL" not in kind else _CELLS["dates"][:5]
    return f"{rng.choice(dates)} {rng.choice(_CELLS['times'])}"


_FUNCTIONS: dict[str, Callable[[random.Random, str], Any]] = {"decimal": _decimal, "text": _text, "moment": _moment}
