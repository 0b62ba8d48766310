"""Formulas as cells of spreadsheets have them: signs of any script, and names of several words without quotes."""

from __future__ import annotations

import re

__all__ = ["QUOTED", "plain_cell"]

QUOTED = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*"|“[^”]*”|‘[^’]*’)""")
_SIGNS = str.maketrans(
    dict(zip("＋－−＊×／÷（）＝＜＞，．０１２３４５６７８９", "+--**//()=<>,.0123456789", strict=True))
    | {"≤": "<=", "≥": ">=", "≠": "<>", "\u00a0": " ", "\u3000": " "}
)
_CURLY = {"“": '"', "‘": "'"}
_KEYWORDS = "and|or|not|in|is|null|like|between|case|when|then|else|end|distinct|select|from|where|as|over|filter"
_SEVERAL_WORDS = re.compile(rf"\b(?!(?:{_KEYWORDS})\b)[^\W\d]\w*(?: +(?!(?:{_KEYWORDS})\b)\w+)+", re.IGNORECASE)
"""Finds a name of several words, which no SQL could be, since no keyword stands between them."""


def plain_cell(text: str) -> str:
    """Return a cell with the signs of SQL in place of those of a spreadsheet, names of several words in quotes.

    What is quoted stays.
    """
    parts = QUOTED.split(text.strip())
    for i, part in enumerate(parts):
        if i % 2 == 0:
            parts[i] = _SEVERAL_WORDS.sub(r'"\g<0>"', part.translate(_SIGNS))
        elif part[0] in _CURLY:
            sign = _CURLY[part[0]]
            parts[i] = f"{sign}{part[1:-1].replace(sign, 2 * sign)}{sign}"
    return "".join(parts).strip()
