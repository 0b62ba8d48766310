"""Rows for one query: its constants and what lies beside them, joins that hit and miss, groups of the sizes it asks."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .facts import Facts
from .neighbours import Value, beside, between, is_time, shifted
from .shape import Field, Kind, Place, Relation, Shape

__all__ = ["Filler", "Pools", "RowStore"]

_PLAIN: dict[Kind, list[Value]] = {
    "integer": [0, 1, 2, 3, 5, 8, 10],
    "real": [0, 1, 2, 3.5, 5, 8.25, 10],
    "text": ["a", "b", "c", "d", "e"],
    "date": ["2024-03-28", "2024-03-29", "2024-03-30", "2024-03-31", "2023-12-31"],
    "time": ["2024-03-29 23:59:59", "2024-03-31 00:00:00", *(f"2024-03-30 {hour:02}:00:00" for hour in range(6, 13))],
}


@dataclass(frozen=True)
class _Pool:
    hits: list[Value]
    near: list[Value]


class Pools:
    """The values that a query's columns are filled from; columns that meet share theirs.

    Args:
        shape: of the database.
        known: of the query.
        stored: values of the domain's own database by column, empty where there is none.
    """

    def __init__(self, shape: Shape, known: Facts, stored: Mapping[Place, Sequence[Value]]) -> None:
        self.facts = known
        self._shape, self._stored = shape, stored
        self.group = _groups(shape, known)
        self._pools: dict[Place, _Pool] = {}

    def pool(self, place: Place) -> _Pool:
        """Return what a column is filled from."""
        if place not in self._pools:
            self._pools[place] = self._made(place)
        return self._pools[place]

    def bound(self, place: Place) -> bool:
        """Does the query compare the column with anything?"""
        return len(self.group.get(place, ())) > 1 or bool(self.pool(place).hits)

    def _made(self, place: Place) -> _Pool:
        field = self._shape.relations[place[0]].fields[place[1]]
        members = self.group.get(place, [place])
        hits = list(dict.fromkeys(_fitting(v, field) for p in members for v in self.facts.constants.get(p, ())))
        near: list[Value] = [n for v in hits for n in beside(v, field.kind, self.facts.spans)]
        for text in dict.fromkeys(t for p in members for t in self.facts.patterns.get(p, ())):
            hits += [f"a{text}z", text]
            near += [f"{text}z", f"a{text}", text[:-1], text[1:], f"{text[:1]}-{text[1:]}"]
        near += between(hits)
        if field.kind in {"integer", "real"}:
            near += [n for c in self.facts.numbers for n in (c, c + 1) if abs(c) < 10**9]
        stored = [_fitting(v, field) for p in members for v in self._stored.get(p, ())]
        times = field.kind in {"date", "time"} and bool(hits)
        plain = [] if times else list(_PLAIN[field.kind])
        if self.facts.spans and not hits and field.kind == "time":
            plain += [n for v in plain[:2] for n in beside(v, "time", self.facts.spans)]
        near += [*stored, *plain]
        return _Pool([h for h in hits if h is not None], list(dict.fromkeys(_fitting(v, field) for v in near)))


def _fitting(value: Value, field: Field) -> Value:
    """Write a value as its column stores it; a number compared with a text column is stored as text."""
    if value is None:
        return None
    if field.kind in {"integer", "real"}:
        return _as_number(value, field.kind)
    text = str(value)
    if field.kind == "time" and is_time(text) and len(text) == 10:
        return f"{text} 00:00:00"
    return text[:10] if field.kind == "date" and is_time(text) else text


def _as_number(value: Value, kind: Kind) -> Value:
    if isinstance(value, str):
        try:
            value = float(value) if "." in value else int(value)
        except ValueError:
            return value
    return int(value) if kind == "integer" and isinstance(value, float) else value


def _groups(shape: Shape, known: Facts) -> dict[Place, list[Place]]:
    """Put columns that meet, and keys with what refers to them, into one group each."""
    groups: dict[Place, list[Place]] = {}
    pairs = list(known.meets)
    for name in known.tables:
        for r in shape.relations[name].references:
            pairs += [((name, c), (r.table, p)) for c, p in zip(r.columns, r.references, strict=True)]
    for one, two in pairs:
        first, second = groups.setdefault(one, [one]), groups.setdefault(two, [two])
        if first is not second:
            first += second
            for place in second:
                groups[place] = first
    return groups


class RowStore:
    """Rows gathered for one database; refuses what breaks a key, NOT NULL or a reference."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.rows: dict[str, list[tuple[Value, ...]]] = {name: [] for name in shape.relations}
        self._keys: dict[tuple[str, tuple[str, ...]], set[Any]] = defaultdict(set)

    def add(self, table: str, row: Mapping[str, Value]) -> bool:
        """Add a row unless it breaks a rule; say whether it was added."""
        relation = self.shape.relations[table]
        if any(row[n] is None and not f.nullable for n, f in relation.fields.items()):
            return False
        wanted = [(key, tuple(row[c] for c in key)) for key in relation.keys]
        if any(value in self._keys[table, key] for key, value in wanted):
            return False
        for r in relation.references:
            value = tuple(row[c] for c in r.columns)
            if None not in value and value not in self._keys[r.table, r.references]:
                return False
        for key, value in wanted:
            self._keys[table, key].add(value)
        self.rows[table].append(tuple(row.values()))
        return True

    def merge(self, rows: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
        """Add the rows of another database, as far as they fit."""
        for name, relation in self.shape.relations.items():
            for row in rows.get(name, ()):
                self.add(name, dict(zip(relation.fields, row, strict=True)))


class Filler:
    """Draws rows for one query into a store.

    Args:
        pools: of the query.
        store: where the rows go.
        draw: the source of chance.
        rows: rows a table, about.
    """

    def __init__(self, pools: Pools, store: RowStore, draw: random.Random, *, rows: int) -> None:
        self._pools, self._store, self._draw, self._rows = pools, store, draw, rows
        self._shape = store.shape
        self._hit = draw.choice((0.5, 0.75, 0.9))
        self._null = draw.choice((0.0, 0.0, 0.08, 0.25))
        self._few = draw.choice((2, 3, 6, 100))
        self._said: dict[tuple[str, ...], list[Value]] = {}
        self._met: defaultdict[int, list[Value]] = defaultdict(list)

    def fill(self, *, leave_empty: str | None = None) -> None:
        """Fill the tables that the query reads, and those they refer to."""
        for name in self._tables():
            if name == leave_empty:
                continue
            for _ in range(self._draw.randint(1, 2 * self._rows)):
                row = self._row(name)
                if row is not None and self._pools.facts.spans and self._draw.random() < 0.7:
                    self._chain(name, row)
        if self._pools.facts.counts and self._draw.random() < 0.7:
            self._bursts()

    def _tables(self) -> list[str]:
        wanted = set(self._pools.facts.tables)
        for name in reversed(self._shape.relations):
            if name in wanted:
                wanted |= {r.table for r in self._shape.relations[name].references}
        return [name for name in self._shape.relations if name in wanted]

    def _row(self, name: str, like: Mapping[str, Value] | None = None) -> dict[str, Value] | None:
        relation = self._shape.relations[name]
        full = self._draw.random() < 0.7
        fixed = [c for c in relation.fields if self._pools.pool((name, c)).hits]
        off = self._draw.choice(fixed) if full and fixed and self._draw.random() < 0.5 else ""
        for _ in range(4):
            row = {c: self._value((name, c), f, full, like) for c, f in relation.fields.items()}
            if off:
                row[off] = self._missed((name, off))
            self._refer(relation, row)
            if self._store.add(name, row):
                self._meet(name, row)
                return row
        return None

    def _chain(self, name: str, row: dict[str, Value]) -> None:
        """Add rows with the same key but for its time, as far apart as the query's time spans."""
        relation = self._shape.relations[name]
        key = relation.keys[0] if relation.keys else ()
        times = [c for c in key if relation.fields[c].kind in {"date", "time"}]
        for column in times[:1]:
            span = self._draw.choice(self._pools.facts.spans) * self._draw.choice((1, -1))
            for step in range(1, self._draw.randint(2, 5)):
                fresh = {c: self._value((name, c), f, True, None) for c, f in relation.fields.items()}
                time = row[column]
                if isinstance(time, str) and is_time(time):
                    new = fresh | {c: row[c] for c in key} | {column: shifted(time, span * step)}
                    if self._store.add(name, new):
                        self._meet(name, new)

    def _missed(self, place: Place) -> Value:
        """Draw a value beside a constant: the rest of the row is as the query wants it."""
        return self._draw.choice(self._pools.pool(place).near[:12])

    def _bursts(self) -> None:
        """Make groups of the sizes that LIMIT or HAVING ask for, by rows that agree in all but keys and a little."""
        counts = self._pools.facts.counts
        for name in self._tables():
            for _ in range(self._draw.randint(0, 3)):
                first = self._row(name)
                size = max(1, self._draw.choice(counts) + self._draw.choice((-1, 0, 1)))
                for _ in range(size - 1 if first is not None else 0):
                    self._row(name, like=first)

    def _value(self, place: Place, field: Field, full: bool, like: Mapping[str, Value] | None) -> Value:
        keys = self._shape.relations[place[0]].keys
        key, sole = any(place[1] in k for k in keys), (place[1],) in keys
        if like is not None and not sole and self._draw.random() < (0.6 if key else 0.9):
            return like[place[1]]
        if field.nullable and not full and self._draw.random() < self._null:
            return None
        pool = self._pools.pool(place)
        if pool.hits and (full or self._draw.random() < self._hit):
            return self._draw.choice(pool.hits)
        return self._free(place, field, pool.near, 0.7 if sole else 0.3 if key else 0.0)

    def _free(self, place: Place, field: Field, near: list[Value], fresh: float) -> Value:
        """Draw a value that no constant asks for: one that another column has, a new one, or one beside."""
        met = self._met[id(self._pools.group.get(place))] if place in self._pools.group else []
        if met and self._draw.random() < 0.6:
            return _fitting(self._draw.choice(met), field)
        if self._draw.random() < fresh:
            number = self._draw.randint(11, 9999)
            return number if field.kind in {"integer", "real"} else f"k{number}"
        return _fitting(self._draw.choice(self._narrow(place, near)), field)

    def _meet(self, name: str, row: Mapping[str, Value]) -> None:
        """Remember values of columns that others are compared with, so that those can meet them."""
        for column, value in row.items():
            if value is not None and (name, column) in self._pools.group:
                self._met[id(self._pools.group[name, column])].append(value)

    def _narrow(self, place: Place, values: list[Value]) -> list[Value]:
        """Keep a few values of a group of columns, so that ties and joins come about."""
        group = tuple(map("/".join, sorted(self._pools.group.get(place, [place]))))
        if group not in self._said:
            few = min(self._few, len(values))
            self._said[group] = self._draw.sample(values, few)
        return self._said[group] if self._draw.random() < 0.85 else values

    def _refer(self, relation: Relation, row: dict[str, Value]) -> None:
        """Have declared references point to rows there are."""
        for r in relation.references:
            parent = self._shape.relations[r.table]
            there = self._store.rows[r.table]
            wanted = tuple(row[c] for c in r.columns)
            places = [list(parent.fields).index(c) for c in r.references]
            if not there or any(tuple(p[i] for i in places) == wanted for p in there):
                continue
            chosen = self._draw.choice(there)
            row.update({c: chosen[i] for c, i in zip(r.columns, places, strict=True)})
