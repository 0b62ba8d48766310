"""Words that the value index knows: what names nothing, what is hardly ever a value, other words for cells."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["STOP_CJK", "STOP_WORDS", "function_words_in", "meanings_of"]

_WORDS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))

STOP_WORDS, STOP_CJK = frozenset(_WORDS["stop_words"].split()), frozenset(_WORDS["stop_words_zh"].split())

_ANY = re.compile("|".join(sorted(_WORDS["function_words"].split(), key=len, reverse=True)))
"""Function words of Chinese, the longest first."""


def function_words_in(text: str) -> list[tuple[int, int]]:
    """Return where function words stand, of those that begin at one place the longest.

    >>> function_words_in("有哪些仓库")
    [(0, 1), (1, 3)]
    """
    return [match.span() for match in _ANY.finditer(text)]


def meanings_of(said: str) -> tuple[str, ...]:
    """Return what a cell may say for folded words.

    >>> meanings_of("french")
    ('France',)
    """
    return tuple(_WORDS["meanings"].get(said, ()))
