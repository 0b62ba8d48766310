"""The spans of a question that mention the literals of its gold query: automatic labels, as tags of its words.

Strings are found as they stand, case aside, in another form of their last word («dogs»), or by another word for them
(«French» for France); numbers and times by their values.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..data.domains.aligner import align
from ..data.sql.sources import sql_literals
from ..data.values.slots import SLOT
from .language.question import QuestionText
from .language.words import Unit, key_of, words_of
from .matching.matching import other_keys

TAGS = ("O", "B", "I")
OUTSIDE, BEGIN, INSIDE = range(3)

STEPS_NEVER = np.zeros((3, 3), np.float32)
"""The penalty of each tag (column) behind each tag (row); a question begins as if behind an O."""
STEPS_NEVER[OUTSIDE, INSIDE] = -1e4  # a finite number: infinite ones have no gradient


def tags_of_spans(spans: Iterable[tuple[int, int]], words: Sequence[Unit]) -> NDArray[np.int64]:
    """Return the tag of each word, (words,).

    Args:
        spans: characters, end exclusive; one takes in every word that it touches, and of those that share a word the
            first counts, the longest of those that begin together.
    """
    tags = np.full(len(words), OUTSIDE, np.int64)
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        inside = [n for n, word in enumerate(words) if word.start < end and start < word.end]
        if inside and not tags[inside].any():
            tags[inside] = INSIDE
            tags[inside[0]] = BEGIN
    return tags


def spans_of_tags(tags: NDArray[np.int64], words: Sequence[Unit]) -> list[tuple[int, int]]:
    """Return the characters of each span, in order; an I behind an O begins none.

    Args:
        tags: (words,); fewer than there are words where the last ones were not read.
    """
    found: list[tuple[int, int]] = []
    before = OUTSIDE
    for word, tag in zip(words, tags.tolist(), strict=False):
        if tag == BEGIN:
            found.append((word.start, word.end))
        elif tag == INSIDE and before != OUTSIDE:
            found[-1] = (found[-1][0], word.end)
        before = OUTSIDE if tag == INSIDE and before == OUTSIDE else tag
    return found


def best_tags(scores: NDArray[np.float32], steps: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the likeliest row of tags, (words,), of all in which no I stands behind an O (Viterbi 1967).

    Args:
        scores: of each tag of each word, (words, TAGS).
        steps: of each tag behind each, (TAGS, TAGS), see `STEPS_NEVER`.
    """
    allowed = steps + STEPS_NEVER
    best, came = STEPS_NEVER[OUTSIDE], np.zeros((len(scores), len(TAGS)), np.int64)
    for n, own in enumerate(scores):
        ways = best[:, None] + allowed if n else np.broadcast_to(best, (len(TAGS), len(TAGS)))
        came[n], best = ways.argmax(0), ways.max(0) + own
    tags, tag = np.zeros(len(scores), np.int64), int(best.argmax())
    for n in reversed(range(len(scores))):
        tags[n], tag = tag, int(came[n, tag])
    return tags


Span = tuple[int, int]

_LONGEST = 8
"""Words of a run that is looked at for other forms."""


@dataclass(frozen=True)
class GoldLiteral:
    """A literal of a gold query.

    Attributes:
        value: without quotes, and without the ``%`` at the ends of a pattern.
        string: does it stand in quotes?
        span: its first character in the question and one past its last; None if it is not in the question.
    """

    value: str
    string: bool
    span: Span | None


def gold_literals(question: str, sql: str, *, dialect: str = "sqlite", language: str = "en") -> tuple[GoldLiteral, ...]:
    """Return the literals of a gold query, each value once, those in the question first.

    Args:
        sql: strings in single quotes.
        language: of the question.
    """
    slotted, values = align(question, sql, dialect=dialect, language=language)
    used = [value.mention for value in values if f"{{{value.slot}}}" in slotted]
    found = [GoldLiteral(one.sql, one.literal == "string", (one.start, one.end)) for one in used]
    rest = [one for one in sql_literals(slotted, dialect) if SLOT.search(one.value) is None]
    for value, string in dict.fromkeys((one.value.strip("%"), one.string) for one in rest):
        taken = [one.span for one in found if one.span is not None]
        found.append(GoldLiteral(value, string, _otherwise(question, value, taken) if string else None))
    return tuple(sorted(found, key=lambda one: (one.span is None, one.span or ())))


def _otherwise(question: str, value: str, taken: Sequence[Span]) -> Span | None:
    """Return the first free run of words that is another form of a string, or another word for it."""
    wanted = key_of(words_of(value))
    if not wanted:
        return None
    for run in QuestionText(question).runs(_LONGEST):
        keys = (run.key, *(key for key, _ in other_keys(run)))
        if wanted in keys and not any(start < run.end and run.start < end for start, end in taken):
            return run.start, run.end
    return None
