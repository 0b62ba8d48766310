"""ProxyCoSQL: questions with several readings, what people say when asked back, and questions without an answer."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from .binding import Slots
from .content import fields, read
from .dialogues import OPENINGS, Turn, asked, following, opening, record
from .draws import NoDraw, Scene, needs, says
from .phrases import names
from .readings import KINDS

__all__ = ["ambiguous", "doubtful", "mixed", "unanswerable"]

_TRIES = 30
_ANYWHERE = {"customer", "client"}  # any field's people may be called so


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
            said = Slots(words=words).say(rng.choice(told[language]))
            queries = [one.query.sql(scene.layout) for one in readings]
            own = asked(said, meant.query.sql(scene.layout), f"ambiguous {kind}")
            return own | {"readings": queries, "reply": reply}
    raise NoDraw


def unanswerable(scene: Scene, kind: str, rng: random.Random) -> dict[str, Any]:
    """Return a question that the database cannot answer."""
    layout, language = scene.layout, scene.layout.language
    told = read("doubts")["unanswerable"][kind]
    thing = rng.choice(list(layout.things.values()))
    numbers = [one for one in thing.columns.values() if one.column.kind == "number"]
    own = {word for one in layout.field.things.values() for word in one.words[language]}
    foreign = [t for f in fields() if f is not layout.field for t in f.things.values() if t.name not in _ANYWHERE]
    other = rng.choice([one for one in foreign if not own & set(one.words[language])])
    words = names("t", thing) | {
        "absent": rng.choice(thing.thing.absent[language]),
        "name": rng.choice(scene.labels(thing)),
        "other": other.words[language][0],
        "others": other.words[language][1],
        "n": rng.choice(numbers).word if numbers else "",
    }
    needs(kind != "why" or bool(numbers))
    return asked(Slots(words=words).say(rng.choice(told[language])), "", f"unanswerable {kind}")


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
            yield asked(turn["reply"], turn["query"], "reply")
        return
