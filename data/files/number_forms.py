"""How texts say numbers: whole or with a fraction, with a comma or a point before it, with marks of thousands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["FORMS", "LONGEST", "NumberForm", "stripped"]

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


@dataclass(frozen=True)
class NumberForm:
    """One way to write numbers, without a sign and what stands around.

    Attributes:
        name: ``whole``, ``plain`` (a point before the fraction, no marks), ``point`` or ``comma`` (with marks).
        fits: says whether a text is written so, and no digit of it would be lost.
        read: returns the number that it is.
    """

    name: str
    fits: Callable[[str], bool]
    read: Callable[[str], int | float]


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


def _exact(pattern: str) -> Callable[[str], bool]:
    match = re.compile(f"-?(?:{pattern})").fullmatch
    return lambda text: match(text) is not None and sum(map(str.isdecimal, text.lstrip("-0."))) <= _DIGITS


def _without(marks: str) -> Callable[[str], int | float]:
    table = str.maketrans("", "", marks + _MARKS)
    return lambda text: _number(text.translate(table))


def _with_comma(text: str) -> int | float:
    table = str.maketrans(",", ".", f".{_MARKS}")
    return _number(text.translate(table))


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdecimal() else float(text)


FORMS = (
    NumberForm("whole", _exact(_PLAIN), int),
    NumberForm("plain", _exact(rf"{_PLAIN}?\.\d+|{_PLAIN}|\d+(?:\.\d+)?[eE][-+]\d\d?|\d+\.\d+[eE]\d\d?"), _number),
    NumberForm("point", _exact(rf"(?:{_PLAIN}|[1-9]\d{{0,2}}(?:[,{_MARKS}]\d{{3}})+)(?:\.\d+)?"), _without(",")),
    NumberForm("comma", _exact(rf"(?:{_PLAIN}|[1-9]\d{{0,2}}(?:[.{_MARKS}]\d{{3}})+)(?:,\d+)?"), _with_comma),
)
"""Those that are tried, the plainest first."""
