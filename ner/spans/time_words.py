"""Words that times are said with, in tables of both languages: ``en.toml`` and ``zh.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from ...data.values.numerals import ENGLISH_CARDINALS, ENGLISH_ORDINALS
from ..units import units

__all__ = ["Phrases", "beginnings", "phrases"]

# tables whose phrases may stand first in a period
_FIRST = (
    *("month", "weak_month", "weekdays", "weak_weekdays", "unit", "which", "rolling", "named_day", "named_year"),
    *(
        "named_ordinal",
        "half_a_year",
        "counts",
        "letter",
        "some_of",
        "ago_bound",
        "age_bound",
        "edge",
        "vague",
        "fiscal",
    ),
    *(
        "fiscal_behind",
        "year_before",
        "last_century",
        "to_date_letters",
        "so_far",
        "fixed_part",
        "article",
        "each",
        "day_part",
    ),
)

Phrases: TypeAlias = Mapping[str, Sequence[tuple[tuple[str, ...], Any]]]
"""By the first word the phrases that begin with it, the longest first, each with what it means."""


@cache
def phrases() -> Mapping[str, Phrases]:
    """Return every table of words by its name, those of both languages together, since questions mix them."""
    tables: dict[str, dict[str, list[tuple[tuple[str, ...], Any]]]] = {}
    for file in ("en.toml", "zh.toml"):
        for name, words in tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8")).items():
            table = tables.setdefault(name, {})
            for phrase, meaning in words.items() if isinstance(words, dict) else ((word, True) for word in words):
                cut = tuple(unit.text for unit in units(phrase))
                table.setdefault(cut[0], []).append((cut, meaning))
    for table in tables.values():
        for found in table.values():
            found.sort(key=lambda one: -len(one[0]))
    return tables


@cache
def beginnings() -> frozenset[str]:
    """Return the words that a period may begin with, beside numbers and dates."""
    words = {word for table in _FIRST for word in phrases()[table]}
    return frozenset({*words, *ENGLISH_CARDINALS, *ENGLISH_ORDINALS, "第", "'", "’"})
