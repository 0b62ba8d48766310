"""Years, months and days: as the pattern that finds their dates, and in words."""

from __future__ import annotations

import random
from calendar import month_name

from .phrases import Language

__all__ = ["period", "said_date"]

_KINDS = ("year", "year", "month", "month", "any-month", "day")


def period(date: str, language: Language, rng: random.Random) -> tuple[str, str, str]:
    """Return the rule, the pattern for LIKE and the words of a period around an ISO date.

    >>> period("2024-03-07", "en", random.Random(1))
    ('month', '2024-03%', 'March 2024')
    """
    year, month, day = date[:4], date[5:7], date[8:10]
    kind = rng.choice(_KINDS)
    patterns = {"year": f"{year}%", "month": f"{year}-{month}%", "any-month": f"%-{month}-%", "day": f"{date[:10]}%"}
    said = _chinese(year, int(month), int(day)) if language == "zh" else _english(year, int(month), int(day), rng)
    return ("month" if kind == "any-month" else kind), patterns[kind], said[kind]


def said_date(date: str, language: Language, rng: random.Random) -> str:
    """Return an ISO day, month or year in words.

    >>> said_date("2024-03", "en", random.Random(1))
    'March 2024'
    """
    year, month, day = date[:4], int(date[5:7] or 1), int(date[8:10] or 1)
    said = _chinese(year, month, day) if language == "zh" else _english(year, month, day, rng)
    return said["day" if len(date) > 7 else "month" if len(date) > 4 else "year"]


def _english(year: str, month: int, day: int, rng: random.Random) -> dict[str, str]:
    name = month_name[month]
    days = (f"{year}-{month:02}-{day:02}", f"{day} {name} {year}", f"{name} {day}, {year}")
    return {"year": year, "month": f"{name} {year}", "any-month": name, "day": rng.choice(days)}


def _chinese(year: str, month: int, day: int) -> dict[str, str]:
    return {
        "year": f"{year}年",
        "month": f"{year}年{month}月",
        "any-month": f"{month}月",
        "day": f"{year}年{month}月{day}日",
    }
