"""ProxyCoSQL: questions with several readings, what people say when asked back, and questions without an answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .content import fields
from .dialogues import OPENINGS, Turn, following, opening, record
from .draws import NoDraw, Scene, Slots, says
from .layouts import Placed, PlacedThing
from .phrases import Condition, is_value
from .queries import Query, Term, column
from .questions import read

__all__ = ["ambiguous", "doubtful", "mixed", "unanswerable"]

_TRIES = 30
_ANYWHERE = {"customer", "client"}  # any field's people may be called so


@dataclass(frozen=True)
class Reading:
    """One of the things that a question may mean, with the words that tell it apart."""

    query: Query
    words: Mapping[str, str]


Doubt = tuple[dict[str, str], list[Reading]]
"""The words of the question, and its readings."""


def ambiguous(scene: Scene, kind: str, rng: random.Random) -> dict[str, Any]:
    """Return a question with two readings or more that differ in rows, and the answer for one of them.

    Raises:
        NoDraw: this database has none of this kind.
    """
    language = scene.layout.language
    told = read("doubts")["ambiguous"][kind]
    for _ in range(_TRIES):
        words, readings = KINDS[kind](scene, rng)
        found = [scene.rows(one.query.sql(scene.layout)) for one in readings]
        apart = all(one != other for n, one in enumerate(found) for other in found[:n])
        if len(readings) > 1 and apart and all(says(scene, one.query) for one in readings):
            meant = rng.choice(readings)
            reply = Slots(words={**words, **meant.words}).say(rng.choice(told["reply"][language]))
            return {
                "utterance": Slots(words=words).say(rng.choice(told[language])),
                "query": meant.query.sql(scene.layout),
                "kind": f"ambiguous {kind}",
                "ordered": False,
                "readings": [one.query.sql(scene.layout) for one in readings],
                "reply": reply,
            }
    raise NoDraw(kind)


def unanswerable(scene: Scene, kind: str, rng: random.Random) -> dict[str, Any]:
    """Return a question that the database cannot answer."""
    layout, language = scene.layout, scene.layout.language
    told = read("doubts")["unanswerable"][kind]
    thing = rng.choice(list(layout.things.values()))
    numbers = [one for one in thing.columns.values() if one.column.kind == "number"]
    own = {word for one in layout.field.things.values() for word in one.words[language]}
    foreign = [t for f in fields() if f is not layout.field for t in f.things.values() if t.name not in _ANYWHERE]
    other = rng.choice([one for one in foreign if not own & set(one.words[language])])
    words = _thing_words("t", thing, language) | {
        "absent": rng.choice(thing.thing.absent[language]),
        "name": rng.choice(scene.labels(thing)),
        "other": other.words[language][0],
        "others": other.words[language][1],
        "n": rng.choice(numbers).column.words[language][0] if numbers else "",
    }
    if kind == "why" and not numbers:
        raise NoDraw("no number")
    said = Slots(words=words).say(rng.choice(told[language]))
    return {"utterance": said, "query": "", "kind": f"unanswerable {kind}", "ordered": False}


def doubtful(scenes: Sequence[Scene], seed: int, each: int) -> Iterator[dict[str, Any]]:
    """Yield ambiguous questions and those without an answer, ``each`` of a kind, one by one."""
    language = scenes[0].layout.language
    makers = (("ambiguous", ambiguous), ("unanswerable", unanswerable))
    for name, make in makers:
        for kind in read("doubts")[name]:
            rng = random.Random(f"{name} {seed} {language} {kind}")
            said: set[str] = set()
            for number in range(each * 8):
                if len(said) == each:
                    break
                scene = scenes[number % len(scenes)]
                try:
                    turn = make(scene, kind, rng)
                except NoDraw:
                    continue
                if turn["utterance"] not in said:
                    said.add(turn["utterance"])
                    yield {"db_id": scene.layout.name, **turn}


def mixed(scenes: Sequence[Scene], seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Yield dialogues with a doubtful turn or two in each: an ambiguous one, one without an answer, or both."""
    language = scenes[0].layout.language
    for number in range(count):
        scene = scenes[number % len(scenes)]
        rng = random.Random(f"mixed {seed} {language} {number}")
        turns = list(_mixed(scene, rng))
        yield {"database_id": scene.layout.name, "interaction": turns, "final": turns[-1]}


