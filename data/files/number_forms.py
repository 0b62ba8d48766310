"""How texts say numbers: whole or with a fraction, with a comma or a point before it, with marks of thousands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["FORMS", "LONGEST", "NumberForm", "shapes", "stripped"]

_PLAIN = r"(?:0|[1-9]\d*)"
_MARKS = " '\u2019\u00a0\u202f"  # of thousands, beside the comma or the point
_CURRENCY = (
    r"[$€£¥￥₹₩₽₺₴฿]|US\$|USD|EUR|GBP|CNY|RMB|JPY|CHF|INR|HK\$|AU\$|CA\$|NZ\$|R\$|AUD|CAD|SEK|NOK|DKK|PLN|元|kr\.?"
)
_SIGNED = re.compile(
    rf"(?P<sign>[-−])?\s*(?P<before>{_CURRENCY})?\s*(?P<minus>[-−])?(?P<digits>[\d.,{_MARKS}]*\d(?:[eE][-+]?\d+)?)"
    rf"\s*(?P<behind>%|{_CURRENCY})?"
)
LONGEST = 60
"""Characters of a number: a long text is none, and patterns would take the square of its length to say so."""

_DIGITS = 15
"""Decimal digits that a real holds exactly."""


_SHAPE = bytes.maketrans(b"23456789", b"1" * 8)


@dataclass(frozen=True)
class NumberForm:
    """One way to write numbers, without a sign and what stands around.

    Attributes:
        name: ``whole``, ``plain`` (a point before the fraction, no marks), ``point`` or ``comma`` (with marks).
        fits: says whether a text is written so, and no digit of it would be lost.
        mark: stands between thousands, beside blanks and apostrophes.
    """

    name: str
    fits: Callable[[str], bool]
    mark: str = ""

    def read(self, texts: Sequence[str], unit: str, make: type[int] | type[float]) -> list[int | float]:
        """Return the numbers that texts of this form say, all read at once, since each call takes its time.

        Args:
            unit: stands before or behind each of them.
            make: what they become; ``int`` of numbers without a fraction.
        """
        joined = ";".join(texts)
        for mark in filter(None, (unit, self.mark, "'", "\u2019")):
            joined = joined.replace(mark, "")
        joined = joined.replace("−", "-")
        joined = joined.replace(",", ".")
        try:
            numbers = list(map(float, joined.split(";") if texts else ()))
        except ValueError:  # of blanks within a number
            numbers = list(map(float, "".join(joined.split()).split(";")))
        return numbers if make is float else list(map(make, numbers))


def stripped(text: str) -> tuple[str, str] | None:
    """Return the digits of a number with its sign, and the currency or per cent around it; None of another text.

    >>> stripped("€ -12.30"), stripped("45 %"), stripped("12 kg")
    (('-12.30', '€'), ('45', '%'), None)
    """
    found = _SIGNED.fullmatch(text) if len(text) <= LONGEST else None
    if found is None or (found["before"] and found["behind"]) or (found["sign"] and found["minus"]):
        return None
    sign = "-" if found["sign"] or found["minus"] else ""
    return sign + found["digits"], found["before"] or found["behind"] or ""


def shapes(texts: Sequence[str]) -> set[str]:
    """Return texts with 1 for each digit but 0: a column has few such, and whether they say numbers is the same.

    >>> sorted(shapes(["12.50", "37.80", "n/a"]))
    ['11.10', 'n/a']
    """
    found = "\n".join(texts).encode().translate(_SHAPE).decode().split("\n")
    return set(found if len(found) == len(texts) else texts)  # a text of several lines is no number


def _exact(pattern: str) -> Callable[[str], bool]:
    match = re.compile(f"-?(?:{pattern})").fullmatch
    return lambda text: match(text) is not None and sum(map(str.isdecimal, text.lstrip("-0."))) <= _DIGITS


FORMS = (
    NumberForm("whole", _exact(_PLAIN)),
    NumberForm("plain", _exact(rf"{_PLAIN}?\.\d+|{_PLAIN}|\d+(?:\.\d+)?[eE][-+]\d\d?|\d+\.\d+[eE]\d\d?")),
    NumberForm("point", _exact(rf"(?:{_PLAIN}|[1-9]\d{{0,2}}(?:[,{_MARKS}]\d{{3}})+)(?:\.\d+)?"), ","),
    NumberForm("comma", _exact(rf"(?:{_PLAIN}|[1-9]\d{{0,2}}(?:[.{_MARKS}]\d{{3}})+)(?:,\d+)?"), "."),
)
"""Those that are tried, the plainest first."""
