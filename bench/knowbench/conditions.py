"""Questions with conditions, with a calculation over those that fulfil one, and for the columns of a union."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from sqlglot import exp

from .drafts import Draft, Scene
from .meaning import Meaning
from .queries import COUNT, Query, column

__all__ = ["conditions", "narrowed", "unions"]


def conditions(scene: Scene, found: Meaning) -> Iterator[Draft]:
    """Yield drafts that count, list or measure the rows that fulfil a condition."""
    (met,) = found.parts
    base, many = found.base, found.base.grain > 0
    slots = scene.nouns(base) | {"condition": scene.said(found)}
    yield Draft("met_count", Query([COUNT], base, [met]), slots, [found])
    yield Draft(
        "met_list" if not many else "met_owners", Query([scene.name], base, [met], distinct=many), slots, [found]
    )
    for filled, condition in scene.filters(base, list(found.grounding)):
        yield Draft("met_count_in", Query([COUNT], base, [met, condition]), slots | filled, [found])
        if not many:
            yield Draft("met_list_in", Query([scene.name], base, [met, condition]), slots | filled, [found])
    for concept in scene.dimensions(base):
        by = column(concept.name)
        if concept.name not in found.grounding:
            said = slots | scene.dimension(concept)
            yield Draft("met_grouped", Query([by, COUNT], base, [met], [by]), said, [found])
            query = Query([by], base, [met], [by], order=("DESC", COUNT), limit=1)
            yield Draft("met_grouped_most", query, said, [found])
    if many:
        yield Draft("met_by_owner", Query([scene.name, COUNT], base, [met], [scene.name]), slots, [found])
        named, is_one = scene.one()
        yield Draft("met_of_owner", Query([COUNT], base, [met, is_one]), slots | named, [found])
    free = [c for c in scene.numbers(base) if c.name not in found.grounding and not c.averaged]
    for concept in scene.rng.sample(free, min(2, len(free))):
        average = exp.Avg(this=column(concept.name))
        said = slots | {"column": concept.said(scene.layout.language)}
        yield Draft("met_average", Query([average], base, [met]), said, [found])


def narrowed(scene: Scene, found: Meaning, condition: Meaning) -> Iterator[Draft]:
    """Yield drafts that ask for a calculation over those rows alone that fulfil a condition."""
    if found.base != condition.base:
        return
    base, (met,) = found.base, condition.parts
    slots = scene.nouns(base) | {"formula": scene.said(found), "condition": scene.said(condition)}
    both = [found, condition]
    if found.additive or found.aggregate:
        template = "met_total" if found.additive else "met_overall"
        yield Draft(template, Query([found.of_a_group()], base, [met]), slots, both)
    if not found.aggregate:
        yield Draft("met_mean", Query([exp.Avg(this=found.of_a_row().unnest())], base, [met]), slots, both)
    if base.grain == 0 and not found.counts:
        value = found.of_a_row()
        yield Draft("met_each", Query([scene.name, value], base, [met]), slots, both)
        yield Draft("met_highest", Query([scene.name], base, [met], order=("DESC", value), limit=1), slots, both)


def _sum(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return exp.Add(this=left, expression=right)


def unions(scene: Scene, found: Meaning) -> Iterator[Draft]:
    """Yield drafts that ask for the columns of a union side by side, or for what they sum up to."""
    base, many = found.base, found.base.grain > 0
    slots = scene.nouns(base) | {"formula": scene.said(found)}
    sums: list[exp.Expr] = [exp.Sum(this=part) for part in found.parts] if many else list(found.parts)
    group = [scene.name] if many else []
    yield Draft("union_list", Query([scene.name, *sums], base, group=group), slots, [found])
    named, is_one = scene.one()
    yield Draft("union_named", Query(sums, base, [is_one]), slots | named, [found])
    added = reduce(_sum, found.parts)
    one = exp.Sum(this=added) if many else added
    yield Draft("union_sum_list", Query([scene.name, one], base, group=group), slots, [found])
    yield Draft("union_sum_all", Query([exp.Sum(this=added)], base), slots, [found])
    query = Query([scene.name], base, group=group, order=("DESC", one), limit=1)
    yield Draft("union_highest", query, slots, [found])
    for concept in scene.dimensions(base):
        by = column(concept.name)
        query = Query([by, *(exp.Sum(this=part) for part in found.parts)], base, group=[by])
        yield Draft("union_grouped", query, slots | scene.dimension(concept), [found])
