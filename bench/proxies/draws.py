"""What a database offers to be asked for, and whether a query on it says something."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from .layouts import Layout, Placed, PlacedThing
from .phrases import Condition, above, draw_period, flagged, is_value, period
from .queries import Query

__all__ = ["NoDraw", "Scene", "draw_condition", "draw_value", "needs", "one_of", "says", "threshold"]

Offered = TypeVar("Offered")


class NoDraw(Exception):
    """This template says nothing with what was drawn."""


def needs(holds: bool) -> None:
    """Raise NoDraw unless something holds."""
    if not holds:
        raise NoDraw


def one_of(offered: Sequence[Offered], rng: random.Random) -> Offered:
    """Draw one; raise NoDraw where there is none."""
    needs(bool(offered))
    return rng.choice(offered)


@dataclass(frozen=True)
class Scene:
    """A database to draw from."""

    layout: Layout
    database: sqlite3.Connection

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return what a query returns."""
        return self.database.execute(sql).fetchall()

    def cells(self, placed: Placed) -> list[Any]:
        """Return a column's cells that are there."""
        sql = f"SELECT {placed.sql} FROM {placed.table} WHERE {placed.full} IS NOT NULL"
        return [cell for (cell,) in self.rows(sql)]

    def labels(self, thing: PlacedThing) -> list[str]:
        """Return the names or codes of a thing's rows."""
        return [cell for (cell,) in self.rows(f"SELECT {thing.label} FROM {thing.table}")]


def says(scene: Scene, query: Query) -> bool:
    """Does a query run and return something, does each condition change it, and is nobody cut off by a tie?"""
    rows = scene.rows(query.sql(scene.layout))
    if not rows or not any(cell not in (None, 0) for row in rows for cell in row) or len(rows) > 150:
        return False
    if any(cell is None for row in rows for cell in row):
        return False
    for place, one in enumerate(query.where):
        if "IS NOT NULL" not in one and scene.rows(query.without(place).sql(scene.layout)) == rows:
            return False
    if query.order and (query.limit or query.ordered):
        return not _ties(scene, query)
    return True


def _ties(scene: Scene, query: Query) -> bool:
    value = re.sub(r" (ASC|DESC)$", "", query.order)
    shown = Query(query.base, (value,), query.where, query.group, query.having, query.order)
    values = [cell for (cell,) in scene.rows(shown.sql(scene.layout))]
    if not query.limit:
        return len(set(values)) < len(values)
    first = int(query.offset or 0)
    last = first + int(query.limit)
    cut = [place for place in (first, last) if 0 < place < len(values)]
    return len(values) < last or None in values[:last] or any(values[place - 1] == values[place] for place in cut)


def draw_condition(
    scene: Scene, thing: PlacedThing, kind: str, used: Sequence[Placed], rng: random.Random
) -> Condition:
    """Draw a condition of a kind (``any`` for one of all) on a column that is not used yet.

    Raises:
        NoDraw: there is no such column.
    """
    offered = [one for one in thing.columns.values() if one not in used and kind in ("any", one.column.kind)]
    placed = one_of(offered, rng)
    if placed.column.kind == "category":
        return is_value(placed, draw_value(scene, placed, rng))
    if placed.column.kind == "flag":
        return flagged(placed, rng.random() < 0.7)
    if placed.column.kind == "date":
        return period(placed, draw_period(placed, rng))
    return above(placed, threshold(scene.cells(placed), rng), rng.random() < 0.6)


def draw_value(scene: Scene, placed: Placed, rng: random.Random) -> str:
    """Draw one of a category's values that some row has."""
    present = {str(cell).lower() for cell in scene.cells(placed)}
    return rng.choice([v for v in placed.values if v.lower() in present])


def threshold(cells: Sequence[float], rng: random.Random, low: float = 0.25, high: float = 0.75) -> str:
    """Return a round number that parts the cells and is none of them, so that «above» and «from» agree."""
    some = sorted(float(cell) for cell in cells)
    wanted = some[int(len(some) * rng.uniform(low, high))]
    whole = all(number.is_integer() for number in some)
    steps = [10 ** (len(str(int(abs(wanted)))) - 2) * 5, 10.0, 5.0, 1.0, 0.5]
    there = set(some)
    for step in [1.0] if 1800 < wanted < 2030 else [s for s in steps if s >= 1 or not whole]:
        near = round(wanted / step) * step
        for number in (near, near + step, near - step):
            if number not in there and some[0] < number < some[-1]:
                return f"{number:g}" if number % 1 else str(int(number))
    return str(int(wanted))
