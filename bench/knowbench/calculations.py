"""Questions for what a calculation yields: of each entity, of one, of all, of a group; the highest; above a number."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from .drafts import Draft, Scene
from .meaning import Meaning
from .queries import COUNT, Query, column

__all__ = ["calculations"]


def calculations(scene: Scene, found: Meaning) -> Iterator[Draft]:
    """Yield drafts that ask for a calculation; the same expression, whether an entity has one row or many."""
    slots = scene.nouns(found.base)
    if found.base.grain > 0:
        if found.additive or found.aggregate:
            yield from _of_entities(scene, found, slots)
    elif not found.counts:
        yield from _of_entities(scene, found, slots)
    if found.additive or found.aggregate:
        yield from _of_groups(scene, found, slots)
    if not found.aggregate:
        yield from _of_rows(scene, found, slots)


def _draft(template: str, query: Query, slots: dict[str, str], scene: Scene, found: Meaning) -> Draft:
    return Draft(template, query, slots | {"formula": scene.said(found)}, [found])


def _of_entities(scene: Scene, found: Meaning, slots: dict[str, str]) -> Iterator[Draft]:
    """Yield what asks for values of entities, or for entities by their values."""
    many = found.base.grain > 0
    value = found.of_a_group() if many else found.of_a_row()
    total = "_total" if many and found.additive else ""
    group = [scene.name] if many else []
    every = Query([scene.name, value], found.base, group=group)
    yield _draft(f"list{total}", every, slots, scene, found)
    named, is_one = scene.one()
    yield _draft(f"named{total}", Query([value], found.base, [is_one]), slots | named, scene, found)
    for template, direction, limit in (("highest", "DESC", 1), ("lowest", "ASC", 1), ("top", "DESC", 3)):
        query = Query([scene.name], found.base, group=group, order=(direction, value), limit=limit)
        yield _draft(f"{template}{total}", query, slots | {"number": str(limit)}, scene, found)
    for template, test in (("above", exp.GT), ("below", exp.LT)):
        least = scene.threshold(every)
        met = test(this=value, expression=least)
        query = Query([scene.name], found.base, [] if many else [met], group, met if many else None)
        yield _draft(f"{template}{total}", query, slots | {"number": least.sql()}, scene, found)
    for filled, condition in scene.filters(scene.layout.entity, list(found.grounding)):
        query = Query([scene.name, value], found.base, [condition], group)
        yield _draft(f"list_in{total}", query, slots | filled, scene, found)


def _of_groups(scene: Scene, found: Meaning, slots: dict[str, str]) -> Iterator[Draft]:
    """Yield what asks for one value of all rows, of those of a value, or of each value of a dimension."""
    value = found.of_a_group()
    total = "_total" if found.additive else ""
    yield _draft(f"overall{total}", Query([value], found.base), slots, scene, found)
    for filled, condition in scene.filters(found.base, list(found.grounding)):
        yield _draft(f"overall_in{total}", Query([value], found.base, [condition]), slots | filled, scene, found)
    for concept in scene.dimensions(found.base):
        by = column(concept.name)
        said = slots | scene.dimension(concept)
        yield _draft(f"grouped{total}", Query([by, value], found.base, group=[by]), said, scene, found)
        query = Query([by], found.base, group=[by], order=("DESC", value), limit=1)
        yield _draft(f"grouped_highest{total}", query, said, scene, found)


def _of_rows(scene: Scene, found: Meaning, slots: dict[str, str]) -> Iterator[Draft]:
    """Yield what asks for the average, the largest, or the number of large values of single rows."""
    value = found.parts[0]
    average = exp.Avg(this=value.this if isinstance(value, exp.Paren) else value)
    yield _draft("average", Query([average], found.base), slots, scene, found)
    yield _draft("maximum", Query([exp.Max(this=value)], found.base), slots, scene, found)
    least = scene.threshold(Query([value], found.base))
    above = exp.GT(this=value, expression=least)
    yield _draft("count_above", Query([COUNT], found.base, [above]), slots | {"number": least.sql()}, scene, found)
    for concept in scene.dimensions(found.base):
        by = column(concept.name)
        query = Query([by, average], found.base, group=[by])
        yield _draft("average_grouped", query, slots | scene.dimension(concept), scene, found)
    if found.base.grain > 0:
        query = Query([scene.name, average], found.base, group=[scene.name])
        yield _draft("average_list", query, slots, scene, found)
    for filled, condition in scene.filters(found.base, list(found.grounding)):
        yield _draft("average_in", Query([average], found.base, [condition]), slots | filled, scene, found)
