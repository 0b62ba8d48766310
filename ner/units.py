"""Questions cut into the units that taggers and classifiers read."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Unit", "units"]

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_UNIT = re.compile(rf"[{_CJK}]|\d+(?:\.\d+)*|[^\W\d_{_CJK}]+|\S")


@dataclass(frozen=True)
class Unit:
    """One CJK character, word, run of digits (dots inside kept) or other sign; ``text`` as written."""

    text: str
    start: int
    end: int


def units(question: str) -> list[Unit]:
    """Cut a question into units, in order; white space is in none of them.

    >>> [u.text for u in units("患者78591362, Top10 at 7.5")]
    ['患', '者', '78591362', ',', 'Top', '10', 'at', '7.5']
    """
    return [Unit(match[0], match.start(), match.end()) for match in _UNIT.finditer(question)]
