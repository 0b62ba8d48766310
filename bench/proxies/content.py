"""Fields of business: their things, the columns of each, and how people speak of them in both languages."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

__all__ = ["LANGUAGES", "Column", "Field", "Kind", "Thing", "fields"]

LANGUAGES = ("en", "zh")
HERE = Path(__file__).resolve().parent

Kind = Literal["category", "number", "date", "flag"]
Texts = Mapping[str, tuple[str, ...]]
"""Of each language: what people say first, another name second; or the values."""

_KINDS: Mapping[str, Kind] = {"values": "category", "number": "number", "date": "date", "flag": "flag"}
_PHRASES = {"is", "did", "yes", "no", "more", "less", "top", "low"}
_DEFAULTS = {
    "more": ("* with {a} {n} above {x}", "{n}高于{x}的"),
    "less": ("* with {a} {n} below {x}", "{n}低于{x}的"),
}


@dataclass(frozen=True)
class Column:
    """What is known of each row of a thing.

    Attributes:
        words: what it is called.
        values: of a category.
        number: the least and the most.
        date: the first and the last year.
        share: of rows whose flag says yes; of rows without a cell, `missing`.
        summed: whether totals make sense.
        as_text: whether one of the three databases keeps the number as text.
        apart: whether one of them keeps the values in a table of their own.
        phrases: by name (``is``, ``did``, ``more``, …) and language; ``*`` stands for the thing in English.
    """

    name: str
    kind: Kind
    words: Texts
    values: Texts
    number: tuple[float, float]
    decimals: int
    date: tuple[int, int]
    share: float
    missing: float
    summed: bool
    as_text: bool
    apart: bool
    phrases: Mapping[str, Mapping[str, str]]

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
    names: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
    person: bool
    code: str
    links: tuple[str, ...]
    absent: Mapping[str, tuple[str, ...]]
    columns: Mapping[str, Column]


@dataclass(frozen=True)
class Field:
    """A field of business with its things."""

    name: str
    things: Mapping[str, Thing]


@cache
def fields() -> tuple[Field, ...]:
    """Return all fields, by name."""
    pools = _read(HERE / "fields" / "pools.toml")
    files = sorted(file for file in (HERE / "fields").glob("*.toml") if file.stem != "pools")
    return tuple(_field(_read(file), pools) for file in files)


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _field(told: dict[str, Any], pools: dict[str, Any]) -> Field:
    things = {name: _thing(name, one, pools) for name, one in told.items() if name != "name"}
    return Field(told["name"], things)


def _thing(name: str, told: dict[str, Any], pools: dict[str, Any]) -> Thing:
    parts = pools["person"] if told.get("names") == "person" else told.get("names", {})
    return Thing(
        name=name,
        words={language: tuple(told[language]) for language in LANGUAGES},
        rows=told["rows"],
        names={language: (tuple(one), tuple(other)) for language, (one, other) in parts.items()},
        person=told.get("names") == "person",
        code=told.get("code", ""),
        links=tuple(told.get("links", ())),
        absent={"en": tuple(en for en, _ in told["absent"]), "zh": tuple(zh for _, zh in told["absent"])},
        columns={key: _column(key, one, pools) for key, one in told["columns"].items()},
    )


def _column(name: str, told: dict[str, Any], pools: dict[str, Any]) -> Column:
    kind: Kind = next(_KINDS[key] for key in _KINDS if key in told)
    values = told.get("values", {})
    values = pools[values] if isinstance(values, str) else values
    return Column(
        name=name,
        kind=kind,
        words={language: tuple(told[language].split("|")) for language in LANGUAGES},
        values={language: tuple(some) for language, some in values.items()},
        number=tuple(told.get("number", (0, 0))),
        decimals=told.get("decimals", 0),
        date=tuple(told.get("date", (0, 0))),
        share=told.get("flag", 0.0),
        missing=told.get("missing", 0.0),
        summed=told.get("sum", False),
        as_text=told.get("text", False),
        apart=told.get("lookup", False),
        phrases={key: dict(zip(LANGUAGES, pair, strict=True)) for key, pair in _phrases(kind, told)},
    )


def _phrases(kind: Kind, told: dict[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    if kind == "number":
        yield from _DEFAULTS.items()
    yield from ((key, told[key]) for key in told if key in _PHRASES)
