"""What all conditions are made of: a WHERE, and how it is said of a table's rows by one of their columns."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from ...data.schema.events import DateEvent
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.verbalisation import Noun
from .draws import Draw
from .phrases import Phrase, Slot

_OF_TIMES = {"span", "since", "until", "until-span", "after", "before"}


@dataclass(frozen=True)
class Filter:
    """A condition.

    Attributes:
        where: what stands behind WHERE.
        said: the condition, to stand behind its noun.
        source: the FROM it needs where that is more than the table; columns are qualified then.
        repeats: rows of the table may come more than once.
        noun: what the rows are called where that says the condition, so that nothing is said behind it.
    """

    where: str
    said: Phrase
    source: str = ""
    repeats: bool = False
    noun: Noun | None = None

    @property
    def distinct(self) -> str:
        """Return what stands behind SELECT, so that each row comes once."""
        return "DISTINCT " if self.repeats else ""


ALL_ROWS = Filter("", Phrase("", {}))
"""No condition."""

FilterOf: TypeAlias = Callable[[Draw, TableFacts, bool], Filter]


def said_of(rule: str, table: TableFacts, column: ColumnFacts, **slots: Slot) -> Phrase:
    """Return a condition on a column in words; what a date is the date of is its meaning before any other."""
    dated = column.meaning in {"date", "year"}
    meaning = "" if table.noun.person and dated else column.meaning  # employees are not «of 2005»
    if column.event is not None:
        own = {"t": table.noun, "c": column.noun, **event_slots(column.event)}
        return Phrase(rule, {**own, **slots}, column.event.kind)
    return Phrase(rule, {"t": table.noun, "c": column.noun, **slots}, meaning)


def event_slots(event: DateEvent) -> dict[str, Slot]:
    """Return the forms of what a date is the date of: acquired, acquire, acquisitions."""
    return {"event": event.past, "base": event.base, "deeds": event.deeds}


def done_by_us(said: Phrase) -> bool:
    """May a condition on a time be said of what «we» did: «did we acquire after 2022»?"""
    return said.rule in _OF_TIMES and said.meaning == "done" and bool(said.slots["base"])


def called_by(draw: Draw, table: TableFacts, said: str, where: str) -> Filter:
    """Return a condition that an adjective before the noun says: pending orders, 有效的合同."""
    noun, between = table.noun, "的" if draw.frame.language == "zh" else " "
    called = replace(noun, one=f"{said}{between}{noun.one}", many=f"{said}{between}{noun.many}")
    return Filter(where, Phrase("", {}), noun=called)
