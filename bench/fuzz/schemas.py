"""The schemas of walks, each drawn by its number, with rows for their tables, words and questions.

They are the plant's and random ones, with odd names, reserved words, Unicode, composite keys or none, and every column
type. Rows have nulls, ties, zeros, large and tiny numbers, odd texts, ends of months, midnight.
"""

import random
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.accuracy.result_files import ROOT
from querent.data.databases.schema_readers import read_schema
from querent.data.schema.schema import Column, ForeignKey, Schema, Table, labels_of
from querent.data.values.slots import Value, ValueMention
from querent.grammar import Grammar, Vocabulary, Word
from querent.grammar.types.dialect import load_types

PLANT = ROOT / "data" / "plant" / "schema.sql"
AGAIN = 60  # the period after which the plant's schema comes again, with other rows and words
LISTS = tomllib.loads(Path(__file__).with_name("walks.toml").read_text("utf-8"))
"""Names, types, words and cells that are drawn."""

_UNKEYED = (
    *("TEXT", "BLOB", "BYTEA", "CLOB", "JSON", "FLOAT", "REAL", "DOUBLE", "[]", "BINARY", "BYTE", "XML"),
    *("TO MONTH", "POINT", "GEOMETRY", "POLYGON", "LINESTRING", "BOX", "CIRCLE"),
)
"""Parts of types that no key may have, or whose equal values differ in Python."""

ROWS = (0, 1, 2, 3, 4, 5, 6, 8)
"""Numbers of rows of a table, drawn from; few, since walks write cross joins of many tables."""

NULLS = 0.15  # share of nulls outside of keys
MISFITS = 0.03  # share of values outside of keys that are not of their column's type, which only SQLite takes
TABLES = 4  # tables that get aliases and derived tables; the others are named as they are
SHARES = (1.0, 1.0, 1.0, 0.8, 0.4)
FEW = (0.04, 0.08, 0.15, 0.25, 0.4)
"""Shares of the names, constants and functions that a question may use; one question of a schema has each."""

_CELLS: dict[str, list[str]] = LISTS["cells"]


def schema_at(number: int, rng: random.Random, dialect: str) -> Schema:
    """Return the schema of a number."""
    if dialect == "sqlite" and number % AGAIN == 0:
        return read_schema(PLANT, dialect)
    return random_schema(rng, dialect)


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
    kind = rng.choice(LISTS["types"][dialect]["usual" if rng.random() < 0.6 else "other"])
    return kind.lower() if rng.random() < 0.5 and "'" not in kind else kind


def _name(rng: random.Random, taken: set[str], number: int) -> str:
    name = rng.choice(LISTS["names"]["odd" if rng.random() < 0.25 else "plain"])
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
    """Return a value that an engine finds different from others: texts differ in more than their case."""
    return f"k{number}" if re.search("CHAR|TEXT|CLOB", column.type.upper()) else _value(rng, column.type, dialect)


def _value(rng: random.Random, kind: str, dialect: str) -> Any:
    if labels := labels_of(kind):
        return rng.choice(labels)
    upper = kind.upper()
    makers = (*LISTS["makers"][dialect].items(), *LISTS["makers"]["any"].items())
    value = _drawn(rng, next(maker for pattern, maker in makers if re.search(pattern, upper)), upper)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return value
    end = 10 ** load_types(dialect).column(kind).magnitude  # stored numbers are trusted to lie below it
    return value if -end < value < end else end - 1 if value > 0 else 1 - end


def _drawn(rng: random.Random, maker: Any, kind: str) -> Any:
    """Draw a value by the entry of walks.toml for a type."""
    if isinstance(maker, int):
        value = rng.choice([0, 0, 1, 1, 2, 5, -1, -12, 100, rng.randint(-99, 99), maker, -maker])
        return abs(value) if "UNSIGNED" in kind else value
    if isinstance(maker, str) and maker in _FUNCTIONS:
        return _FUNCTIONS[maker](rng, kind)
    value: Any = rng.choice(_CELLS[maker] if isinstance(maker, str) else maker)
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


def vocabulary(rng: random.Random, grammar: Grammar) -> Vocabulary:
    """Return many words of a schema; aliases and constants differ from draw to draw."""
    found = Vocabulary.build(grammar, list(_queries(rng, grammar)), functions="all")
    return Vocabulary(grammar, (*found.words, *_with_columns(rng, found))) if grammar.wide else found


def _with_columns(rng: random.Random, vocabulary: Vocabulary) -> Iterator[Word]:
    """Yield columns that WITH queries may have, bare and with owners."""
    known = {(word.text, word.terminal, word.tables) for word in vocabulary.words}
    aliases = [word.text for word in vocabulary.words if word.terminal == "ALIAS"]
    columns = [word.text for word in vocabulary.words if word.terminal == "COLUMN"]
    names = vocabulary.grammar.types.names
    for name in (*aliases, *rng.sample(columns, min(4, len(columns)))):
        yield Word(name, "COLUMN", "column", column=names.named(name))
        for owner in rng.sample(aliases, min(6, len(aliases))):
            if (text := f"{owner}.{name}", "QCOLUMN", ()) not in known:
                yield Word(text, "QCOLUMN", "column", column=names.named(name))


