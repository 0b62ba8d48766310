"""Pairs of questions with a wished similarity, from which SoftSimMatch learns (BibSQL 2025).

Two questions of one query pattern are worth 1. Where patterns say which paths they follow (``author.title``,
``title.author.country``), a composite and one of its paths are worth 0.5, and 0 is what is easily taken for one
another: as long a path with the same beginning or end. Elsewhere 0 are the patterns whose questions look most alike.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .lexical import CharTfidf

__all__ = ["Pattern", "SimilarityPair", "patterns_of", "similarity_pairs"]

SHARES = (4, 4, 3)
"""How the pairs of 1, 0 and 0.5 are to each other."""
_RIVALS = 5  # of a pattern that says no path: those whose questions look most alike


@dataclass(frozen=True)
class Pattern:
    """The questions of one query pattern, and the paths it follows: one, two for a composite, none if unknown."""

    name: str
    questions: tuple[str, ...]
    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class SimilarityPair:
    """Two questions and how like their queries are: 0, 0.5 or 1."""

    one: str
    other: str
    similarity: float


def patterns_of(asked: Sequence[tuple[str, str, str]]) -> list[Pattern]:
    """Return patterns of (pattern's name, question, paths parted by spaces), in order of first use."""
    questions: dict[str, list[str]] = defaultdict(list)
    paths: dict[str, str] = {}
    for name, question, followed in asked:
        questions[name].append(question)
        paths[name] = followed
    return [Pattern(name, tuple(several), tuple(paths[name].split())) for name, several in questions.items()]


def similarity_pairs(patterns: Sequence[Pattern], *, count: int = 5500, seed: int = 0) -> list[SimilarityPair]:
    """Draw pairs, those of 1, 0 and 0.5 as 4:4:3; of none that there are, and of each pair no more than once.

    Args:
        patterns: with two questions or more where a 1 is to come of them.
        count: how many in all; fewer where there are not so many.
        seed: of the draw.
    """
    rng = random.Random(seed)
    rivals, halves = _rivals(patterns), _halves(patterns)
    kinds = [
        (1.0, [(p, p) for p in patterns if len(p.questions) > 1]),
        (0.0, [(p, patterns[j]) for i, p in enumerate(patterns) for j in rivals[i]]),
        (0.5, [(p, patterns[j]) for i, p in enumerate(patterns) for j in halves[i]]),
    ]
    shares = [share for share, (_, sides) in zip(SHARES, kinds, strict=True) if sides]
    found: list[SimilarityPair] = []
    for similarity, sides in kinds:
        if sides:
            share = SHARES[kinds.index((similarity, sides))] / sum(shares)
            found += _drawn(sides, similarity, round(count * share), rng)
    rng.shuffle(found)
    return found


def _drawn(
    sides: Sequence[tuple[Pattern, Pattern]], similarity: float, wanted: int, rng: random.Random
) -> list[SimilarityPair]:
    found: dict[tuple[str, str], SimilarityPair] = {}
    for _ in range(20 * wanted):
        if len(found) == wanted:
            break
        one, other = rng.choice(sides)
        first, second = rng.choice(one.questions), rng.choice(other.questions)
        if first != second:
            found.setdefault((min(first, second), max(first, second)), SimilarityPair(first, second, similarity))
    return list(found.values())


def _halves(patterns: Sequence[Pattern]) -> list[list[int]]:
    """Return for each composite the patterns that are one of its paths."""
    single = {p.paths[0]: i for i, p in enumerate(patterns) if len(p.paths) == 1}
    return [[single[path] for path in p.paths if path in single] if len(p.paths) > 1 else [] for p in patterns]


def _rivals(patterns: Sequence[Pattern]) -> list[list[int]]:
    if any(p.paths for p in patterns):
        return [[j for j, other in enumerate(patterns) if _confusable(p, other)] for p in patterns]
    return _lookalikes(patterns)


def _confusable(one: Pattern, other: Pattern) -> bool:
    """Say whether two patterns are as long and share a beginning or an end, and are not each other's part."""
    if one is other or len(one.paths) != len(other.paths) or not one.paths:
        return False
    lengths = [sorted(path.count(".") for path in p.paths) for p in (one, other)]
    return lengths[0] == lengths[1] and bool(_ends(one) & _ends(other)) and set(one.paths) != set(other.paths)


def _ends(pattern: Pattern) -> set[tuple[str, str]]:
    return {end for path in pattern.paths for end in (("start", path.split(".")[0]), ("target", path.split(".")[-1]))}


def _lookalikes(patterns: Sequence[Pattern]) -> list[list[int]]:
    """Return for each pattern those others whose questions are most like its own."""
    texts = [question for p in patterns for question in p.questions]
    owner = np.repeat(np.arange(len(patterns)), [len(p.questions) for p in patterns])
    likeness: Mapping[int, dict[int, float]] = defaultdict(dict)
    for mine, row in zip(owner.tolist(), CharTfidf(texts).scores(texts), strict=True):
        for place in np.argsort(-row, kind="stable")[: 4 * _RIVALS].tolist():
            other = int(owner[place])
            if other != mine:
                likeness[mine][other] = max(likeness[mine].get(other, 0.0), float(row[place]))
    return [sorted(likeness[i], key=lambda j: (-likeness[i][j], j))[:_RIVALS] for i in range(len(patterns))]
