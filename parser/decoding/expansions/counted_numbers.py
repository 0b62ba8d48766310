"""Numbers as a column counts them.

3%            3 where cells are written 2.5%, else 0.03
5 billion     5 where a column is called budget_in_billions
"""

from __future__ import annotations

from fractions import Fraction

from ....data.profiles.column_profile import ColumnProfile
from ....data.values.numerals import plain, value_of
from ....ner.index import FoundValue

__all__ = ["counted", "says_unit"]

_LARGE = 1000


def says_unit(value: FoundValue) -> bool:
    """May a column count what a number says by another unit?"""
    number = value_of(value.value) if value.kind == "number" and value.span is None else None
    return number is not None and (_percent(value) or abs(number) >= _LARGE)


def counted(value: FoundValue, profile: ColumnProfile) -> str | None:
    """Return a number as the cells of a column have it, None where that is the number itself.

    A large number that is said in digits is taken as it stands where it is less than one of the column's units.
    """
    number = value_of(value.value) if says_unit(value) else None
    if number is None:
        return None
    if _percent(value):
        written = profile.number is not None and "%" in profile.number.removed
        return plain(100 * number) if written else None
    in_words = any(sign.isalpha() for sign in value.text)
    said = profile.scale and (in_words or abs(number) >= profile.scale)
    return plain(number / Fraction(profile.scale)) if said else None


def _percent(value: FoundValue) -> bool:
    return "%" in value.text or "百分之" in value.text
