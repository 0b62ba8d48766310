"""Fills a template on one database, so that the gold query says something."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .binding import SLOT, Binder, Slots, Template
from .draws import NoDraw, Scene, draw_condition, needs, says
from .phrases import Condition, things
from .queries import Query

__all__ = ["filled"]


def filled(template: Template, scene: Scene, rng: random.Random) -> tuple[Slots, Query]:
    """Draw all slots of a template and return them with the gold query.

    Raises:
        NoDraw: what was drawn has no answer worth asking for.
    """
    slots = Slots()
    try:
        Binder(template, scene, frozenset(_names(template)), rng, slots).draw()
        query = _query(template["query"], scene, slots, rng)
    except KeyError as error:  # a column lacks the phrase, or a table cannot be reached
        raise NoDraw from error
    needs(says(scene, query))
    return slots, query


def _names(value: Any) -> Iterator[str]:
    """Yield the slots of all texts of a template."""
    if isinstance(value, str):
        yield from SLOT.findall(value)
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _names(one)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _names(one)


def _query(told: Mapping[str, Any], scene: Scene, slots: Slots, rng: random.Random) -> Query:
    """Return the query of clauses, its conditions drawn, subquery first."""
    conditions: list[Condition] = []
    if "sub" in told:
        slots.terms["sub"] = f"({_query(told['sub'], scene, slots, rng).sql(scene.layout)})"
    else:
        used = list(slots.columns.values())
        for kind in told.get("if", ()):
            conditions.append(draw_condition(scene, slots.things["t"], kind, used, rng))
            used.append(conditions[-1].placed)
        slots.conditions = conditions
    slots.words["TS"] = things(slots.things["t"], slots.conditions)
    many = {name: tuple(map(slots.fill, told.get(name, ()))) for name in ("select", "where", "group")}
    many["where"] += tuple(one.sql for one in conditions)
    one = {name: slots.fill(told.get(name, "")) for name in ("having", "order", "limit", "offset")}
    ways = {name: told.get(name, False) for name in ("distinct", "alone", "ordered")}
    return Query(slots.things[told.get("base", "t")].table, **many, **one, **ways)
