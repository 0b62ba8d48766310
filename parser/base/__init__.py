"""The networks that ship with Querent, one a language, trained by ``bench/accuracy/base.py``."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["LANGUAGES", "base_folder", "language_of"]

LANGUAGES = ("en", "zh")

_LETTER = re.compile(r"[^\W\d_]")
_SHARE = 1 / 3
_CHINESE = re.compile(r"[\u3400-\u9fff]")


def base_folder(language: str) -> Path:
    """Return the folder of the network for questions in one of `LANGUAGES`."""
    return Path(__file__).parent / language


def language_of(question: str) -> str:
    """Return which of `LANGUAGES` a question is in: Chinese if a third of its letters are, English otherwise.

    >>> language_of("哪些专辑是 AC/DC 的？"), language_of("who wrote 红楼梦?")
    ('zh', 'en')
    """
    letters = len(_LETTER.findall(question))
    return "zh" if letters and len(_CHINESE.findall(question)) / letters >= _SHARE else "en"
