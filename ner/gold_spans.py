"""The spans of a question that mention the literals of its gold query: automatic labels.

Strings are found as they stand, case aside, in another form of their last word («dogs»), or by another word for them
(«French» for France); numbers and times by their values.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..data.domains.aligner import align
from ..data.sql.sources import sql_literals
from ..data.values.slots import SLOT
from .language.question import QuestionText
from .language.words import key_of, words_of
from .matching.matching import other_keys

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
