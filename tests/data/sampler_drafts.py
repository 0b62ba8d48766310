"""Drafts of the sampler's structures, and the ways in which one of them is said."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from querent.sampler.parts.draws import Draft, Draw, NothingToDraw, SamplingFrame
from querent.sampler.parts.phrases import Templates
from querent.sampler.structures import Structure

__all__ = ["Drafts", "ways", "wordings"]


class Drafts:
    """What structures draw by many seeds, drawn when it is asked for: a test asks for a few of many structures."""

    def __init__(self, structures: Mapping[str, Structure], *frames: SamplingFrame, seeds: int = 300) -> None:
        self._structures, self._seeds = structures, seeds
        self._frames = {frame.language: frame for frame in frames}
        self._drawn: dict[tuple[str, str], list[Draft]] = {}

    def __getitem__(self, key: tuple[str, str]) -> list[Draft]:
        """Return all that a structure draws in a language."""
        if key not in self._drawn:
            self._drawn[key] = list(self._draw(*key))
        return self._drawn[key]

    def first(self, language: str, name: str) -> Draft:
        """Return the first that a structure draws in a language."""
        return next(self._draw(language, name))

    def _draw(self, language: str, name: str) -> Iterator[Draft]:
        for seed in range(self._seeds):
            with suppress(NothingToDraw):
                yield self._structures[name](Draw(self._frames[language], random.Random(seed)))


def ways(drafts: Sequence[Draft], language: str, rng: random.Random, times: int) -> Iterator[str]:
    """Yield each draft in lower-case words, as often as is said."""
    return (Templates.of(language).say(draft.said, rng).lower() for draft in drafts for _ in range(times))


def wordings(draft: Draft, language: str, rng: random.Random, enough: int = 8) -> set[str]:
    """Return different ways in which a draft is said, without their ends: enough of them, if 300 tries have as many."""
    found: set[str] = set()
    for said in ways([draft], language, rng, 300):
        found.add(said.rstrip("?？.。"))
        if len(found) == enough:
            break
    return found
