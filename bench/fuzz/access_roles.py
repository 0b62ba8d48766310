"""Roles drawn for a schema, and logits that want nothing but what a role may not read."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from querent.data.schema.schema import Schema
from querent.grammar import EOS, Access, Constraint, Vocabulary
from querent.grammar.tokens.constraint import TokenConstraint

__all__ = ["Temptation", "forbidden", "random_access", "unsteady"]

_WAYS_IN = ("*", "NATURAL", "USING", "EXISTS", "SELECT", "UNION", "JOIN", "WHERE", "ORDER", "GROUP", "HAVING", "rowid")
_SHORTEST = 2  # letters of a name that tempts wherever it stands


def random_access(rng: random.Random, schema: Schema) -> Access:
    """Return a role that may read some tables whole, some in part, and something not at all."""
    whole: list[str] = []
    columns: dict[str, tuple[str, ...]] = {}
    for table in schema.tables:
        kind = rng.choice(["whole", "part", "part", "none"])
        names = [column.name for column in table.columns]
        if kind == "whole":
            whole.append(table.name)
        elif kind == "part":
            columns[table.name] = tuple(rng.sample(names, rng.randint(1, max(1, len(names) - 1))))
    if not whole and not columns:
        columns[schema.tables[0].name] = (schema.tables[0].columns[0].name,)
    if len(whole) == len(schema.tables) > 0:
        table = schema.table(whole.pop())
        columns[table.name] = (table.columns[0].name,)
    return Access(tuple(whole), columns)


def forbidden(schema: Schema, access: Access) -> frozenset[tuple[str, str]]:
    """Return what may not be read, by table and column in lower case; an empty column is the whole table.

    Made from the access anew and not by the product, which is on trial.
    """
    whole = {name.lower() for name in access.tables} - {name.lower() for name in access.columns}
    part = {name.lower(): {c.lower() for c in columns} for name, columns in access.columns.items()}
    found: set[tuple[str, str]] = set()
    for table in schema.tables:
        name = table.name.lower()
        if name not in whole:
            found |= {(name, c.name.lower()) for c in table.columns if c.name.lower() not in part.get(name, ())}
            found.add((name, "rowid"))
        if name not in whole and name not in part:
            found.add((name, ""))
    return frozenset(found)


class Temptation:
    """Chooses what comes nearest to what may not be read.

    Args:
        rng: its draws.
        hidden: what may not be read, as `forbidden` gives it.
    """

    def __init__(self, rng: random.Random, hidden: frozenset[tuple[str, str]]) -> None:
        self._rng = rng
        names = {name for pair in hidden for name in pair if len(name) >= _SHORTEST}
        self._names = sorted(names, key=lambda name: (-len(name), name))
        self._columns = {column for _, column in hidden}
        self._tables = {table for table, _ in hidden}

    def query(self, constraint: Constraint, budget: int, values: Mapping[str, str]) -> list[int]:
        """Write a query word by word, whose slots will be filled with values."""
        liking = self._liking(constraint.vocabulary)
        state, ids = constraint.start(None, budget, values), list[int]()
        while True:
            allowed = np.flatnonzero(state.allowed())
            noise = np.array([self._rng.gauss(0, 2) for _ in allowed])
            word = int(allowed[np.argmax(liking[allowed] + noise)])
            if word == EOS:
                return ids
            ids.append(word)
            state = state.advance(word)

    def _liking(self, vocabulary: Vocabulary) -> NDArray[np.float64]:
        liking = np.zeros(len(vocabulary))
        for i, word in enumerate(vocabulary.words):
            text = word.text.lower()
            column = (word.column or "").lower()
            liking[i] += 8 * (word.kind != "keyword" and any(name in text for name in self._names))
            liking[i] += 6 * (word.terminal in {"COLUMN", "QCOLUMN"} and column in self._columns)
            liking[i] += 4 * (
                word.terminal in {"TABLE", "QSTAR"} and bool(self._tables & set(map(str.lower, word.tables)))
            )
            liking[i] += 4 * (word.text in _WAYS_IN) + 3 * (word.text in {"FROM", "(", ","})
        liking[EOS] = -3
        return liking

    def text(self, constraint: TokenConstraint) -> str:
        """Write a query byte by byte, on a constraint whose tokens are the 256 bytes and an end."""
        state = constraint.start()
        wanted = [name.encode() for name in (*self._names, *(f" {way.lower()} " for way in _WAYS_IN), "rowid", "oid")]
        while not state.ended:
            allowed = np.flatnonzero(state.allowed()).tolist()
            written = state.text.lower().encode()
            byte = self._longing(wanted, written, set(allowed)) if self._rng.random() < 0.9 else None
            if byte is None:
                shown = [b for b in allowed if b == 256 or chr(b) not in " \n\t"]
                byte = self._rng.choice(shown or allowed)
            state = state.advance(byte)
        return state.text

    def _longing(self, wanted: list[bytes], written: bytes, allowed: set[int]) -> int | None:
        """Return the byte that goes on with the longest beginning of a name that is wanted, or begins one."""
        best: dict[int, list[int]] = {}
        for name in wanted:
            for size in range(min(len(name) - 1, len(written)), -1, -1):
                if written.endswith(name[:size]):
                    going = [b for b in (name[size], ord(chr(name[size]).upper())) if b in allowed and b < 256]
                    if going:
                        best.setdefault(size, []).append(going[0])
                    break
        if not best:
            return None
        size = max(best)
        return self._rng.choice(best[size])


def unsteady(sql: str) -> bool:
    """Say whether a query may answer otherwise each time it is asked."""
    return (
        re.search(r"\b(random|date|time|datetime|julianday|unixepoch|strftime)\(|current_", sql, re.IGNORECASE)
        is not None
    )
