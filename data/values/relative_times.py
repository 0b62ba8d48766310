"""Times said from «now»: yesterday, three days ago, the last 8 hours, this week.

What each means, for a now of 2024-03-31 08:00:00, a Sunday:

    yesterday, three days ago, last Friday      that day       2024-03-30, 2024-03-28, 2024-03-29
    5 hours ago                                 that moment    2024-03-31 03:00:00
    the last 8 hours, the past two days         its beginning  2024-03-31 00:00:00, 2024-03-29 08:00:00
    this week, last week                        its Monday     2024-03-25, 2024-03-18
    this month, last month                      its first day  2024-03-01, 2024-02-01

A query compares with the beginning (``read_time >= …``); where the span ends is the query's to say.
"""

from __future__ import annotations

import calendar
import random
import re
from datetime import date, datetime, timedelta
from typing import Literal

from .numerals import ENGLISH_CARDINALS, chinese_number, english_number

__all__ = ["How", "find_relative", "say_relative"]

How = Literal["day", "since", "week"]


_COUNT = "|".join(sorted((word for word, n in ENGLISH_CARDINALS.items() if 0 < n < 100), key=len, reverse=True))
_EN = rf"(?P<n>\d{{1,4}}|(?:{_COUNT})(?:[ -](?:{_COUNT}))?)"
_ZH = r"(?P<n>\d{1,4}|[一二两三四五六七八九十百]{1,4})\s?个?"
_SIZES = {
    "minute": timedelta(minutes=1),
    "分钟": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "h": timedelta(hours=1),
    "小时": timedelta(hours=1),
    "钟头": timedelta(hours=1),
    "day": timedelta(days=1),
    "天": timedelta(days=1),
    "week": timedelta(weeks=1),
    "周": timedelta(weeks=1),
    "星期": timedelta(weeks=1),
}
_UNIT_EN = r"(?P<unit>minute|hour|h|day|week)s?\b"
_UNIT_ZH = r"(?P<unit>分钟|小时|钟头|天|周|星期)"
_NAMED = {
    "today": 0,
    "yesterday": 1,
    "the day before yesterday": 2,
    "今天": 0,
    "今日": 0,
    "昨天": 1,
    "昨日": 1,
    "前天": 2,
    "大前天": 3,
}
_DAYS = [name.lower() for name in calendar.day_name]
_ZH_DAYS = {**{sign: i for i, sign in enumerate("一二三四五六日")}, "天": 6}


def _meant(match: re.Match[str], now: datetime) -> date | datetime:
    """Return the day that is meant, or the moment that begins a time or lies so many hours off."""
    said = {"n": None, "unit": None, "which": None, "day": None} | match.groupdict()
    if said["unit"]:
        count, ago = said["n"] or "1", match[0].lower().endswith(("ago", "前"))
        number = english_number(count) if count.isascii() and not count.isdigit() else chinese_number(count)
        back = int(number or 0) * _SIZES[said["unit"].lower()]
        return now - back if not ago or back % timedelta(days=1) else (now - back).date()
    day, this = (said["day"] or "").lower(), said["which"] is not None and said["which"].lower() in {"this", "本", "这"}
    if day in _DAYS:  # «last Friday» is the nearest one before today
        return now.date() - timedelta(days=(now.weekday() - _DAYS.index(day)) % 7 or 7)
    if match[0].lower() in _NAMED:
        return now.date() - timedelta(days=_NAMED[match[0].lower()])
    if match[0].lower().endswith(("month", "月")):
        first = now.date().replace(day=1)
        return first if this else (first - timedelta(days=1)).replace(day=1)
    return _monday(now) + timedelta(days=_ZH_DAYS.get(day, 0) - 7 * (not this))  # «上周五» is the one of last week


def _monday(now: datetime) -> date:
    return now.date() - timedelta(days=now.weekday())


_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:the day before yesterday|yesterday|today)\b|大前天|[今昨][天日]|前天",
        rf"\b{_EN} {_UNIT_EN} ago\b",
        rf"{_ZH}{_UNIT_ZH}[之以]?前(?!\d)",
        rf"\b(?:the )?(?:last|past|previous) (?:{_EN} ?)?(?<![a-z]){_UNIT_EN}(?<!week)",
        rf"\b(?:the )?(?:last|past|previous) {_EN} (?P<unit>week)s\b",
        rf"(?:过去的?|最近的?|近){_ZH}{_UNIT_ZH}",
        rf"\blast (?P<day>{'|'.join(_DAYS)})\b",
        r"(?P<which>本|这|上)个?(?:周|星期)(?P<day>[一二三四五六日天]|(?!末))",
        r"\b(?P<which>this|last) (?:week|month)\b",
        r"(?P<which>本|这|上)个?月(?!份)",
    )
)


def find_relative(text: str, now: datetime) -> list[tuple[int, int, date | datetime]]:
    """Return (start, end, day or moment) of what ``text`` says from ``now``, in order of position, none overlapping."""
    found: list[tuple[int, int, date | datetime]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if match[0] and not any(start < match.end() and match.start() < end for start, end, _ in found):
                found.append((*match.span(), _meant(match, now)))
    return sorted(found, key=lambda one: one[0])


def say_relative(value: str, how: How, *, now: datetime, language: str, rng: random.Random) -> str | None:
    """Return a way to say a time from ``now``, None where people would name the date.

    Args:
        value: a date, or for ``since`` a moment, in ISO form.
        how: say a ``day``, the span ``since`` a moment, or the ``week`` that begins on a Monday.
        now: the moment of the question.
        language: zh or en.
        rng: where chance comes from.
    """
    zh = language == "zh"
    if how == "week":
        ago = (_monday(now) - date.fromisoformat(value)).days // 7
        ways = {0: (("本周", "这周"), ("this week",)), 1: (("上周", "上个星期"), ("last week",))}
        return rng.choice(ways[ago][0 if zh else 1]) if ago in ways else None
    if how == "since":
        hours, rest = divmod((now - datetime.fromisoformat(value)).total_seconds(), 3600)
        if rest or hours < 2:
            return None
        count, unit = (int(hours) // 24, "day") if hours % 24 == 0 and hours > 24 else (int(hours), "hour")
        if zh:
            unit = "天" if unit == "day" else rng.choice(("小时", "个小时"))
            return rng.choice(("过去", "最近", "近")) + f"{count}{unit}"
        return rng.choice(("the last", "the past")) + f" {count} {unit}s"
    ago = (now.date() - date.fromisoformat(value)).days
    named = {0: ("今天", "today"), 1: ("昨天", "yesterday"), 2: ("前天", "the day before yesterday")}
    if ago in named:
        return named[ago][0 if zh else 1]
    return (f"{ago}天前" if zh else f"{ago} days ago") if 3 <= ago <= 6 else None
