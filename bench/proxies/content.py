"""Fields of business: their things, the columns of each, and how people speak of them in both languages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

__all__ = ["LANGUAGES", "Column", "Field", "Kind", "Thing", "fields", "read"]

LANGUAGES = ("en", "zh")

Kind = Literal["category", "number", "date", "flag"]
Texts = Mapping[str, Sequence[str]]
"""Of each language: what people say first, another name second; or the values."""

_KINDS: Mapping[str, Kind] = {"values": "category", "number": "number", "date": "date", "flag": "flag"}
_PHRASES = ("is", "did", "yes", "no", "more", "less", "top", "low")
_DEFAULTS = {
    "more": ("* with {a} {n} above {x}", "{n}高于{x}的"),
    "less": ("* with {a} {n} below {x}", "{n}低于{x}的"),
}


@cache
def read(name: str) -> dict[str, Any]:
    """Return what one of the TOML files beside this one tells, by name."""
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Column:
    """What is known of each row of a thing.

    Attributes:
        words: what it is called.
        phrases: by name (``is``, ``did``, ``more``, …) and language; ``*`` stands for the thing in English.
        values: of a category.
        number: the least and the most.
        date: the first and the last year.
        flag: share of rows that say yes.
        missing: share of rows without a cell.
        sum: do totals make sense?
        text: does one of the three databases keep the number as text?
        lookup: does one of them keep the values in a table of their own?
    """

    name: str
    kind: Kind
    words: Texts
    phrases: Mapping[str, Mapping[str, str]]
    values: Texts = field(default_factory=dict[str, Sequence[str]])
    number: Sequence[float] = (0, 0)
    decimals: int = 0
    date: Sequence[int] = (0, 0)
    flag: float = 0.0
    missing: float = 0.0
    sum: bool = False
    text: bool = False
    lookup: bool = False

    @property
    def is_year(self) -> bool:
        """Is it a number that nobody adds up?"""
        return self.kind == "number" and self.number[0] > 1800 and self.number[1] < 2030


@dataclass(frozen=True)
class Thing:
    """What has a table: customers, orders.

    Attributes:
        words: English singular, plural, and both of another name; Chinese word, classifier, another name.
        names: of each language, two lists of parts; none where rows have a code.
        person: whether the names are people's.
        links: the things that each row belongs to.
        absent: what people may ask for that no table has.
    """

    name: str
    words: Texts
    rows: int
    absent: Texts
    columns: Mapping[str, Column]
    names: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict[str, Sequence[Sequence[str]]])
    person: bool = False
    code: str = ""
    links: Sequence[str] = ()


@dataclass(frozen=True)
class Field:
    """A field of business with its things."""

    name: str
    things: Mapping[str, Thing]


@cache
def fields() -> tuple[Field, ...]:
    """Return all fields, by name of their files."""
    names = sorted(file.stem for file in (Path(__file__).parent / "fields").glob("*.toml") if file.stem != "pools")
    return tuple(_field(**read(f"fields/{name}")) for name in names)


def _field(name: str, **told: dict[str, Any]) -> Field:
    return Field(name, {key: _thing(key, **one) for key, one in told.items()})


def _thing(name: str, en: list[str], zh: list[str], **told: Any) -> Thing:
    if told.get("names") == "person":
        told |= {"names": read("fields/pools")["person"], "person": True}
    told["absent"] = dict(zip(LANGUAGES, zip(*told["absent"], strict=True), strict=True))
    told["columns"] = {key: _column(key, **one) for key, one in told["columns"].items()}
    return Thing(name, {"en": en, "zh": zh}, **told)


def _column(name: str, en: str, zh: str, **told: Any) -> Column:
    kind: Kind = next(_KINDS[key] for key in _KINDS if key in told)
    if isinstance(told.get("values"), str):
        told["values"] = read("fields/pools")[told["values"]]
    pairs = (_DEFAULTS if kind == "number" else {}) | {key: told.pop(key) for key in _PHRASES if key in told}
    phrases = {key: {"en": english, "zh": chinese} for key, (english, chinese) in pairs.items()}
    return Column(name, kind, {"en": en.split("|"), "zh": zh.split("|")}, phrases, **told)
