"""Verbs in the names of columns and tables: the ``return_date`` of a returned thing, orders of ordered things.

The words stand in ``events.toml``.
"""

import re
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from .plain_names import singular, words

Kind: TypeAlias = Literal["done", "act"]

_CHINESE_DATE = re.compile(r"(?:的)?(?:日期|时间|日|年份|年代|时期)$")


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
    """An action of people on things: they order them, the things are ordered by them; ``passive`` may be missing."""

    base: str
    past: str
    passive: str = ""


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("events.toml").read_text(encoding="utf-8"))


@cache
def _participles() -> dict[str, str]:
    """Return the participle of each noun that a date may be called by."""
    return {noun: past for past, verb in _words()["dates"].items() for noun in verb.get("nouns", ())}


@cache
def event_of(name: str, phrase: str, table: str, language: str = "en") -> DateEvent | None:
    """Return the event of a date column, by its name and description; None if unknown.

    >>> event_of("return_dt", "return date", "loan").past
    'returned'
    """
    if not phrase.isascii():
        return _chinese(phrase) if language == "zh" else None
    own = {*words(table), *_words()["beside"]["row"]}  # last_checked is when a row was checked
    past = next((past for text in (name, phrase) if (past := _past(words(text), own))), None)
    if past is None:
        return None
    verb: dict[str, Any] = _words()["dates"].get(past, {})
    kind: Kind = "act" if "act" in verb else "done"
    is_open = "open" in verb
    if language == "en":
        base, deeds = (verb["act"], "") if kind == "act" else verb.get("ours", ("", ""))
        if deeds and singular(deeds) in own:  # «shipment shipments» would be odd
            base, deeds = "", ""
        return DateEvent(kind, past, is_open, base, deeds)
    return DateEvent(kind, verb["zh"], is_open, _base_in_chinese(kind, verb["zh"])) if "zh" in verb else None


def _past(named: Sequence[str], beside: Collection[str]) -> str | None:
    """Return the participle that the words of a date's name come down to: returned of a return date."""
    parts = [part for part in named if part not in beside and part not in _words()["beside"]["date"]]
    past = _participles().get(parts[0], parts[0]) if len(parts) == 1 else " ".join(parts)
    regular = past.isalpha() and past.endswith("ed") and not past.endswith("eed")
    return past if regular or "strong" in _words()["dates"].get(past, ()) else None


def _chinese(phrase: str) -> DateEvent | None:
    verb, known = "出生" if phrase == "生日" else _CHINESE_DATE.sub("", phrase), _words()["chinese"]
    acts = verb.endswith(tuple(known["acts"]))
    if verb == phrase or verb.startswith(tuple(known["planned"])) or not (acts or verb.endswith(tuple(known["done"]))):
        return None
    kind: Kind = "act" if acts else "done"
    return DateEvent(kind, verb[-2:], verb[-2:] in known["open"], _base_in_chinese(kind, verb[-2:]))


def _base_in_chinese(kind: Kind, past: str) -> str:
    return past if kind == "act" or past in _words()["chinese"]["ours"] else ""


def verb_of_table(parts: Sequence[str], language: str) -> Verb | None:
    """Return what people do to entities in a table that these words name."""
    verb = next((verb for part in parts if (verb := _words()["tables"].get(singular(part)))), None)
    if language != "zh":
        return None if verb is None else Verb(verb["base"], verb["past"], verb.get("passive", ""))
    known = (
        next((part for part in parts if part in _words()["chinese"]["tables"]), None) if verb is None else verb["zh"]
    )
    return None if known is None else Verb(known, known)
