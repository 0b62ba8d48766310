"""The rows of a database: plausible cells, drawn from the seed and the structure alone.

The three ways of naming of a structure hold the same rows but for the codes of their values, so that what differs
between them is the names.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from .content import Concept, Domain
from .layouts import APART, DETAIL, LOOKUP, ONE, Layout, Table
from .names import persons, stems
from .tables import Cell, FilledTable, drawn_day, write_tables

__all__ = ["coded", "save"]

Record = dict[str, Cell]


class _Cells:
    """Cells of one database, a record of all concepts of the domain at a time."""

    def __init__(self, layout: Layout, rng: random.Random) -> None:
        self._language, self._way, self._rng = layout.language, layout.way, rng
        self._concepts = layout.domain.concepts
        self._names = self._all_names(layout.domain)

    def _all_names(self, domain: Domain) -> dict[str, list[str]]:
        every = dict[str, list[str]]()
        for concept in domain.concepts.values():
            forms = concept.names.get(self._language, ())
            pairs = zip(stems(self._language, self._rng), persons(self._language, self._rng), strict=True)
            every[concept.name] = [self._rng.choice(forms).format(stem=s, person=p) for s, p in pairs] if forms else []
        return every

    def record(self, number: int) -> Record:
        """Return one row of every concept, those drawn first that others hang on."""
        drawn: Record = {}
        for concept in self._concepts.values():
            cell = self._cell(concept, drawn, number)
            hidden = self._rng.random() < concept.missing
            drawn[concept.name] = None if hidden else cell
        return drawn

    def _cell(self, concept: Concept, drawn: Mapping[str, Cell], number: int) -> Cell:
        if concept.names:
            return self._names[concept.name][number % len(self._names[concept.name])]
        if concept.values:
            return self._rng.choice(coded(concept, self._language, self._way))
        if concept.years:
            return self._rng.randint(*concept.years)
        if concept.date or concept.after:
            return self._day(concept, drawn)
        return self._number(concept, drawn)

    def _day(self, concept: Concept, drawn: Mapping[str, Cell]) -> str:
        if concept.after:
            start = datetime.date.fromisoformat(str(drawn[concept.after]))
            low, high = concept.number
            return (start + datetime.timedelta(days=self._rng.randint(int(low), int(high)))).isoformat()
        return drawn_day(concept.date, self._rng).isoformat()

    def _number(self, concept: Concept, drawn: Mapping[str, Cell]) -> float:
        low, high = concept.number
        base = drawn[concept.of] if concept.of else None
        if isinstance(base, int | float):
            share = base * self._rng.uniform(low, high)
            return round(share) if isinstance(base, int) else round(share, 2)
        whole = isinstance(low, int) and isinstance(high, int)
        return self._rng.randint(int(low), int(high)) if whole else round(self._rng.uniform(low, high), 2)


def coded(concept: Concept, language: str, way: int) -> Sequence[str]:
    """Return a text concept's values, coded as a way of naming codes them."""
    ways = concept.values[language]
    return ways[min(way, len(ways) - 1)]


def save(layout: Layout, path: Path, seed: int) -> None:
    """Write a layout's database with its keys declared; what lay at the path is written over."""
    rng = random.Random(f"{seed} {layout.domain.name} {layout.structure} {layout.language}")
    filled = _records(layout, _Cells(layout, rng), rng)
    write_tables(path, (_filled(layout, table, filled[table.thing]) for table in layout.tables.values()))


def _filled(layout: Layout, table: Table, rows: Sequence[Record]) -> FilledTable:
    others = {column: layout.tables[thing] for thing, column in table.links.items()}
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return FilledTable(table.name, columns, {name: (other.name, other.key) for name, other in others.items()})


def _records(layout: Layout, cells: _Cells, rng: random.Random) -> dict[str, list[Record]]:
    """Return the rows of each table, by column: keys, links, concepts."""
    entities = rng.randint(22, 30)
    own = [cells.record(n) for n in range(entities)]
    found: dict[str, list[Record]] = {}
    for table in layout.tables.values():
        if table.grain == LOOKUP:
            codes = coded(layout.domain.concepts[table.thing], layout.language, layout.way)
            found[table.thing] = _lookup(table, codes)
        elif table.grain == ONE:
            found[table.thing] = [_row(table, record, n, n) for n, record in enumerate(own)]
        else:
            above = entities if table.grain != DETAIL else len(found[next(iter(table.links))])
            count = rng.randint(22, 30) if table.grain == APART else rng.randint(48, 60)
            parents = [n if n < above else rng.randrange(above) for n in range(count)]
            found[table.thing] = [_row(table, cells.record(n), n, parent) for n, parent in enumerate(parents)]
    _refer(layout, found)
    return found


def _lookup(table: Table, values: Sequence[str]) -> list[Record]:
    (column,) = table.columns.values()
    return [{table.key: n, column: value} for n, value in enumerate(values, 1)]


def _row(table: Table, record: Record, number: int, parent: int) -> Record:
    """Return a row; of a lookup, it has the value itself until `_refer` puts the value's key there."""
    links = {column: record.get(thing, parent + 1) for thing, column in table.links.items()}
    return {table.key: number + 1} | links | {column: record[concept] for concept, column in table.columns.items()}


def _refer(layout: Layout, found: Mapping[str, list[Record]]) -> None:
    """Put keys in the place of the values that stand in lookups."""
    for thing, lookup in layout.tables.items():
        if lookup.grain == LOOKUP:
            (column,) = lookup.columns.values()
            keys = {row[column]: row[lookup.key] for row in found[thing]}
            for row in found[layout.entity.thing]:
                row[layout.entity.links[thing]] = keys[row[layout.entity.links[thing]]]
