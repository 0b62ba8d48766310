"""ProxySParC: dialogues in which each turn changes the query before it, or begins a new topic."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .binding import Slots
from .content import read
from .draws import NoDraw, Scene, says
from .layouts import PlacedThing
from .moves import MOVES, opened
from .phrases import label_words, names
from .state import State

__all__ = ["OPENINGS", "Turn", "asked", "dialogues", "following", "opening", "record", "talk"]

_TRIES = 40
OPENINGS = ("open-rows", "open-rows", "open-rows", "open-count", "open-total")


@dataclass(frozen=True)
class Turn:
    """What is said, how it changes the dialogue, and the query."""

    utterance: str
    move: str
    state: State


def dialogues(scenes: Sequence[Scene], seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Yield dialogues of three to six turns, one database after the other."""
    language = scenes[0].layout.language
    for number in range(count):
        scene = scenes[number % len(scenes)]
        rng = random.Random(f"dialogue {seed} {language} {number}")
        turns = [record(scene, turn) for turn in talk(scene, rng, rng.choice((3, 4, 4, 5, 5, 6)))]
        yield {"database_id": scene.layout.name, "interaction": turns, "final": turns[-1]}


def record(scene: Scene, turn: Turn) -> dict[str, Any]:
    """Return a turn as files have it."""
    query = turn.state.query
    return asked(turn.utterance, query.sql(scene.layout), turn.move, ordered=query.ordered)


def asked(utterance: str, query: str, kind: str, *, ordered: bool = False) -> dict[str, Any]:
    """Return what is asked and the gold query, empty where there is none."""
    return {"utterance": utterance, "query": query, "kind": kind, "ordered": ordered}


def talk(scene: Scene, rng: random.Random, length: int) -> list[Turn]:
    """Return the turns of a dialogue; it is begun anew where nothing more can be said."""
    while True:
        turns = [opening(scene, rng, OPENINGS)]
        while len(turns) < length:
            turn = following(scene, turns, rng)
            if turn is None:
                break
            turns.append(turn)
        if len(turns) == length:
            return turns


def opening(scene: Scene, rng: random.Random, ways: Sequence[str], without: PlacedThing | None = None) -> Turn:
    """Return a turn that needs nothing before it, about another thing than ``without``."""
    while True:
        thing = rng.choice([one for one in scene.layout.things.values() if one is not without])
        way = rng.choice(ways)
        try:
            state = opened(scene, thing, way, rng)
            if says(scene, state.query):
                return Turn(_say(scene, way, state, rng), "topic" if way.startswith("topic") else "open", state)
        except NoDraw:
            continue


def _say(scene: Scene, name: str, state: State, rng: random.Random) -> str:
    told = names("t", state.thing) | label_words(state.thing) | state.words
    return Slots(words=told).say(rng.choice(read("moves")[name][scene.layout.language]))


def following(scene: Scene, turns: Sequence[Turn], rng: random.Random) -> Turn | None:
    """Return a turn that follows the last one, None where none was found."""
    state = turns[-1].state
    before = scene.rows(state.query.sql(scene.layout))
    for _ in range(_TRIES):
        move = rng.choice(MOVES)
        if turns[-1].move == move.__name__.strip("_") and rng.random() < 0.7:
            continue  # people seldom make the same move twice
        try:
            name, new = move(scene, state, rng)
        except NoDraw:
            continue
        if says(scene, new.query) and scene.rows(new.query.sql(scene.layout)) != before:
            return Turn(_say(scene, name, new, rng), move.__name__.strip("_"), new)
    if len(turns) > 2:
        return opening(scene, rng, ("topic-rows", "topic-count"), without=state.thing)
    return None
