"""A draft: one question before it is worded, and what all that draw drafts need of a database."""

from __future__ import annotations

import math
import random
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from .content import Concept
from .layouts import Layout, Table
from .meaning import Meaning
from .queries import Query, column, is_value, write

__all__ = ["Draft", "Scene"]


@dataclass(frozen=True)
class Draft:
    """A query with its template's name and what fills the template's slots."""

    template: str
    query: Query
    slots: dict[str, str]
    meanings: Sequence[Meaning] = ()


@dataclass(frozen=True)
class Scene:
    """A database to ask of: its layout, its rows, and the chance that draws names, values and thresholds."""

    layout: Layout
    database: sqlite3.Connection
    rng: random.Random

    @property
    def name(self) -> exp.Column:
        """Return the concept that names the entities."""
        return column(self.layout.label)

    def rows(self, query: Query) -> list[tuple[object, ...]]:
        return self.database.execute(write(self.layout, query)).fetchall()

    def concepts(self, table: Table) -> list[Concept]:
        """Return the concepts of a table, and of the lookups that it refers to."""
        tables = [table, *(self.layout.tables[t] for t in table.links if self.layout.tables[t].grain < 0)]
        return [self.layout.domain.concepts[c] for t in tables for c in t.columns]

    def numbers(self, table: Table) -> list[Concept]:
        return [c for c in self.concepts(table) if c.number and not c.after]

    def dimensions(self, table: Table, plain: bool = False) -> list[Concept]:
        """Return what rows may be grouped by; `plain` ones have values that are said as they are stored."""
        tables = [table] if table == self.layout.entity else [table, self.layout.entity]
        found = [c for t in tables for c in self.concepts(t) if c.values]
        return [c for c in found if not plain or len(c.values[self.layout.language]) == 1]

    def one(self) -> tuple[dict[str, str], exp.Expr]:
        """Draw the name of an entity; return its slot, and the condition that it is this one."""
        name = str(self.rng.choice(self.rows(Query([self.name], self.layout.entity)))[0])
        return {"name": name}, is_value(self.layout.label, name)

    def value(self, concept: Concept, base: Table) -> str:
        """Draw a value that rows of a table have."""
        every = sorted({str(row[0]) for row in self.rows(Query([column(concept.name)], base))})
        return self.rng.choice(every)

    def filters(self, base: Table, but: Sequence[str] = ()) -> Iterator[tuple[dict[str, str], exp.Expr]]:
        """Yield slots and condition of one drawn filter by a dimension; none on the concepts `but`."""
        free = [c for c in self.dimensions(base, plain=True) if c.name not in but]
        if free:
            concept = self.rng.choice(free)
            value = self.value(concept, base)
            yield (
                self.dimension(concept) | {"value": value},
                is_value(concept.name, value),
            )

    def dimension(self, concept: Concept) -> dict[str, str]:
        return {"dimension": concept.said(self.layout.language)}

    def threshold(self, query: Query) -> exp.Expr:
        """Draw a round number that some of a query's last cells are above."""
        cells = sorted(row[-1] for row in self.rows(query) if isinstance(row[-1], int | float))
        value = cells[int(len(cells) * self.rng.uniform(0.3, 0.85))] if cells else 0
        return exp.Literal.number(_rounded(float(value)))

    def nouns(self, table: Table) -> dict[str, str]:
        """Return the slots that speak of a table's rows."""
        thing, entity = self.layout.domain.things[table.thing], self.layout.domain.things[self.layout.entity.thing]
        if self.layout.language == "zh":
            said = {"thing": thing.zh, "things": thing.zh, "entity": entity.zh, "entities": entity.zh}
            return said | {"thing_unit": thing.unit, "unit": entity.unit}
        return dict(zip(("thing", "things", "entity", "entities"), [*thing.en, *entity.en], strict=True))

    def said(self, found: Meaning) -> str:
        """Draw one of the names of a formula."""
        return self.rng.choice(found.formula.aliases(self.layout.language))


def _rounded(value: float) -> float:
    """Return a number of two figures, or three below ten, an integer from ten on."""
    if abs(value) < 1e-9:
        return 0
    figures = (2 if abs(value) >= 10 else 1) - math.floor(math.log10(abs(value))) - (1 if abs(value) >= 10 else 0)
    near = round(value, figures)
    return int(near) if near == int(near) else near
