"""Schemas and rows at random: odd names, reserved words, Unicode, composite keys, no keys, every column type."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from querent.data.schema import Column, ForeignKey, Schema, Table

TYPES = {
    "sqlite": ["INTEGER", "REAL", "TEXT", "NUMERIC", "BLOB", "VARCHAR(20)", "DATE", "DATETIME", "BOOLEAN"],
    "mysql": [
        *("INT", "TINYINT", "BIGINT", "DECIMAL(10, 2)", "FLOAT", "DOUBLE", "VARCHAR(20)", "CHAR(3)", "TEXT"),
        *("DATE", "DATETIME", "TIME", "TIMESTAMP NULL", "YEAR", "BOOLEAN", "BLOB"),
    ],
    "postgres": [
        *("INTEGER", "SMALLINT", "BIGINT", "NUMERIC(10, 2)", "REAL", "DOUBLE PRECISION", "VARCHAR(20)", "CHAR(3)"),
        *("TEXT", "DATE", "TIMESTAMP", "TIME", "BOOLEAN", "BYTEA"),
    ],
}
PLAIN = ["lake", "river", "order_line", "Tag", "reading", "unit", "t1", "visit", "item", "area", "name", "value", "no"]
ODD = [
    "order",
    "group",
    "select",
    "my column",
    "it's",
    'a"b',
    "a`b",
    "病人",
    "姓名",
    "größe",
    "1st",
    "date",
    "user",
    "x.y",
]
ROWS = 8


def random_schema(rng: random.Random, dialect: str) -> Schema:
    """Return a schema of 1 to 40 tables."""
    count = rng.choice([1, 2, 3, 4, 6, 9, 15, 40])
    tables: list[Table] = []
    for number in range(count):
        name = _name(rng, {t.name.lower() for t in tables}, number)
        columns: list[Column] = []
        for place in range(rng.randint(1, 9)):
            column = _name(rng, {c.name.lower() for c in columns}, place)
            columns.append(Column(column, rng.choice(TYPES[dialect])))
        tables.append(Table(name, tuple(columns)))
        tables[-1] = _keyed(rng, tables)
    return Schema(tuple(tables), "random")


def random_rows(rng: random.Random, table: Table) -> list[tuple[Any, ...]]:
    """Return a few rows, with nulls and ties, whose keys are unique; Python values that drivers take."""
    rows: dict[Any, tuple[Any, ...]] = {}
    keys = [i for i, c in enumerate(table.columns) if c.name in table.primary_key]
    for number in range(ROWS):
        row = [
            _value(rng, c.type, number) if i in keys or rng.random() < 0.85 else None
            for i, c in enumerate(table.columns)
        ]
        rows.setdefault(tuple(row[i] for i in keys) or number, tuple(row))
    return list(rows.values())


def _name(rng: random.Random, taken: set[str], number: int) -> str:
    name = rng.choice(ODD if rng.random() < 0.25 else PLAIN)
    return name if name.lower() not in taken else f"{name}_{number}"


def _keyed(rng: random.Random, tables: list[Table]) -> Table:
    """Give the last table no key, a key, or a composite one, and perhaps a reference that is not enforced."""
    table = tables[-1]
    able = [c.name for c in table.columns if not any(k in c.type for k in ("TEXT", "BLOB", "BYTEA", "FLOAT", "REAL"))]
    key = tuple(able[: rng.choice([0, 1, 1, 2])])
    foreign: tuple[ForeignKey, ...] = ()
    targets = [t for t in tables[:-1] if len(t.primary_key) == 1]
    if targets and rng.random() < 0.5:
        target = rng.choice(targets)
        foreign = (ForeignKey((rng.choice(table.columns).name,), target.name, target.primary_key),)
    return Table(table.name, table.columns, key, foreign)


def _value(rng: random.Random, kind: str, number: int) -> Any:
    return next(make for name, make in _MAKERS if name in kind.upper())(rng, number)


def _text(rng: random.Random, number: int) -> str:
    return rng.choice(["a", "b", "i's", "x%", "", "é"]) if number < 4 else f"v{number}"[:3]


# the first name that stands in a type says what its values are
_MAKERS: tuple[tuple[str, Callable[[random.Random, int], Any]], ...] = (
    ("BOOL", lambda rng, n: bool(n % 2)),
    ("BLOB", lambda rng, n: b"\x00x"),
    ("BYTEA", lambda rng, n: b"\x00x"),
    ("DATETIME", lambda rng, n: f"2024-03-{1 + n:02d} 0{n % 8}:30:00"),
    ("TIMESTAMP", lambda rng, n: f"2024-03-{1 + n:02d} 0{n % 8}:30:00"),
    ("DATE", lambda rng, n: f"2024-02-{20 + n:02d}"),
    ("TIME", lambda rng, n: f"0{n % 8}:15:00"),
    ("YEAR", lambda rng, n: 2000 + n),
    ("CHAR", _text),
    ("TEXT", _text),
    *((name, lambda rng, n: rng.choice([0, 1.5, -2.25, 50]) + n) for name in ("DEC", "NUM", "REAL", "FLOAT", "DOUB")),
    ("", lambda rng, n: rng.choice([0, 1, -1, 7]) + 3 * n),
)
