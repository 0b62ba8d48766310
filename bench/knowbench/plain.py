"""Questions that need no formula: columns, counts and filters of the same databases."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from .content import Concept
from .drafts import Draft, Scene
from .layouts import Table
from .queries import COUNT, Query, column, is_value

__all__ = ["plain"]


def plain(scene: Scene) -> Iterator[Draft]:
    """Yield drafts over every table that belongs to the entities."""
    for table in scene.layout.tables.values():
        if table.grain in (1, 2):
            yield from _of_many(scene, table)
        if table.grain in (0, 1, 2):
            for concept in scene.numbers(table):
                yield from _of_number(scene, table, concept)
    yield from _of_kinds(scene)


def _of_number(scene: Scene, table: Table, concept: Concept) -> Iterator[Draft]:
    """Yield what asks for a column of numbers."""
    value, base = column(concept.name), table if table.grain > 0 else scene.layout.entity
    slots = scene.nouns(base) | {"column": concept.said(scene.layout.language)}
    if not concept.averaged:
        yield Draft("plain_average", Query([exp.Avg(this=value)], base), slots)
    for dimension in scene.dimensions(base) if not concept.averaged else ():
        by = column(dimension.name)
        query = Query([by, exp.Avg(this=value)], base, group=[by])
        yield Draft("plain_average_grouped", query, slots | scene.dimension(dimension))
    least = scene.threshold(Query([value], base))
    above, number = exp.GT(this=value, expression=least), {"number": least.sql()}
    yield Draft("plain_count_above", Query([COUNT], base, [above]), slots | number)
    if base.grain > 0:
        return
    yield Draft("plain_list", Query([scene.name, value], base), slots)
    named, is_one = scene.one()
    yield Draft("plain_named", Query([value], base, [is_one]), slots | named)
    yield Draft("plain_highest", Query([scene.name], base, order=("DESC", value), limit=1), slots)
    yield Draft("plain_above", Query([scene.name], base, [above]), slots | number)


def _of_many(scene: Scene, table: Table) -> Iterator[Draft]:
    """Yield what counts the rows that entities have several of."""
    slots = scene.nouns(table)
    yield Draft("plain_count", Query([COUNT], table), slots)
    yield Draft("plain_count_each", Query([scene.name, COUNT], table, group=[scene.name]), slots)
    named, is_one = scene.one()
    yield Draft("plain_count_named", Query([COUNT], table, [is_one]), slots | named)


def _of_kinds(scene: Scene) -> Iterator[Draft]:
    """Yield what asks for the entities of a value, and for the values of a dimension."""
    base = scene.layout.entity
    slots = scene.nouns(base)
    yield Draft("plain_count", Query([COUNT], base), slots)
    for concept in scene.dimensions(base):
        by = column(concept.name)
        said = slots | scene.dimension(concept)
        yield Draft("plain_grouped", Query([by, COUNT], base, group=[by]), said)
        yield Draft("plain_kinds", Query([by], base, distinct=True), said)
    for concept in scene.dimensions(base, plain=True):
        value = scene.value(concept, base)
        where = [is_value(concept.name, value)]
        said = slots | scene.dimension(concept) | {"value": value}
        yield Draft("plain_count_in", Query([COUNT], base, where), said)
        yield Draft("plain_list_in", Query([scene.name], base, where), said)
