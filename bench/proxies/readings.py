"""What a question may mean: its readings, by what tells them apart."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .draws import Scene, needs, one_of
from .layouts import Placed, PlacedThing
from .phrases import Condition, is_value, names
from .queries import Query

__all__ = ["KINDS", "Doubt", "Reading"]


@dataclass(frozen=True)
class Reading:
    """One of the things that a question may mean, with the words that tell it apart."""

    query: Query
    words: Mapping[str, str]


Doubt = tuple[dict[str, str], list[Reading]]
"""The words of the question, and its readings."""


def _near(scene: Scene, thing: PlacedThing) -> Iterator[tuple[PlacedThing, Placed]]:
    """Yield the columns of what a thing belongs to, with their owners; its own would be meant without a word."""
    for owner in (scene.layout.things[name] for name in thing.links):
        yield from ((owner, one) for one in owner.columns.values())


def _pair(scene: Scene, rng: random.Random) -> tuple[PlacedThing, list[tuple[PlacedThing, Placed]]]:
    """Draw a thing and two columns of one name that it may be counted by."""
    found: list[tuple[PlacedThing, list[tuple[PlacedThing, Placed]]]] = []
    for thing in scene.layout.things.values():
        near = [one for one in _near(scene, thing) if one[1].column.kind == "category"]
        for n, one in enumerate(near):
            same = [o for o in near[:n] if o[1].word == one[1].word]
            found += [(thing, [one, other]) for other in same]
    return one_of(found, rng)


def _column(scene: Scene, rng: random.Random) -> Doubt:
    thing, pair = _pair(scene, rng)
    readings: list[Reading] = []
    for owner, placed in pair:
        query = Query(thing.table, (placed.sql, "COUNT(*)"), group=(placed.sql,))
        readings.append(Reading(query, {"owner": owner.words[0]}))
    return names("t", thing) | {"c": pair[0][1].word}, readings


def _value(scene: Scene, rng: random.Random) -> Doubt:
    thing, pair = _pair(scene, rng)
    shared = set.intersection(*({str(cell).lower() for cell in scene.cells(placed)} for _, placed in pair))
    values = [value for value in pair[0][1].values if value.lower() in shared]
    value = one_of(values, rng)
    readings = [
        Reading(_counted(thing, [is_value(placed, value)]), {"owner": owner.words[0]}) for owner, placed in pair
    ]
    told = {"v": value, "c": pair[0][1].word}
    return names("t", thing) | told, readings


def _counted(thing: PlacedThing, conditions: Sequence[Condition]) -> Query:
    return Query(thing.table, ("COUNT(*)",), tuple(one.sql for one in conditions))


def _alike(scene: Scene, rng: random.Random) -> tuple[list[PlacedThing], dict[str, str]]:
    """Draw two things whose names end alike: sales orders and purchase orders."""
    things = list(scene.layout.things.values())

    def head(thing: PlacedThing) -> str:
        return thing.many.split()[-1] if thing.language == "en" else thing.many[-2:]

    pairs = [[one, two] for n, one in enumerate(things) for two in things[:n] if head(one) == head(two)]
    pairs = [pair for pair in pairs if all(len(one.thing.words["en"][0].split()) > 1 for one in pair)]
    pair = one_of(pairs, rng)
    return pair, {"heads": head(pair[0]), "head": head(pair[0])}


def _table(scene: Scene, rng: random.Random) -> Doubt:
    pair, told = _alike(scene, rng)
    return told, [Reading(_counted(one, ()), names("t", one)) for one in pair]


def _table_total(scene: Scene, rng: random.Random) -> Doubt:
    pair, told = _alike(scene, rng)
    shared = set.intersection(*({c.word for c in one.columns.values() if c.column.sum} for one in pair))
    word = one_of(sorted(shared), rng)
    readings: list[Reading] = []
    for one in pair:
        (placed,) = [c for c in one.columns.values() if c.word == word]
        readings.append(Reading(Query(one.table, (f"SUM({placed.sql})",)), names("t", one)))
    return told | {"n": word}, readings


def _owned(scene: Scene, rng: random.Random) -> tuple[PlacedThing, PlacedThing]:
    offered = [(one, link) for one in scene.layout.things.values() for link in one.links]
    thing, link = one_of(offered, rng)
    return thing, scene.layout.things[link]


def _aggregate(scene: Scene, rng: random.Random) -> Doubt:
    thing, parent = _owned(scene, rng)
    summed = [one for one in thing.columns.values() if one.column.sum]
    needs(len(summed) == 1)
    told, total = names("t", thing), summed[0].word
    english = thing.language == "en"
    measures = {
        "COUNT(*) DESC": f"the number of {told['ts']}" if english else f"{told['t']}的数量",
        f"SUM({summed[0].sql}) DESC": f"total {total}" if english else f"{total}合计",
    }
    best = Query(thing.table, (parent.own(parent.label),), group=(parent.own(parent.key),), limit="1")
    readings = [Reading(replace(best, order=sql), {"measure": measure}) for sql, measure in measures.items()]
    return told | names("p", parent), readings


def _part(scene: Scene, rng: random.Random) -> Doubt:
    thing, _ = _owned(scene, rng)
    parents = [one for one in (scene.layout.things[link] for link in thing.links) if not one.thing.code]
    parts = {part for one in parents for side in one.thing.names[one.language] for part in side if len(part) > 1}
    named = {part: [(one, name) for one in parents for name in scene.labels(one) if part in name] for part in parts}
    offered = [part for part, some in sorted(named.items()) if len(some) in (2, 3)]
    part = one_of(offered, rng)
    readings: list[Reading] = []
    for parent, whole in named[part]:
        same = f"{parent.own(parent.label)} = '{whole}'"
        readings.append(Reading(Query(thing.table, ("COUNT(*)",), (same,)), {"whole": whole}))
    return names("t", thing) | {"part": part}, readings


KINDS: Mapping[str, Callable[[Scene, random.Random], Doubt]] = {
    "column": _column,
    "value": _value,
    "table": _table,
    "table-total": _table_total,
    "aggregate": _aggregate,
    "part": _part,
}
