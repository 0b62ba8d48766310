"""The rows of a database: plausible cells, drawn from the field, the letter and the language, never from the seed."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from itertools import product
from pathlib import Path

from ..knowbench.tables import Cell, FilledTable, drawn_day, write_tables
from .layouts import Edge, Layout, Placed, PlacedThing

__all__ = ["save"]


def save(layout: Layout, path: Path) -> None:
    """Write a layout's database with its keys declared; what lay at the path is written over."""
    rng = random.Random(f"proxies {layout.name} {layout.language}")
    tables: dict[str, dict[str, Sequence[Cell]]] = {}
    for lookup in layout.lookups:
        values = next(p for one in layout.things.values() for p in one.columns.values() if p.table == lookup)
        cells = values.values
        tables[lookup] = {_edge(layout, lookup).key: range(1, len(cells) + 1), values.name: cells}
    for thing in layout.things.values():
        _fill(layout, thing, tables, rng)
    references: dict[str, dict[str, tuple[str, str]]] = {name: {} for name in tables}
    for one in layout.edges:
        if one.other == layout.beside:  # its key is the first thing's
            references[one.other][one.key] = (one.table, one.column)
        else:
            references[one.table][one.column] = (one.other, one.key)
    write_tables(path, (FilledTable(name, tables[name], references[name]) for name in _in_order(layout, tables)))


def _in_order(layout: Layout, names: Collection[str]) -> list[str]:
    """Return tables, those that edges lead to first."""
    done: list[str] = []
    while len(done) < len(names):
        for name in names:
            if name not in done and all(edge.other in done for edge in layout.edges if edge.table == name):
                done.append(name)
    return done


def _edge(layout: Layout, lookup: str) -> Edge:
    return next(edge for edge in layout.edges if edge.other == lookup)


def _fill(layout: Layout, thing: PlacedThing, tables: dict[str, dict[str, Sequence[Cell]]], rng: random.Random) -> None:
    """Fill a thing's table, with the columns that stand beside it or as keys of lookups."""
    count = min(thing.thing.rows, 300 if thing.thing.code else 80)
    keys = range(1, count + 1)
    own: dict[str, Sequence[Cell]] = {thing.key: keys, thing.label: _labels(layout, thing, count, rng)}
    for link, column in thing.links.items():
        own[column] = _parents(layout.things[link].thing.rows, count, rng)
    for placed in thing.columns.values():
        cells = [_cell(placed, rng) for _ in range(count)]
        if placed.table == thing.table:
            own[placed.name] = cells
        elif placed.table == layout.beside:
            tables.setdefault(layout.beside, {thing.key: keys})[placed.name] = cells
        else:
            values = list(placed.values)
            own[_edge(layout, placed.table).column] = [None if c is None else values.index(str(c)) + 1 for c in cells]
    tables[thing.table] = own


def _labels(layout: Layout, thing: PlacedThing, count: int, rng: random.Random) -> list[Cell]:
    if thing.thing.code:
        start = rng.randint(1001, 2400)
        return [f"{thing.thing.code}{start + number}" for number in range(count)]
    space = " " if layout.language == "en" else ""
    names = [space.join(pair) for pair in product(*thing.thing.names[layout.language])]
    assert len(names) >= count, (layout.name, thing.table, len(names))
    rng.shuffle(names)
    return [*names[:count]]


def _parents(there: int, count: int, rng: random.Random) -> list[Cell]:
    """Return whom each row belongs to: some have many, some none."""
    order = list(range(1, there + 1))
    rng.shuffle(order)
    some = order[: max(2, math.ceil(there * 0.9))]
    weights = [1 / (place + 2) ** 0.6 for place in range(len(some))]
    return [*rng.choices(some, weights, k=count)]


def _cell(placed: Placed, rng: random.Random) -> Cell:
    column = placed.column
    if rng.random() < column.missing:
        return None
    if column.kind == "category":
        values = placed.values
        value = rng.choices(values, [1 / (place + 1.5) ** 0.5 for place in range(len(values))])[0]
        return value.title() if placed.style == "title" else value
    if column.kind == "flag":
        yes, no = placed.style.split("/")
        cell = yes if rng.random() < column.flag else no
        return int(cell) if cell.isdigit() else cell
    if column.kind == "date":
        day = drawn_day(column.date, rng).isoformat()
        return f"{day} {rng.randint(7, 20):02}:{rng.randrange(60):02}:00" if placed.style == "time" else day
    number = _number(column.number, column.decimals, rng)
    return str(number) if placed.style == "text" else number


def _number(bounds: Sequence[float], decimals: int, rng: random.Random) -> float:
    """Return a number: where the most is far above the least, small ones are likelier."""
    low, high = bounds
    share = rng.betavariate(1.3, 3.2) if high > 10 * max(low, 1) and low < 1500 else rng.betavariate(2, 2)
    number = low + (high - low) * share
    return round(number, decimals) if decimals else round(number)
