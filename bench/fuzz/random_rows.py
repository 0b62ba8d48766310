"""Rows at random: nulls, ties, zeros, big and tiny numbers, odd texts, ends of months, midnight."""

from __future__ import annotations

import random
import re
import struct
import tomllib
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from querent.data.schema.enumerations import labels_of
from querent.data.schema.schema import Column, Table
from querent.grammar.types.dialect import load_types

ROWS = (0, 1, 2, 3, 4, 5, 6, 8)
"""How many rows a table may have; few, since walks write cross joins of many tables."""

NULLS = 0.15
"""Share of nulls outside of keys."""

MISFITS = 0.03
"""Share of values outside of keys that are not of their column's type, which only SQLite takes."""

_CELLS: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("walks.toml").read_text("utf-8"))["cells"]
_TEXTUAL = "CHAR|TEXT|CLOB"

Maker = Callable[[random.Random, str], Any]


def random_rows(rng: random.Random, table: Table, dialect: str) -> list[tuple[Any, ...]]:
    """Return a few rows whose keys are unique: None, bool, int, float, Decimal, str and bytes."""
    rows: dict[Any, tuple[Any, ...]] = {}
    names = [column.name for column in table.columns]
    keys = [names.index(name) for name in table.primary_key]
    unique = [names.index(name) for name in table.unique]
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
    return f"k{number}" if re.search(_TEXTUAL, column.type.upper()) else _value(rng, column.type, dialect)


def _value(rng: random.Random, kind: str, dialect: str) -> Any:
    if labels := labels_of(kind):
        return rng.choice(labels)
    upper = kind.upper()
    makers = (*_OWN.get(dialect, ()), *_MAKERS)
    value = next(make for pattern, make in makers if re.search(pattern, upper))(rng, upper)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return value
    end = 10 ** load_types(dialect).column(kind).magnitude  # stored numbers are trusted to lie below it
    return value if -end < value < end else end - 1 if value > 0 else 1 - end


def _whole(most: int) -> Maker:
    def make(rng: random.Random, kind: str) -> int:
        value = rng.choice([0, 0, 1, 1, 2, 5, -1, -12, 100, rng.randint(-99, 99), most, -most])
        return abs(value) if "UNSIGNED" in kind else value

    return make


def _decimal(rng: random.Random, kind: str) -> Decimal:
    sizes = [int(size) for size in re.findall(r"-?\d+", kind)] or [20, 5]
    places = sizes[1] if len(sizes) > 1 else 0
    step = Decimal(1).scaleb(-places)
    most = Decimal("9" * sizes[0]).scaleb(-places)
    value = Decimal(rng.choice(["0", "0", "1", "1.5", "-2.25", "50", "99.99", "-0.01"])).quantize(step)
    least = most.copy_negate()  # unary minus would round
    return min(most, max(least, rng.choice([value, value, value, step, most, least])))


def _real(rng: random.Random, kind: str) -> float:
    return rng.choice([0.0, 0.0, 1.0, 1.5, -2.25, 50.0, 0.1, 1e-30, -1e-6, 1e15, -1e15, 9e29])


def _text(rng: random.Random, kind: str) -> str:
    size = re.search(r"\((\d+)\)", kind)
    most = int(size[1]) if size else 200 if "TINY" in kind else 300
    return rng.choice(_CELLS["texts"])[:most]


def _bytes(rng: random.Random, kind: str) -> bytes:
    return rng.choice([b"", b"\x00x", b"abc", b"1", b"\xff\xfe"])


def _date(rng: random.Random, kind: str) -> str:
    return rng.choice(_CELLS["dates"])


def _moment(rng: random.Random, kind: str) -> str:
    """Return a date with a time; a MySQL TIMESTAMP ends in 2038."""
    dates = _CELLS["dates"] if kind.startswith("DATETIME") or "NULL" not in kind else _CELLS["dates"][:5]
    return f"{rng.choice(dates)} {rng.choice(_CELLS['times'])}"


def _of(*values: Any) -> Maker:
    return lambda rng, kind: rng.choice(values)


