"""Fills a template on one database, so that the gold query says something."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .binding import SLOT, Binder, Slots, Template
from .draws import NoDraw, Scene, draw_condition, says
from .phrases import Condition, things
from .queries import Query, Term, term

__all__ = ["filled"]


def filled(template: Template, scene: Scene, rng: random.Random) -> tuple[Slots, Query]:
    """Draw all slots of a template and return them with the gold query.

    Raises:
        NoDraw: what was drawn has no answer worth asking for.
    """
    slots = Slots()
    try:
        Binder(template, scene, frozenset(_names(template)), rng, slots).draw()
        query = _query(template, scene, slots, rng)
    except KeyError as error:  # a column lacks the phrase, or a table cannot be reached
        raise NoDraw(str(error)) from error
    if not says(scene, query):
        raise NoDraw("says nothing")
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


def _query(template: Template, scene: Scene, slots: Slots, rng: random.Random) -> Query:
    """Return the query of a template's clauses, its conditions drawn, subquery first."""
    conditions: list[Condition] = []
    if "sub" in template:
        inner = _query(template["sub"], scene, slots, rng)
        slots.terms["sub"] = Term(f"({inner.sql(scene.layout)})")
    else:
        used = list(slots.columns.values())
        for kind in template.get("if", ()):
            conditions.append(draw_condition(scene, slots.things["t"], kind, used, rng))
            used.append(conditions[-1].placed)
        slots.conditions = conditions
    slots.words["TS"] = things(scene.layout, slots.things["t"], slots.conditions)

    def clauses(name: str) -> tuple[Term, ...]:
        return tuple(term(text, slots.terms) for text in template.get(name, ()))

    def clause(name: str) -> Term | None:
        return term(template[name], slots.terms) if name in template else None

    limit = clause("limit")
    return Query(
        base=slots.things[template.get("base", "t")].table,
        select=clauses("select"),
        where=(*clauses("where"), *(one.term for one in conditions)),
        group=clauses("group"),
        having=clause("having"),
        order=clause("order"),
        limit=limit.sql if limit else "",
        offset=template.get("offset", ""),
        distinct=template.get("distinct", False),
        alone=template.get("bare", False),
        ordered=template.get("ordered", False),
    )
