"""Drafts of the sampler's structures, and all the ways in which one of them is said."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress

from querent.data.sampler.draws import Draft, Draw, NothingToDraw, SamplingFrame
from querent.data.sampler.phrases import Templates
from querent.data.sampler.structures import Structure

__all__ = ["drafts_of", "wordings"]


def drafts_of(structure: Structure, frame: SamplingFrame) -> Iterator[Draft]:
    """Yield what a structure draws by 300 seeds."""
    for seed in range(300):
        with suppress(NothingToDraw):
            yield structure(Draw(frame, random.Random(seed)))


def wordings(draft: Draft, language: str, rng: random.Random) -> set[str]:
    """Return the different ways in which a draft is said in 300 tries, without their ends."""
    return {Templates.of(language).say(draft.said, rng).rstrip("?？.。").casefold() for _ in range(300)}
