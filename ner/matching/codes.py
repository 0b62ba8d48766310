"""Codes: runs of letters and digits, digits that begin with a zero, and in Chinese digits with what they count."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..index.found import FoundValue
from ..index.keys import is_cjk
from .question import QuestionRuns

__all__ = ["codes"]

_ALONE = r"(?<![^\W_])"
_ENDED = r"(?![^\W_])"
_RUN = re.compile(rf"{_ALONE}[a-z\d]+(?:[.-][a-z\d]+)*{_ENDED}", re.IGNORECASE | re.ASCII)
# a column of texts keeps the zeros that a number loses
_ZEROS = re.compile(r"(?<![\w.,:/-])0\d{2,}(?![\w,:/-])(?!\.\d)", re.ASCII)
_HYPHENED = re.compile(r"(?<![\w.,:/-])\d+(?:-\d+)+(?![\w:/-])(?!\.\d)", re.ASCII)
_COUNTED = re.compile(
    r"(?<!\d)(?<!\d\.)\d++(?:\.\d++)*+\s?(?:[年月日号级届岁%]|万?元|亿元?|万|厘米|公里|千米|米|公斤|分钟|小时)"
)


def codes(question: QuestionRuns, said: Sequence[FoundValue]) -> Iterator[FoundValue]:
    """Yield «i7», «H52.059», «0655890», «2524-6» and, in Chinese, «170厘米»; nothing inside of what is said.

    Args:
        said: numbers and times of the question.
    """
    chinese = any(is_cjk(word.text) for word in question.words)
    found = [(match.span(), 0.35) for match in _RUN.finditer(question.text) if _mixed(match[0])]
    found += [(match.span(), 0.4) for match in _ZEROS.finditer(question.text)]
    found += [(match.span(), 0.35) for match in _HYPHENED.finditer(question.text) if _uneven(match[0])]
    found += [(match.span(), 0.25) for match in _COUNTED.finditer(question.text) if chinese]
    for (start, end), score in found:
        if not any(_tells(one, start, end) for one in said) and not question.is_quoted(start, end):
            text = question.text[start:end]
            yield FoundValue(start, end, text, text, "text", "literal", (), score)


def _tells(said: FoundValue, start: int, end: int) -> bool:
    """Is this a piece of a time, or of a longer number?"""
    if said.kind == "time":
        return said.start < end and start < said.end
    return said.start <= start and end <= said.end and said.end - said.start > end - start


def _mixed(text: str) -> bool:
    return any(sign.isdigit() for sign in text) and any(sign.isalpha() for sign in text)


def _uneven(text: str) -> bool:
    """Tell a code from a range: both ends of «2010-2015» have as many digits."""
    return len({len(part) for part in text.split("-")}) > 1
