"""Numbers of digits and Chinese units by turns: «1万5» is 15000, «5万8千» 58000, «8.5万亿» 8500000000000."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from .literals import narrow
from .numerals import ValueSpan, chinese_number, plain, value_of

__all__ = ["amounts", "in_metres"]

_SIZES = {
    "百": 10**2,
    "千": 10**3,
    "万": 10**4,
    "百万": 10**6,
    "千万": 10**7,
    "亿": 10**8,
    "千亿": 10**11,
    "万亿": 10**12,
}
_SIZE = "|".join(sorted(_SIZES, key=len, reverse=True))
_LONE = {"千亿", "万亿"}
"""Sizes that the readers of plain numbers do not know."""

_THOUSANDTHS = "千[克米瓦帕卡]"  # a unit of its own, no number
_AMOUNT = re.compile(
    rf"(?<![A-Za-z0-9_.,/:-])(?P<digits>\d{{1,12}}(?:\.\d{{1,6}})?)(?!{_THOUSANDTHS})(?P<size>{_SIZE})"
    rf"(?:(?P<more>\d{{1,4}}|[一二两三四五六七八九])(?:(?!{_THOUSANDTHS})(?P<less>{_SIZE}))?(?![\d.,/:%年月日号点时十-]))?",
    re.ASCII,
)
_SQUARE = re.compile(r"\s?平方(?:公里|千米)")
_LONG = re.compile(r"\s?(?:公里|千米)(?!每|/)")


def amounts(question: str) -> Iterator[ValueSpan]:
    """Yield the numbers that digits and units say together, where one unit behind digits does not say them all."""
    for match in _AMOUNT.finditer(narrow(question)):
        size = _SIZES[match["size"]]
        more = _more(match, size)
        if more is not None:
            yield (*match.span(), plain(Fraction(match["digits"]) * size + more))


def _more(match: re.Match[str], size: int) -> Fraction | None:
    """Return what stands behind the first unit: tenths of it («1万5»), or digits with a smaller unit («5万8千»)."""
    more = match["more"]
    if more is None:
        return Fraction(0) if match["size"] in _LONE else None
    count = Fraction(more) if more.isascii() else chinese_number(more)
    if count is None:
        return None
    if match["less"] is not None:
        added = count * _SIZES[match["less"]]
        return added if added < size else None
    return count * size / 10 if 0 < count < 10 and len(more) == 1 else None


def in_metres(question: str, start: int, end: int, value: str) -> ValueSpan | None:
    """Return a number of kilometres as one of metres, since a column may count those; None for other numbers."""
    for pattern, size in ((_SQUARE, 10**6), (_LONG, 10**3)):
        unit = pattern.match(question, end)
        number = value_of(value)
        if unit and number is not None:
            return start, unit.end(), plain(number * size)
    return None
