"""Verbs that names of columns and tables tell of: ``return_date`` of something returned, orders of what was ordered."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from .event_words import (
    ACTS,
    BESIDE,
    CHINESE_ACTS,
    CHINESE_DATE,
    CHINESE_DONE,
    CHINESE_NOT_YET,
    CHINESE_OURS,
    CHINESE_PLANNED,
    DATE_WORDS,
    IN_CHINESE,
    NOT_YET,
    OURS,
    PARTICIPLES,
    STRONG_PARTICIPLES,
)
from .noun_forms import singular
from .plain_names import words

__all__ = ["DateEvent", "Verb", "event_of", "verb_of_table"]

Kind: TypeAlias = Literal["done", "act"]


@dataclass(frozen=True)
class DateEvent:
    """What a date is the date of: ``done`` to the row, as returned is, or an ``act`` of its own, as died is.

    Attributes:
        open: it may be still to come, so that rows without the date are those it has not come to.
        base: the verb of «did we acquire» and «did join»; empty of what «we» do not do to rows, as being born.
        deeds: the noun of what we do: acquisitions; empty where it is not ours.
    """

    kind: Kind
    past: str
    open: bool
    base: str = ""
    deeds: str = ""


@dataclass(frozen=True)
class Verb:
    """What people do to things: they order them, the things are ordered by them; no ``passive``: that is not said."""

    base: str
    past: str
    passive: str = ""


_TABLES = {
    "order": Verb("order", "ordered", "ordered by"), "purchase": Verb("buy", "bought", "bought by"),
    "loan": Verb("borrow", "borrowed", "borrowed by"), "borrowing": Verb("borrow", "borrowed", "borrowed by"),
    "rental": Verb("rent", "rented", "rented by"), "booking": Verb("book", "booked", "booked by"),
    "reservation": Verb("reserve", "reserved", "reserved by"), "visit": Verb("visit", "visited", "visited by"),
    "review": Verb("review", "reviewed", "reviewed by"), "rating": Verb("rate", "rated", "rated by"),
    "prescription": Verb("get", "got", "prescribed to"), "enrollment": Verb("enroll in", "enrolled in"),
    "enrolment": Verb("enrol in", "enrolled in"), "registration": Verb("register for", "registered for"),
    "attendance": Verb("attend", "attended", "attended by"), "subscription": Verb("subscribe to", "subscribed to"),
}  # fmt: skip
_IN_CHINESE = {
    "order": "订购", "buy": "购买", "borrow": "借", "rent": "租", "book": "预订", "reserve": "预约", "visit": "去",
    "review": "评价", "rate": "评分", "enroll in": "选", "enrol in": "选", "register for": "报名",
    "attend": "参加", "subscribe to": "订阅", "get": "用",
}  # fmt: skip

_CHINESE_VERBS = {"购买", "借阅", "租赁", "预订", "预约", "评论", "评价", "选课", "报名", "参观", "收藏", "订购"}


@cache
def event_of(name: str, said: str, table: str, language: str = "en") -> DateEvent | None:
    """Return what a date column tells of, by its name and what it is called; None if nobody knows.

    >>> event_of("return_dt", "return date", "loan").past
    'returned'
    """
    if not said.isascii():
        return _chinese(said) if language == "zh" else None
    own = {*words(table), *BESIDE}
    past = next((past for text in (name, said) if (past := _past(words(text), own))), None)
    if past is None:
        return None
    kind: Kind = "act" if past in ACTS else "done"
    if language == "en":
        base, deeds = (ACTS[past], "") if kind == "act" else OURS.get(past, ("", ""))
        if deeds and singular(deeds) in own:  # nobody says «shipment shipments»
            base, deeds = "", ""
        return DateEvent(kind, past, past in NOT_YET, base, deeds)
    told = IN_CHINESE.get(past)
    return None if told is None else DateEvent(kind, told, past in NOT_YET, _base_in_chinese(kind, told))


def _past(named: Sequence[str], beside: Collection[str]) -> str | None:
    """Return the participle that the words of a date's name come down to: returned of a return date."""
    parts = [part for part in named if part not in beside and part not in DATE_WORDS]
    past = PARTICIPLES.get(parts[0], parts[0]) if len(parts) == 1 else " ".join(parts)
    regular = past.isalpha() and past.endswith("ed") and not past.endswith("eed")
    return past if regular or past in STRONG_PARTICIPLES or past == "died" else None


def _chinese(said: str) -> DateEvent | None:
    verb = "出生" if said == "生日" else CHINESE_DATE.sub("", said)
    acts = verb.endswith(CHINESE_ACTS)
    if verb == said or verb.startswith(CHINESE_PLANNED) or not (acts or verb.endswith(CHINESE_DONE)):
        return None
    kind: Kind = "act" if acts else "done"
    return DateEvent(kind, verb[-2:], verb[-2:] in CHINESE_NOT_YET, _base_in_chinese(kind, verb[-2:]))


def _base_in_chinese(kind: Kind, told: str) -> str:
    return told if kind == "act" or told in CHINESE_OURS else ""


def verb_of_table(parts: Sequence[str], language: str) -> Verb | None:
    """Return what people do to entities in a table that these words name."""
    if language == "zh":
        said = (_IN_CHINESE[verb.base] for part in parts if (verb := _TABLES.get(singular(part))))
        known = next(said, None) or next((p for p in parts if p in _CHINESE_VERBS), None)
        return None if known is None else Verb(known, known)
    return next((verb for part in parts if (verb := _TABLES.get(singular(part)))), None)