def _mixed(scene: Scene, rng: random.Random) -> Iterator[dict[str, Any]]:
    said: list[Turn] = [opening(scene, rng, OPENINGS)]
    for _ in range(rng.choice((2, 3, 3))):
        turn = following(scene, said, rng)
        said += [turn] if turn else []
    doubts = rng.choice((("ambiguous",), ("unanswerable",), ("ambiguous", "unanswerable")))
    places = {one: rng.randrange(1, len(said) + 1) for one in doubts}
    for number in range(len(said) + 1):
        for doubt in (one for one, place in places.items() if place == number):
            yield from _doubt(scene, doubt, rng)
            if doubt == "ambiguous":  # what leans on the turns before would lean on this one
                said[number:] = [opening(scene, rng, ("topic-rows", "topic-count"))]
        if number < len(said):
            yield record(scene, said[number])


def _doubt(scene: Scene, doubt: str, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Yield a doubtful turn, and after an ambiguous one what its user says when asked back."""
    kinds = list(read("doubts")[doubt])
    for kind in rng.sample(kinds, k=len(kinds)):
        try:
            turn = (ambiguous if doubt == "ambiguous" else unanswerable)(scene, kind, rng)
        except NoDraw:
            continue
        yield turn
        if doubt == "ambiguous":
            yield {"utterance": turn["reply"], "query": turn["query"], "kind": "reply", "ordered": False}
        return


def _thing_words(letter: str, thing: PlacedThing, language: str) -> dict[str, str]:
    words = thing.thing.words[language]
    classifier = "cl" if letter == "t" else f"{letter}cl"
    return {letter: words[0], f"{letter}s": words[1] if language == "en" else words[0], classifier: words[1]}


def _near(scene: Scene, thing: PlacedThing) -> Iterator[tuple[PlacedThing, Placed]]:
    """Yield the columns of what a thing belongs to, with their owners; its own would be meant without a word."""
    for owner in (scene.layout.things[name] for name in thing.links):
        yield from ((owner, one) for one in owner.columns.values())


def _pair(scene: Scene, rng: random.Random) -> tuple[PlacedThing, list[tuple[PlacedThing, Placed]]]:
    """Draw a thing and two columns of one name that it may be counted by."""
    language = scene.layout.language
    found: list[tuple[PlacedThing, list[tuple[PlacedThing, Placed]]]] = []
    for thing in scene.layout.things.values():
        near = [one for one in _near(scene, thing) if one[1].column.kind == "category"]
        for n, one in enumerate(near):
            same = [o for o in near[:n] if o[1].column.words[language][0] == one[1].column.words[language][0]]
            found += [(thing, [one, other]) for other in same]
    if not found:
        raise NoDraw("no two columns of one name")
    return rng.choice(found)


def _column(scene: Scene, rng: random.Random) -> Doubt:
    language = scene.layout.language
    thing, pair = _pair(scene, rng)
    readings: list[Reading] = []
    for owner, placed in pair:
        own = column(placed)
        query = Query(thing.table, (own, Term("COUNT(*)")), group=(own,))
        readings.append(Reading(query, {"owner": owner.thing.words[language][0]}))
    return _thing_words("t", thing, language) | {"c": pair[0][1].column.words[language][0]}, readings


def _value(scene: Scene, rng: random.Random) -> Doubt:
    language = scene.layout.language
    thing, pair = _pair(scene, rng)
    shared = set.intersection(*({str(cell).lower() for cell in scene.cells(placed)} for _, placed in pair))
    values = [value for value in pair[0][1].column.values[language] if value.lower() in shared]
    if not values:
        raise NoDraw("no value in both")
    value = rng.choice(values)
    readings = [
        Reading(_counted(thing, [is_value(placed, value, language)]), {"owner": owner.thing.words[language][0]})
        for owner, placed in pair
    ]
    told = {"v": value, "c": pair[0][1].column.words[language][0]}
    return _thing_words("t", thing, language) | told, readings


def _counted(thing: PlacedThing, conditions: Sequence[Condition]) -> Query:
    return Query(thing.table, (Term("COUNT(*)"),), tuple(one.term for one in conditions))


def _alike(scene: Scene, rng: random.Random) -> tuple[list[PlacedThing], dict[str, str]]:
    """Draw two things whose names end alike: sales orders and purchase orders."""
    language = scene.layout.language
    things = list(scene.layout.things.values())

    def head(thing: PlacedThing) -> str:
        words = thing.thing.words[language]
        return words[1].split()[-1] if language == "en" else words[0][-2:]

    pairs = [[one, two] for n, one in enumerate(things) for two in things[:n] if head(one) == head(two)]
    pairs = [pair for pair in pairs if all(len(one.thing.words["en"][0].split()) > 1 for one in pair)]
    if not pairs:
        raise NoDraw("no tables alike")
    pair = rng.choice(pairs)
    return pair, {"heads": head(pair[0]), "head": head(pair[0])}


def _table(scene: Scene, rng: random.Random) -> Doubt:
    pair, told = _alike(scene, rng)
    return told, [Reading(_counted(one, ()), _thing_words("t", one, scene.layout.language)) for one in pair]


def _table_total(scene: Scene, rng: random.Random) -> Doubt:
    language = scene.layout.language
    pair, told = _alike(scene, rng)
    shared = set.intersection(
        *({c.column.words[language][0] for c in one.columns.values() if c.column.summed} for one in pair)
    )
    if not shared:
        raise NoDraw("no number in both")
    word = rng.choice(sorted(shared))
    readings: list[Reading] = []
    for one in pair:
        (placed,) = [c for c in one.columns.values() if c.column.words[language][0] == word]
        own = column(placed)
        total = Term(f"SUM({own.sql})", own.tables)
        readings.append(Reading(Query(one.table, (total,)), _thing_words("t", one, language)))
    return told | {"n": word}, readings


def _owned(scene: Scene, rng: random.Random) -> tuple[PlacedThing, PlacedThing]:
    offered = [(one, link) for one in scene.layout.things.values() for link in one.links]
    if not offered:
        raise NoDraw("nothing belongs to another")
    thing, link = rng.choice(offered)
    return thing, scene.layout.things[link]


def _aggregate(scene: Scene, rng: random.Random) -> Doubt:
    language = scene.layout.language
    thing, parent = _owned(scene, rng)
    summed = [one for one in thing.columns.values() if one.column.summed]
    if len(summed) != 1:
        raise NoDraw("not one number")
    own, key = column(summed[0]), Term(f"{parent.table}.{parent.key}", frozenset({parent.table}))
    label = Term(f"{parent.table}.{parent.label}", frozenset({parent.table}))
    words = thing.thing.words[language]
    english = language == "en"
    measures = (
        ("COUNT(*) DESC", f"the number of {words[1]}" if english else f"{words[0]}的数量"),
        (
            f"SUM({own.sql}) DESC",
            f"total {summed[0].column.words[language][0]}" if english else f"{summed[0].column.words[language][0]}合计",
        ),
    )
    readings = [
        Reading(
            Query(thing.table, (label,), group=(key,), order=Term(sql, own.tables), limit="1"), {"measure": measure}
        )
        for sql, measure in measures
    ]
    return _thing_words("t", thing, language) | _thing_words("p", parent, language), readings


def _part(scene: Scene, rng: random.Random) -> Doubt:
    language = scene.layout.language
    thing, _ = _owned(scene, rng)
    parents = [one for one in (scene.layout.things[link] for link in thing.links) if not one.thing.code]
    parts = {part for one in parents for side in one.thing.names[language] for part in side if len(part) > 1}
    named = {part: [(one, name) for one in parents for name in scene.labels(one) if part in name] for part in parts}
    offered = [part for part, some in sorted(named.items()) if len(some) in (2, 3)]
    if not offered:
        raise NoDraw("no shared name")
    part = rng.choice(offered)
    readings: list[Reading] = []
    for parent, whole in named[part]:
        same = Term(f"{parent.table}.{parent.label} = '{whole}'", frozenset({parent.table}))
        readings.append(Reading(Query(thing.table, (Term("COUNT(*)"),), (same,)), {"whole": whole}))
    return _thing_words("t", thing, language) | {"part": part}, readings


KINDS: Mapping[str, Callable[[Scene, random.Random], Doubt]] = {
    "column": _column,
    "value": _value,
    "table": _table,
    "table-total": _table_total,
    "aggregate": _aggregate,
    "part": _part,
}