# the first pattern found in a type says what its values are
_MAKERS: tuple[tuple[str, Maker], ...] = (
    (r"INT(EGER)?\[\]", _of("{1,2,NULL}", "{}", "{0}")),
    (r"\[\]", _of('{a,"b c"}', "{}", "{NULL}")),
    ("POINT", _of("(1,2)", "(0,0)")),
    ("^INTERVAL", _of(*_CELLS["durations"])),
    ("BOOL", _of(True, False)),
    (r"BIT\(4\)", _of("0101", "0000")),
    (r"BIT\(8\)", _of(0, 1, 255)),
    ("BLOB|BYTEA|BINARY", _bytes),
    ("JSON", _of(*_CELLS["json"])),
    ("UUID", _of(*_CELLS["ids"])),
    ("INET", _of("10.0.0.1", "10.0.0.0/8", "::1")),
    ("MONEY", _of("12.34", "-1.00", "0.00")),
    (r"^SET\(", _of("x", "y", "x,y", "")),
    ("YEAR", _of(1901, 2000, 2024, 2155)),
    ("DATETIME|TIMESTAMP", _moment),
    ("DATE", _date),
    ("TIME", _of(*_CELLS["times"])),
    (_TEXTUAL, _text),
    ("TINYINT", _whole(127)),
    ("SMALLINT", _whole(32_767)),
    ("MEDIUMINT", _whole(8_388_607)),
    ("BIG ?INT|BIG INT", _whole(999_999_999_999_999_999)),
    ("INT", _whole(2_147_483_647)),
    ("DEC|NUM", _decimal),
    ("", _real),
)

# shapes as MySQL stores them: the reference system, then the well-known binary form
_POINT = struct.pack("<IBI2d", 0, 1, 1, 0, 2)
_LINE = struct.pack("<IBII4d", 0, 1, 2, 2, 0, 0, 2, 2)
_AREA = struct.pack("<IBIII8d", 0, 1, 3, 1, 4, 0, 0, 1, 0, 1, 1, 0, 0)

# types that one dialect alone has, or has otherwise; these come first
_OWN: Mapping[str, tuple[tuple[str, Maker], ...]] = {
    "sqlite": (("STRING|ANY", _text),),
    "mysql": (
        (r"BIGINT\(10\)", _of(0, 1, 2**64 - 1)),
        ("POINT", _of(_POINT)),
        ("LINESTRING", _of(_LINE)),
        ("POLYGON", _of(_AREA)),
        ("GEOMETRY", _of(_POINT, _LINE, _AREA)),
        ("BYTE$", _of(b"", b"abc", b"\xff\x00")),
        (r"BIT\(64\)", _of(0, 1, 2**64 - 1)),
        ("ZEROFILL", _of(0, 1, 999_999, 2**32 - 1)),
        (r"DECIMAL.*UNSIGNED", _of(Decimal(0), Decimal("0.01"), Decimal("1.50"), Decimal("999.99"))),
        ("DOUBLE UNSIGNED", _of(0.0, 1.5, 1e-30, 9e29)),
        (r"FLOAT\(7", _of(0.0, 1.5, -9999.999, 0.001)),
        ("INET4", _of("0.0.0.0", "10.0.0.1", "255.255.255.255")),
        ("INET6", _of("::", "::1", "::ffff:10.0.0.1")),
    ),
    "postgres": (
        ("RANGE", _of("empty")),
        (r"DATE\[\]", _of("{2024-02-29,NULL}", "{}")),
        ("BOX", _of("(0,0),(1,2)")),
        ("CIRCLE", _of("<(0,0),1>")),
        ("POLYGON", _of("((0,0),(1,0),(1,1))")),
        ("XML", _of("<a>1</a>", "b")),
        ("TSVECTOR", _of("a:1 b:2", "")),
        ("TSQUERY", _of("a & b", "")),
        ("CIDR", _of("10.0.0.0/8", "::/0")),
        ("MACADDR", _of("08:00:2b:01:02:03")),
        ("BIT VARYING", _of("0101", "")),
        ("OID", _whole(2_147_483_647)),
        ("NAME", _of("a", "it's")),
        ("INT2$", _whole(32_767)),
    ),
}
