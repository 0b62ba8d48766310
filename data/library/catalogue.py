"""The library's terms: fields and their topics, countries, languages, schools and awards, in Chinese and in English.

They are read from ``topics.csv`` and ``terms.csv`` beside this file. The database holds the Chinese ones, as a Chinese
library does; ways to say one in English are separated by ``|``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..domains.domain import TranslatedEntity

__all__ = ["HERE", "LANGUAGES", "Topic", "entities", "fields", "rows", "terms", "topics"]

HERE = Path(__file__).resolve().parent
LANGUAGES = ("zh", "en")


@dataclass(frozen=True)
class Topic:
    """A subject that books are about.

    Attributes:
        field: of work that it belongs to.
        kind: of its field: arts, humanities or sciences.
        letter: of the shelves where its books stand.
        zh: its name in the catalogue.
        en: its name in English.
    """

    field: str
    kind: str
    letter: str
    zh: str
    en: str


def rows(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file beside this one."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


@cache
def topics() -> tuple[Topic, ...]:
    """Return all topics, those of a field together."""
    return tuple(Topic(**row) for row in rows("topics.csv"))


@cache
def fields() -> Mapping[str, tuple[Topic, ...]]:
    """Return the topics of each field, by its name."""
    return {name: tuple(t for t in topics() if t.field == name) for name in dict.fromkeys(t.field for t in topics())}


@cache
def terms(type: str, of: str) -> tuple[str, ...]:
    """Return the terms of a type that belong to a kind of field."""
    return tuple(row["zh"] for row in rows("terms.csv") if (row["type"], row["of"]) == (type, of))


def entities() -> Iterator[TranslatedEntity]:
    """Yield every term that questions may name; titles, names, publishers and series stand in the database alone."""
    for row in rows("terms.csv"):
        yield TranslatedEntity(row["type"], row["zh"], {"zh": (row["zh"],), "en": tuple(row["en"].split("|"))})
    for topic in topics():
        yield TranslatedEntity("subject", topic.zh, {"zh": (topic.zh,), "en": (topic.en,)})