def _queries(rng: random.Random, grammar: Grammar) -> Iterator[str]:
    """Yield queries that bring in names, aliases, derived tables, constants and slots."""
    numbers, texts, slotted = (LISTS["words"][kind] for kind in ("numbers", "texts", "slotted"))
    yield "SELECT " + ", ".join(rng.sample(numbers, len(numbers) * 2 // 3))
    yield "SELECT " + ", ".join(_quoted(t, grammar) for t in rng.sample(texts, len(texts) // 2))
    yield "SELECT " + ", ".join(rng.sample(slotted, len(slotted) // 2))
    tables = rng.sample(grammar.schema.tables, min(TABLES, len(grammar.schema.tables)))
    pool = _alias_pool(rng, grammar.schema, tables)
    for table in tables:
        yield from _named(grammar, table, [grammar.quoting.write(pool.pop()) for _ in range(2)])
        yield from _derived(rng, grammar, table, [grammar.quoting.write(pool.pop()) for _ in range(4)])
    for table in tables[:2]:  # one alias for several tables, as in Spider
        yield from _named(grammar, table, ["T1", "T2"])


def _quoted(text: str, grammar: Grammar) -> str:
    escaped = text.replace("'", "''")
    return "'" + (escaped.replace("\\", "\\\\") if grammar.dialect == "mysql" else escaped) + "'"


def _alias_pool(rng: random.Random, schema: Schema, tables: Sequence[Table]) -> list[str]:
    """Return names for aliases in any order; some are those of tables and columns."""
    plain = [f"{table.name}alias{n}" for table in tables for n in range(4)]
    taken = [t.own_name for t in schema.tables[:6]] + [c.name for t in tables for c in t.columns[:2]]
    odd = ["my alias", "order", "别名", "value1", "value2", "x", "A", "1st", "cnt", "total", "count"]
    pool = list({name.lower(): name for name in [*plain, *rng.sample(taken, min(3, len(taken))), *odd]}.values())
    rng.shuffle(pool)
    return pool


def _named(grammar: Grammar, table: Table, aliases: Sequence[str]) -> Iterator[str]:
    """Yield the ways to name a table's columns: bare, by table, by alias, by star."""
    name, column = grammar.quoting.write(table), grammar.quoting.write(table.columns[0].name)
    yield f"SELECT {column}, {name}.{column}, {name}.* FROM {name}"
    for alias in aliases:
        yield f"SELECT {alias}.{column}, {alias}.* FROM {name} AS {alias}"


def _derived(rng: random.Random, grammar: Grammar, table: Table, aliases: Sequence[str]) -> Iterator[str]:
    """Yield a derived table with columns and outputs of its own, and items with aliases."""
    derived, first, second, item = aliases
    write = grammar.quoting.write
    columns = [write(c.name) for c in rng.sample(table.columns, min(2, len(table.columns)))]
    inner = f"SELECT {', '.join(columns)}, COUNT(*) AS {first}, MIN({columns[0]}) AS {second} FROM {write(table)}"
    selected = ", ".join(f"{derived}.{name}" for name in (*columns, first, second))
    yield f"SELECT {selected}, {derived}.* FROM ({inner}) AS {derived}"
    yield f"SELECT {columns[0]} AS {item} FROM {write(table)} ORDER BY {item}"


@dataclass(frozen=True)
class Question:
    """The words and values of one question.

    Attributes:
        words: shape (vocabulary,), those that a query may use; None for all.
        values: the value of each slot.
    """

    words: NDArray[np.bool_] | None
    values: Mapping[str, Value]

    @property
    def literals(self) -> dict[str, str]:
        """Return the SQL of each slot's value, for the constraint."""
        return {slot: value.mention.sql for slot, value in self.values.items()}


def questions(rng: random.Random, vocabulary: Vocabulary, *, few: bool = False) -> list[Question]:
    """Draw the questions of a schema, a handful, since a constraint caches much for each; of ``few`` words or more."""
    return [_question(rng, vocabulary, share) for share in (FEW if few else SHARES)]


def _question(rng: random.Random, vocabulary: Vocabulary, share: float) -> Question:
    words = None if share == 1 else np.array([rng.random() < share for _ in vocabulary.words])
    slots = sorted({slot for word in vocabulary.words for slot in word.slots})
    return Question(words, {slot: _slot_value(rng, slot) for slot in slots})


def _slot_value(rng: random.Random, slot: str) -> Value:
    kind = slot.rstrip("0123456789")
    if kind == "number":
        sql = rng.choice(LISTS["slots"]["broken" if rng.random() < 0.3 else "whole"])
        return Value(slot, ValueMention(0, 0, sql, kind, sql, "number"))
    sql = rng.choice(LISTS["slots"][kind])
    return Value(slot, ValueMention(0, 0, sql, kind, sql))
