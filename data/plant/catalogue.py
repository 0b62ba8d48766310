"""The plant's tags, inference models and terms, with the ways people say them in each language.

They are read from ``tags.csv``, ``models.csv`` and ``terms.csv`` beside this file; ways to say one
thing are separated by ``|``. The database, the entities and the questions all come from here.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..domains.domain import TranslatedEntity

__all__ = ["HERE", "LANGUAGES", "Model", "Tag", "entities", "models", "tags"]

HERE = Path(__file__).resolve().parent
LANGUAGES = ("zh", "en")

Says = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Tag:
    """A measuring point: its alarm limits, its usual value and the noise on it, in its unit of measure."""

    code: str
    kind: str
    measure_unit: str
    process_unit: str
    low: float
    high: float
    normal: float
    noise: float
    priority: str
    says: Says

    @property
    def description(self) -> str:
        """What the database says about the tag: Chinese, then English."""
        return f"{self.says['zh'][0]} {self.says['en'][0]}"

    @property
    def digits(self) -> int:
        """Decimals that a reading of this tag is stored with."""
        size = max(abs(self.low), abs(self.high))
        return 2 if size < 10 else 1 if size < 1000 else 0


@dataclass(frozen=True)
class Model:
    """An inference model that foresees the alarms of one tag.

    ``lean`` is how far its predictions are off, as a part of the way from the tag's normal value to
    its upper limit: a model that leans up cries wolf, one that leans down misses alarms. It ran from
    ``ran_from`` to ``ran_to``; empty means since the month began, and until now.
    """

    name: str
    algorithm: str
    target: str
    accuracy: float
    trained_at: str
    status: str
    lean: float
    ran_from: str
    ran_to: str
    says: Says


@cache
def tags() -> tuple[Tag, ...]:
    """Return the tags in the order of the file."""
    return tuple(Tag(**_typed(row, "low", "high", "normal", "noise")) for row in _rows("tags.csv"))


@cache
def models() -> tuple[Model, ...]:
    """Return the models in the order of the file."""
    return tuple(Model(**_typed(row, "accuracy", "lean")) for row in _rows("models.csv"))


def _typed(row: dict[str, str], *numbers: str) -> dict[str, Any]:
    """Return the cells of a row by name, some as numbers, and the ways to say it."""
    cells = {name: float(cell) if name in numbers else cell for name, cell in row.items() if name not in LANGUAGES}
    return {**cells, "says": _says(row)}


@cache
def entities() -> tuple[TranslatedEntity, ...]:
    """Return every value that a question may name: tags and models, by code too, and the terms."""
    found = [TranslatedEntity("tag", t.code, _with(t.says, t.code.replace("-", ""), t.code)) for t in tags()]
    found += [TranslatedEntity("model", m.name, _with(m.says, m.name)) for m in models()]
    found += [TranslatedEntity(row["type"], row["sql"], _says(row)) for row in _rows("terms.csv")]
    return tuple(found)


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _says(row: dict[str, str]) -> Says:
    return {language: tuple(row[language].split("|")) for language in LANGUAGES}


def _with(says: Says, *codes: str) -> Says:
    return {language: (*codes, *says[language]) for language in LANGUAGES}
