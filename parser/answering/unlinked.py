"""Why a question may have no answer here: words that nothing in the database accounts for, and what comes nearest.

Words that are spelled as no name, value or function word are looked up among the names by meaning (`SchemaMatch`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ...classifiers.schema_match import ABSENT, ABSENT_CJK, SchemaMatch
from ...encoders.text_vectors import TextVectors
from ...ner.index.keys import is_cjk
from ...ner.stems import stem
from ...ner.units import Unit, units
from ...ner.words import function_words_in
from ..reader.question.question import QuestionWords
from ..reader.schema.items import SchemaItems
from ..reader.schema.naming import NO_MATCH, match_names

__all__ = ["Unlinked", "UnlinkedSpan", "find_unlinked", "unlinked_runs"]

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
        meant: the probability that they mean something in the database by another word; 1 where nothing tells.
    """

    text: str
    nearest: tuple[str, ...]
    meant: float = 1.0

    @property
    def absent(self) -> bool:
        """Do they mean nothing that the database has?"""
        return self.meant < (ABSENT_CJK if is_cjk(self.text) else ABSENT)

    def __str__(self) -> str:
        nearest = f"; nearest: {', '.join(self.nearest)}" if self.nearest else ""
        return f"nothing here is called ‹{self.text}›{nearest}"


@dataclass(frozen=True)
class Unlinked:
    """What speaks against a question having an answer here.

    Attributes:
        span: the run of words that nothing accounts for and that least likely means something here, of equals the
            longest; None if there is none.
        share: of the question's words that nothing accounts for; 1 where the names are in another script, in which
            case nothing is known.
    """

    span: UnlinkedSpan | None
    share: float


def find_unlinked(
    question: QuestionWords,
    items: SchemaItems,
    vectors: TextVectors,
    *,
    most: int = 3,
    said: str = "",
    written: str = "",
) -> Unlinked:
    """Return which words of a question no name and no value of the database accounts for.

    Names in another script than the question's cannot be told from it by their letters, by their meaning alone.

    Args:
        most: names given as the nearest.
        said: a text beside the question, whose words are accounted for.
        written: the query with its slots; a text that no cell holds is accounted for where the query uses it.
    """
    texts, share = unlinked_runs(question, items, said=said, written=written)
    spans = _judged(texts, items, vectors, most)
    return Unlinked(min(spans, key=lambda one: (one.meant, -len(units(one.text))), default=None), share)


def unlinked_runs(
    question: QuestionWords, items: SchemaItems, *, said: str = "", written: str = ""
) -> tuple[list[str], float]:
    """Return each run of words that is spelled as nothing in the database, and the share of these words, 1 if unknown.

    Args:
        said, written: as those of `find_unlinked`.
    """
    words = units(question.text)[: question.asked + 1]  # the last one may be read within the one before
    known = {word.text.lower() for word in units(said)}
    accounted = _accounted(question, items, words, written)
    free = [not one and word.text.lower() not in known for one, word in zip(accounted, words, strict=True)]
    foreign = is_cjk(question.text) and not any(is_cjk(item.name) for item in items.items)
    texts = [question.text[words[start].start : words[end - 1].end] for start, end in _runs(free)]
    return texts, 1.0 if foreign else sum(free) / max(1, len(free))


def _accounted(question: QuestionWords, items: SchemaItems, words: Sequence[Unit], written: str) -> list[bool]:
    named = match_names([stem(word.text) for word in words], items.names).max(1, initial=NO_MATCH) > NO_MATCH
    valued = np.zeros(len(words), np.bool_)
    for i, node in enumerate(question.values):
        valued[node.first : node.last] |= node.found.kind != "text" or f"{{text{i}}}" in written
    chinese = _accounted_in_chinese(question.text, [item.name for item in items.items])
    return [
        bool(named[i] or valued[i])
        or word.start in chinese
        or word.text.lower() in _FUNCTION_WORDS
        or not word.text[0].isalnum()
        for i, word in enumerate(words)
    ]


def _accounted_in_chinese(text: str, names: Iterable[str]) -> set[int]:
    """Return the characters of function words, those of which two together stand in a name, and single ones beside."""
    known = {name[i : i + 2] for name in names for i in range(len(name) - 1)}
    pairs = [i for i in range(len(text) - 1) if text[i : i + 2] in known and not text[i].isascii()]
    named = {place for i in pairs for place in (i, i + 1)}
    found = {i for start, end in function_words_in(text) for i in range(start, end)} | named
    left = {i for i in range(len(text)) if i not in found and is_cjk(text[i])}
    return found | {i for i in left if left.isdisjoint((i - 1, i + 1)) and not named.isdisjoint((i - 1, i + 1))}


def _runs(free: Sequence[bool]) -> list[tuple[int, int]]:
    """Return (start, end) of each run of words that are free."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.array(free, np.int8), [0]])))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]


def _judged(texts: Sequence[str], items: SchemaItems, vectors: TextVectors, most: int) -> list[UnlinkedSpan]:
    """Return texts with the names that come nearest, and how likely they mean something; 1 for another encoder."""
    if not texts:
        return []
    names = list(dict.fromkeys(item.name for item in items.items))
    lower = [text.lower() for text in texts]
    vectors.prepare([*lower, *names])
    said, others = (np.array([vectors[one] for one in some]) for some in (lower, names))
    match = SchemaMatch.shipped(vectors.encoder)
    near = said @ others.T if match is None else match.cosines(said, others)
    meant = np.ones(len(texts)) if match is None else match.probabilities(said, others)
    order = np.argsort(-near, axis=1, kind="stable")[:, :most]
    rows = zip(texts, order.tolist(), meant.tolist(), strict=True)
    return [UnlinkedSpan(text, tuple(names[i] for i in some), sure) for text, some, sure in rows]
