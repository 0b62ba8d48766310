"""What a domain of KnowBench tells: its concepts, things, formulas and structures, read from a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Concept", "Domain", "Formula", "Thing", "chinese", "domains", "in_language"]


@dataclass(frozen=True)
class Concept:
    """What a column may hold: its names in six ways of naming, and how its cells are drawn.

    Args:
        name: the plain English name, by which formulas speak of it.
        short: an English synonym or abbreviation, as columns are called.
        zh: the plain Chinese name.
        syn: a Chinese synonym that the bank does not tell.
        says: other names that the bank tells.
        count: is it said as the number of what it names?
        number: bounds of the cells, drawn as integers where both are; of dates with `after`, in days.
        of: a concept; the bounds are shares of its cell, and the cell is an integer where that one is.
        years: bounds of a year.
        date: bounds in years of a day.
        after: a concept of days, behind which `number` days lie.
        missing: share of NULLs.
        values: ways to code the same values, per language; the nth way of naming takes the nth, or the last.
        names: per language, forms of the names of entities, around a ``{stem}`` or a ``{person}``.
    """

    name: str
    short: str
    zh: str
    syn: str
    says: Sequence[str] = ()
    count: bool = False
    number: Sequence[float] = ()
    of: str = ""
    years: Sequence[int] = ()
    date: Sequence[int] = ()
    after: str = ""
    missing: float = 0.0
    values: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict[str, Sequence[Sequence[str]]])
    names: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    @property
    def averaged(self) -> bool:
        """Is it an average by its name, so that nobody asks for its average?"""
        return self.name.startswith("average")

    def said(self, language: str) -> str:
        """Return how a question speaks of the concept."""
        english = f"number of {self.name}" if self.count else self.name
        return english if language == "en" else self.zh


@dataclass(frozen=True)
class Thing:
    """What a row of a table is: `en` is its singular and plural, `unit` the Chinese word it is counted with."""

    name: str
    en: Sequence[str]
    short: str
    zh: str
    syn: str
    unit: str = "个"


@dataclass(frozen=True)
class Formula:
    """An entry of the bank, as it is written there."""

    name: str
    kind: str
    right: str
    says: tuple[str, ...] = ()
    unit: str = ""
    note: str = ""

    def aliases(self, language: str) -> list[str]:
        return in_language([self.name, *self.says], language)


@dataclass(frozen=True)
class Domain:
    """One domain; `structures` are kept as the file has them, `layouts` reads them."""

    name: str
    part: str
    concepts: Mapping[str, Concept]
    things: Mapping[str, Thing]
    formulas: Sequence[Formula]
    structures: Mapping[str, Mapping[str, Any]]

    def whole(self, concept: Concept) -> bool:
        """Are a concept's numbers integers?"""
        whole = bool(concept.years) or all(isinstance(n, int) for n in concept.number)
        return self.whole(self.concepts[concept.of]) if concept.of else whole


def chinese(text: str) -> bool:
    """Has a text a Chinese character?"""
    return any("一" <= c <= "鿿" for c in text)


def in_language(texts: Sequence[str], language: str) -> list[str]:
    """Return those of the texts that people say in a language."""
    return [t for t in texts if chinese(t) == (language == "zh")]


def domains() -> Iterator[Domain]:
    """Yield the domains in the order of their names; an unknown key of a concept or thing is a TypeError."""
    yield from map(_domain, sorted((Path(__file__).parent / "domains").glob("*.toml")))


def _domain(path: Path) -> Domain:
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    return Domain(
        path.stem,
        told["part"],
        {name: Concept(name, **entry) for name, entry in told["concepts"].items()},
        {name: Thing(name, **entry) for name, entry in told["things"].items()},
        [_formula(kind, **entry) for kind, entries in told["formulas"].items() for entry in entries],
        told["structures"],
    )


def _formula(kind: str, *, says: Sequence[str], **told: str) -> Formula:
    return Formula(told.pop("name"), kind, told.pop("is"), tuple(says), **told)
