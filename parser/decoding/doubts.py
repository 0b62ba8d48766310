"""Why a question may have no answer here: words that nothing in the database accounts for, and what comes nearest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...ner.units import Unit, units
from ..reader.items import SchemaItems
from ..reader.naming import NO_MATCH, match_names
from ..reader.question import Question
from ..reader.vectors import TextVectors

__all__ = ["Gap", "find_gap"]

_SAID = frozenset(
    re.findall(
        r"\w+",
        "a about above after again all also alphabetical among amount an and any are as ascending at average be been "
        "before below between both but by can common count date descending did different distinct do does each either "
        "ever every except fewer fewest find first for from get give greater had has have having highest how i in into "
        "is it its kind largest last latest least less list long lowest many max maximum me mean min minimum more most "
        "much my name names never no not number of old on once only or order other our out over per please return show "
        "smallest so some sort sorted sum tell than that the their them there these they this those to top total twice "
        "under up us was we were what when where which who whose with without you your",
    )
)
"""Words that a query's keywords account for, or that say nothing."""


@dataclass(frozen=True)
class Gap:
    """Words of a question that no name and no value of the database accounts for.

    Attributes:
        text: as the question says them.
        nearest: names of tables and columns that come nearest in meaning.
    """

    text: str
    nearest: tuple[str, ...]

    def __str__(self) -> str:
        nearest = f"; nearest: {', '.join(self.nearest)}" if self.nearest else ""
        return f"nothing here is called ‹{self.text}›{nearest}"


def find_gap(question: Question, items: SchemaItems, vectors: TextVectors, *, most: int = 3) -> Gap | None:
    """Return the longest run of words that nothing accounts for, None if there is none.

    Args:
        most: names given as the nearest.
    """
    words = units(question.text)[: len(question.stems)]
    free = _unaccounted(question, items, words)
    runs = _runs(free)
    if not runs:
        return None
    start, end = max(runs, key=lambda run: run[1] - run[0])
    text = question.text[words[start].start : words[end - 1].end]
    return Gap(text, _nearest(text, items, vectors, most))


def _unaccounted(question: Question, items: SchemaItems, words: Sequence[Unit]) -> list[bool]:
    named = match_names(question.stems, items.names).max(1, initial=NO_MATCH) > NO_MATCH
    valued = np.zeros(len(words), np.bool_)
    for node in question.values:
        valued[node.first : node.last] = valued[node.first : node.last] | (node.found.kind != "text")
    return [
        not named[i] and not valued[i] and word.text.lower() not in _SAID and word.text[0].isalnum()
        for i, word in enumerate(words)
    ]


def _runs(free: Sequence[bool]) -> list[tuple[int, int]]:
    """Return (start, end) of each run of words that are free."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.array(free, np.int8), [0]])))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]


def _nearest(text: str, items: SchemaItems, vectors: TextVectors, most: int) -> tuple[str, ...]:
    names = list(dict.fromkeys(item.name for item in items.items))
    vectors.prepare([text, *names])
    near = np.array([vectors[name] for name in names]) @ vectors[text]
    return tuple(names[i] for i in np.argsort(-near, kind="stable")[:most])
