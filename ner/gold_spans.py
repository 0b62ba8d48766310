"""Where a question says the literals of its gold query: labels that nobody had to write.

Strings are found as they stand, case aside, in another form of their last word («dogs»), or by another word for them
(«French» for France); numbers and times by what they mean, whatever way they are said in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..data.domains.examples import SLOT
from ..data.schema.schema import Schema
from ..data.sql.compared import sql_literals
from ..data.values.aligner import align
from .index.keys import key_of, words_of
from .matching.matching import other_keys
from .matching.question import QuestionRuns
from .matching.schema_words import SchemaWords

__all__ = ["GoldLiteral", "gold_literals"]

Span = tuple[int, int]

_LONGEST = 8
"""Words of a run that is looked at for other forms."""


@dataclass(frozen=True)
class GoldLiteral:
    """A literal of a gold query.

    Attributes:
        value: without quotes, and without the ``%`` at the ends of a pattern.
        string: does it stand in quotes?
        span: its first character in the question and one past its last; None where the question does not say it.
    """

    value: str
    string: bool
    span: Span | None


def gold_literals(question: str, sql: str, *, dialect: str = "sqlite", language: str = "en") -> tuple[GoldLiteral, ...]:
    """Return the literals of a gold query, each value once, those that the question says first.

    Args:
        sql: strings in single quotes.
        language: of the question.
    """
    slotted, values = align(question, sql, dialect=dialect, language=language)
    used = [value.mention for value in values if f"{{{value.slot}}}" in slotted]
    said = [GoldLiteral(one.sql, one.literal == "string", (one.start, one.end)) for one in used]
    rest = [one for one in sql_literals(slotted, dialect) if SLOT.search(one.value) is None]
    for value, string in dict.fromkeys((one.value.strip("%"), one.string) for one in rest):
        taken = [one.span for one in said if one.span is not None]
        said.append(GoldLiteral(value, string, _otherwise(question, value, taken) if string else None))
    return tuple(sorted(said, key=lambda one: (one.span is None, one.span or ())))


def _otherwise(question: str, value: str, taken: Sequence[Span]) -> Span | None:
    """Return the first free run of words that is another form of a string, or another word for it."""
    wanted = key_of(words_of(value))
    if not wanted:
        return None
    asked = QuestionRuns(question, SchemaWords(Schema(())))
    for run in asked.runs(_LONGEST):
        keys = (run.key, *(key for key, _ in other_keys(run)))
        if wanted in keys and not _touches(run.start, run.end, taken):
            return run.start, run.end
    return None


def _touches(start: int, end: int, spans: Iterable[Span]) -> bool:
    return any(left < end and start < right for left, right in spans)
