"""The rows of a database: plausible cells, drawn from the field, the letter and the language, never from the seed."""

from __future__ import annotations

import datetime
import math
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import product
from pathlib import Path

from .layouts import Edge, Layout, Placed, PlacedThing

__all__ = ["save"]

Cell = int | float | str | None


def save(layout: Layout, path: Path) -> None:
    """Write a layout's database with its keys declared; what lay at the path is written over."""
    rng = random.Random(f"proxies {layout.name} {layout.language}")
    tables: dict[str, dict[str, list[Cell]]] = {}
    for lookup in layout.lookups:
        values = next(p for one in layout.things.values() for p in one.columns.values() if p.table == lookup)
        cells: list[Cell] = list(values.column.values[layout.language])
        tables[lookup] = {_edge(layout, lookup).key: list(range(1, len(cells) + 1)), values.name: cells}
    for thing in layout.things.values():
        _fill(layout, thing, tables, rng)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database:
        for name in _in_order(layout, tables):
            columns = tables[name]
            database.execute(_create(layout, name, columns))
            rows = list(zip(*columns.values(), strict=True))
            database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)
        database.commit()


def _edge(layout: Layout, lookup: str) -> Edge:
    return next(edge for edge in layout.edges if edge.other == lookup)


def _fill(layout: Layout, thing: PlacedThing, tables: dict[str, dict[str, list[Cell]]], rng: random.Random) -> None:
    """Fill a thing's table, with the columns that stand beside it or as keys of lookups."""
    count = min(thing.thing.rows, 300 if thing.thing.code else 80)
    keys: list[Cell] = list(range(1, count + 1))
    own: dict[str, list[Cell]] = {thing.key: keys, thing.label: _labels(layout, thing, count, rng)}
    for link, column in thing.links.items():
        own[column] = _parents(layout.things[link].thing.rows, count, rng)
    for placed in thing.columns.values():
        cells = [_cell(placed, layout.language, rng) for _ in range(count)]
        if placed.table == thing.table:
            own[placed.name] = cells
        elif placed.table == layout.beside:
            tables.setdefault(layout.beside, {thing.key: keys})[placed.name] = cells
        else:
            values = list(placed.column.values[layout.language])
            own[_edge(layout, placed.table).column] = [None if c is None else values.index(str(c)) + 1 for c in cells]
    tables[thing.table] = own


def _labels(layout: Layout, thing: PlacedThing, count: int, rng: random.Random) -> list[Cell]:
    if thing.thing.code:
        start = rng.randint(1001, 2400)
        return [f"{thing.thing.code}{start + number}" for number in range(count)]
    space = " " if layout.language == "en" else ""
    names = _ordered(layout, thing, [*product(*thing.thing.names[layout.language])], space, rng)
    assert len(names) >= count, (layout.name, thing.table, len(names))
    return [*names[:count]]


def _ordered(
    layout: Layout, thing: PlacedThing, pairs: Sequence[tuple[str, ...]], space: str, rng: random.Random
) -> list[str]:
    """Return the names in random order; Chinese ones have the family's name before the given one already."""
    names = [space.join(pair) for pair in pairs]
    rng.shuffle(names)
    return names


def _parents(there: int, count: int, rng: random.Random) -> list[Cell]:
    """Return whom each row belongs to: some have many, some none."""
    order = list(range(1, there + 1))
    rng.shuffle(order)
    some = order[: max(2, math.ceil(there * 0.9))]
    weights = [1 / (place + 2) ** 0.6 for place in range(len(some))]
    return [*rng.choices(some, weights, k=count)]


def _cell(placed: Placed, language: str, rng: random.Random) -> Cell:
    column = placed.column
    if rng.random() < column.missing:
        return None
    if column.kind == "category":
        values = column.values[language]
        value = rng.choices(values, [1 / (place + 1.5) ** 0.5 for place in range(len(values))])[0]
        return value.title() if placed.style == "title" else value
    if column.kind == "flag":
        yes, no = placed.style.split("/")
        cell = yes if rng.random() < column.share else no
        return int(cell) if cell.isdigit() else cell
    if column.kind == "date":
        return _day(column.date, placed.style, rng)
    number = _number(column.number, column.decimals, rng)
    return str(number) if placed.style == "text" else number


def _day(years: tuple[int, int], style: str, rng: random.Random) -> str:
    first, last = (datetime.date(years[0], 1, 1), datetime.date(years[1], 12, 31))
    day = datetime.date.fromordinal(rng.randint(first.toordinal(), last.toordinal())).isoformat()
    return f"{day} {rng.randint(7, 20):02}:{rng.randrange(60):02}:00" if style == "time" else day


def _number(bounds: tuple[float, float], decimals: int, rng: random.Random) -> float:
    """Return a number: where the most is far above the least, small ones are likelier."""
    low, high = bounds
    share = rng.betavariate(1.3, 3.2) if high > 10 * max(low, 1) and low < 1500 else rng.betavariate(2, 2)
    number = low + (high - low) * share
    return round(number, decimals) if decimals else round(number)


def _in_order(layout: Layout, tables: dict[str, dict[str, list[Cell]]]) -> list[str]:
    """Return the tables, those that others refer to first."""
    done: list[str] = []
    while len(done) < len(tables):
        for name in tables:
            if name not in done and all(e.other in done for e in layout.edges if e.table == name and e.key):
                done.append(name)
    return done


def _create(layout: Layout, table: str, columns: dict[str, list[Cell]]) -> str:
    key = next(iter(columns))
    lines = [f"{name} {_type(cells)}" + " PRIMARY KEY" * (name == key) for name, cells in columns.items()]
    for edge in layout.edges:
        if edge.table == table and edge.other != layout.beside:
            lines.append(f"FOREIGN KEY ({edge.column}) REFERENCES {edge.other} ({edge.key})")
        elif edge.other == layout.beside == table:
            lines.append(f"FOREIGN KEY ({edge.key}) REFERENCES {edge.table} ({edge.column})")
    return f"CREATE TABLE {table} (\n  " + ",\n  ".join(lines) + "\n)"


def _type(cells: Sequence[Cell]) -> str:
    there = [cell for cell in cells if cell is not None]
    if all(isinstance(cell, int) for cell in there):
        return "INTEGER"
    if all(isinstance(cell, int | float) for cell in there):
        return "REAL"
    if all(isinstance(cell, str) and cell[4:5] == cell[7:8] == "-" and cell[:4].isdigit() for cell in there):
        return "DATE" if len(str(there[0])) == 10 else "DATETIME"
    return "TEXT"
