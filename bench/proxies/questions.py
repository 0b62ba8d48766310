"""ProxySpider: single questions, and solved ones in wordings that are never asked."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .binding import Slots
from .content import read
from .draws import NoDraw, Scene
from .filling import filled
from .queries import Query

__all__ = ["questions", "solved", "templates", "wordings"]

_TRIES = 60


def templates(language: str) -> dict[str, dict[str, Any]]:
    """Return the templates of single questions that a language has."""
    return {name: one for name, one in read("templates").items() if one[language]}


def wordings(told: Mapping[str, Any], language: str, *, solved: bool = False) -> list[str]:
    """Return the wordings that are asked, or the one that is kept for solved questions."""
    return told[language][-1:] if solved else told[language][:-1]


def questions(scenes: Sequence[Scene], seed: int, each: int) -> Iterator[dict[str, Any]]:
    """Yield each template's questions, each on another database where it can be.

    Args:
        scenes: the databases of one language.
        each: how many of a template.
    """
    language = scenes[0].layout.language
    for name, template in templates(language).items():
        rng = random.Random(f"{seed} {language} {name}")
        ways = wordings(template, language)
        for number, (scene, slots, query) in enumerate(_drawn(template, scenes, rng, each)):
            yield _record(name, scene, slots, query, ways[number % len(ways)])


def solved(scenes: Sequence[Scene], seed: int, each: int) -> Iterator[dict[str, Any]]:
    """Yield solved questions of every database: other wordings, values drawn from another seed."""
    language = scenes[0].layout.language
    for scene in scenes:
        rng = random.Random(f"solved {seed} {language} {scene.layout.name}")
        names = rng.sample(sorted(templates(language)), k=len(templates(language)))
        left = each
        for name in names:
            template = templates(language)[name]
            for _, slots, query in _drawn(template, [scene], rng, min(left, 1)):
                left -= 1
                yield _record(name, scene, slots, query, wordings(template, language, solved=True)[0])


def _drawn(
    template: Mapping[str, Any], scenes: Sequence[Scene], rng: random.Random, count: int
) -> Iterator[tuple[Scene, Slots, Query]]:
    order = rng.sample(list(scenes), k=len(scenes))
    found = 0
    for number in range(_TRIES):
        if found == count:
            return
        scene = order[number % len(order)]
        try:
            slots, query = filled(template, scene, rng)
        except NoDraw:
            continue
        found += 1
        yield scene, slots, query


def _record(name: str, scene: Scene, slots: Slots, query: Query, wording: str) -> dict[str, Any]:
    return {
        "db_id": scene.layout.name,
        "question": slots.say(wording),
        "query": query.sql(scene.layout),
        "template": name,
        "ordered": query.ordered,
    }
