"""Why a question may have no answer here: words that nothing in the database accounts for, and what comes nearest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ...encoders.text_vectors import TextVectors
from ...ner.index.keys import is_cjk
from ...ner.units import Unit, units
from ...ner.words import function_words_in
from ..reader.question.question import QuestionWords
from ..reader.schema.items import SchemaItems
from ..reader.schema.naming import NO_MATCH, match_names

__all__ = ["Unlinked", "UnlinkedSpan", "find_unlinked"]

_FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a about above after again all alphabetical alphabetically already also always am among amount an and any "
        "anyone anything are as ascending at average back be been before being below best between big both but "
        "buy by came can cheap cheapest come comes common contain containing could count current currently date "
        "descending did different display distinct do does done down each earliest either else equal ever every "
        "everything exactly except expensive far fewer fewest find first for from gave get gets getting give "
        "given gives go goes going gone got greater had has have having held her here high higher highest him his "
        "hold holds how i if in include including into is it its just keep kept kind know largest last latest "
        "least less like list long longer longest look low lower lowest made make makes many max maximum may me "
        "mean min minimum more most much must my name named names need never new newest next no none not nothing "
        "now number of off often old older oldest on once one ones only or order other our ours out over own past "
        "people per person please present provide put said same see seen sell she should show shown since small "
        "smaller smallest so some someone something sort sorted still such sum take taken tell than that the "
        "their them then there these they thing things this those through to today together too took top total "
        "twice under until up us use used using very want was way we well went were what when where whether which "
        "who whole whom whose why will with within without work works worst would yet you young younger youngest "
        "your yours d ll m re s t ve",
    )
)
"""Words that a query's keywords account for, or that say nothing; «what's» is two words."""


@dataclass(frozen=True)
class UnlinkedSpan:
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


@dataclass(frozen=True)
class Unlinked:
    """What speaks against a question having an answer here.

    Attributes:
        span: the longest run of words that nothing accounts for, None if there is none.
        share: of the question's words that nothing accounts for; 1 where the names are in another script, in which
            case nothing is known.
    """

    span: UnlinkedSpan | None
    share: float


def find_unlinked(
    question: QuestionWords, items: SchemaItems, vectors: TextVectors, *, most: int = 3, said: str = ""
) -> Unlinked:
    """Return which words of a question no name and no value of the database accounts for.

    Names in another script than the question's cannot be told from it by their letters; then there is no span.

    Args:
        most: names given as the nearest.
        said: a text beside the question, whose words are accounted for.
    """
    if is_cjk(question.text) and not any(is_cjk(item.name) for item in items.items):
        return Unlinked(None, 1.0)
    words = units(question.text)[: question.asked]
    known = {word.text.lower() for word in units(said)}
    free = [one and words[i].text.lower() not in known for i, one in enumerate(_unaccounted(question, items, words))]
    share = sum(free) / max(1, len(free))
    runs = _runs(free)
    if not runs:
        return Unlinked(None, share)
    start, end = max(runs, key=lambda run: run[1] - run[0])
    text = question.text[words[start].start : words[end - 1].end]
    return Unlinked(UnlinkedSpan(text, _nearest(text, items, vectors, most)), share)


def _unaccounted(question: QuestionWords, items: SchemaItems, words: Sequence[Unit]) -> list[bool]:
    named = match_names(question.stems[: question.asked], items.names).max(1, initial=NO_MATCH) > NO_MATCH
    valued = np.zeros(len(words), np.bool_)
    for node in question.values:
        valued[node.first : node.last] = valued[node.first : node.last] | (node.found.kind != "text")
    chinese = _accounted_in_chinese(question.text, [item.name for item in items.items])
    return [
        not (named[i] or valued[i] or word.start in chinese)
        and word.text.lower() not in _FUNCTION_WORDS
        and word.text[0].isalnum()
        for i, word in enumerate(words)
    ]


def _accounted_in_chinese(text: str, names: Iterable[str]) -> set[int]:
    """Return the characters of function words, and those of which two together stand in a name."""
    found = {i for start, end in function_words_in(text) for i in range(start, end)}
    known = {name[i : i + 2] for name in names for i in range(len(name) - 1)}
    for i in range(len(text) - 1):
        if text[i : i + 2] in known and not text[i].isascii():
            found |= {i, i + 1}
    return found


def _runs(free: Sequence[bool]) -> list[tuple[int, int]]:
    """Return (start, end) of each run of words that are free."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.array(free, np.int8), [0]])))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]


def _nearest(text: str, items: SchemaItems, vectors: TextVectors, most: int) -> tuple[str, ...]:
    names = list(dict.fromkeys(item.name for item in items.items))
    vectors.prepare([text, *names])
    near = np.array([vectors[name] for name in names]) @ vectors[text]
    return tuple(names[i] for i in np.argsort(-near, kind="stable")[:most])
