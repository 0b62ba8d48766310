"""Verbs in the names of columns: the ``return_date`` of a returned thing.

The words stand in ``events.toml``.
"""

import re
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from .plain_names import words

Kind: TypeAlias = Literal["done", "act"]

_CHINESE_DATE = re.compile(r"(?:的)?(?:日期|时间|日|年份|年代|时期)$")


@dataclass(frozen=True)
class DateEvent:
    """What a date is the date of: ``done`` to the row, as returned is, or an ``act`` of its own, as died is."""

    kind: Kind
    past: str


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
    if language == "en":
        return DateEvent(kind, past)
    return DateEvent(kind, verb["zh"]) if "zh" in verb else None


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
    return DateEvent("act" if acts else "done", verb[-2:])
