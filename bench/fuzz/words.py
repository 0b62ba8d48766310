"""The words that walks choose from: all that a dialect's grammar has of a schema, and what questions leave of it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from querent.data.domains.examples import Value, ValueMention
from querent.data.schema.schema import Schema, Table
from querent.grammar import Grammar, Vocabulary, Word

from .schemas import TOLD

__all__ = ["Question", "questions", "vocabulary"]

TABLES = 4
"""Tables that get aliases and derived tables; the others are named as they are."""

SHARES = (1.0, 1.0, 1.0, 0.8, 0.4)
FEW = (0.04, 0.08, 0.15, 0.25, 0.4)
"""Shares of the names, constants and functions that a question may use; one question of a schema has each."""


def vocabulary(rng: random.Random, grammar: Grammar) -> Vocabulary:
    """Return many words of a schema; aliases and constants differ from draw to draw."""
    found = Vocabulary.build(grammar, list(_queries(rng, grammar)), functions="all")
    return Vocabulary(grammar, (*found.words, *_shown(rng, found))) if grammar.wide else found


def _shown(rng: random.Random, vocabulary: Vocabulary) -> Iterator[Word]:
    """Yield columns that queries of WITH may show, bare and with owners."""
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
    numbers, texts, slotted = (TOLD["words"][kind] for kind in ("numbers", "texts", "slotted"))
    yield "SELECT " + ", ".join(rng.sample(numbers, len(numbers) * 2 // 3))
    yield "SELECT " + ", ".join(_text(t, grammar) for t in rng.sample(texts, len(texts) // 2))
    yield "SELECT " + ", ".join(rng.sample(slotted, len(slotted) // 2))
    tables = rng.sample(grammar.schema.tables, min(TABLES, len(grammar.schema.tables)))
    pool = _alias_pool(rng, grammar.schema, tables)
    for table in tables:
        yield from _named(grammar, table, [grammar.quoting.write(pool.pop()) for _ in range(2)])
        yield from _derived(rng, grammar, table, [grammar.quoting.write(pool.pop()) for _ in range(4)])
    for table in tables[:2]:  # one alias for several tables, as in Spider
        yield from _named(grammar, table, ["T1", "T2"])


def _text(text: str, grammar: Grammar) -> str:
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
    """Yield a derived table that shows columns and outputs of its own, and items with aliases."""
    derived, first, second, item = aliases
    write = grammar.quoting.write
    columns = [write(c.name) for c in rng.sample(table.columns, min(2, len(table.columns)))]
    inner = f"SELECT {', '.join(columns)}, COUNT(*) AS {first}, MIN({columns[0]}) AS {second} FROM {write(table)}"
    shown = ", ".join(f"{derived}.{name}" for name in (*columns, first, second))
    yield f"SELECT {shown}, {derived}.* FROM ({inner}) AS {derived}"
    yield f"SELECT {columns[0]} AS {item} FROM {write(table)} ORDER BY {item}"


@dataclass(frozen=True)
class Question:
    """One question's part in a constraint.

    Attributes:
        words: shape (vocabulary,), what it may use; None for everything.
        values: what each slot is filled with.
    """

    words: NDArray[np.bool_] | None
    values: Mapping[str, Value]

    @property
    def told(self) -> dict[str, str]:
        """Return what the constraint is told of the values."""
        return {slot: value.mention.sql for slot, value in self.values.items()}


def questions(rng: random.Random, vocabulary: Vocabulary, *, few: bool = False) -> list[Question]:
    """Draw the questions of a schema, not many, since a constraint remembers much of each; of ``few`` words or more."""
    return [_question(rng, vocabulary, share) for share in (FEW if few else SHARES)]


def _question(rng: random.Random, vocabulary: Vocabulary, share: float) -> Question:
    words = None if share == 1 else np.array([rng.random() < share for _ in vocabulary.words])
    slots = sorted({slot for word in vocabulary.words for slot in word.slots})
    return Question(words, {slot: _value(rng, slot) for slot in slots})


def _value(rng: random.Random, slot: str) -> Value:
    kind = slot.rstrip("0123456789")
    if kind == "number":
        sql = rng.choice(TOLD["said"]["broken" if rng.random() < 0.3 else "whole"])
        return Value(slot, ValueMention(0, 0, sql, kind, sql, "number"))
    sql = rng.choice(TOLD["said"][kind])
    return Value(slot, ValueMention(0, 0, sql, kind, sql))
