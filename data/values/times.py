"""Dates and times of day in questions, in ISO form.

``13年8月12日``, ``2013/8/12``, ``12 August 2013`` are ``2013-08-12``; ``2013年8月`` is ``2013-08``;
``8点半`` is ``08:30``; a date followed by a time is one mention, ``2013-08-12 08:30:00``. A date
without a year takes the year of the date before it in the same question, or else stays without
one (``08-12``). Two-digit years are of this century up to 69, of the last one from 70. A year
alone and a month alone are no times.

With a ``now``, «昨天» and «last week» are times too, «昨天下午3点» is one mention, and a date
without any year is the last one that is not after now.
"""

import calendar
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from .numerals import ENGLISH_CARDINALS, ENGLISH_ORDINALS, ValueSpan, chinese_number, english_number

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


def _time_from(match: re.Match[str], now: datetime) -> date | datetime:
    """Return a day, or the moment at the beginning of a span of time or some hours ago."""
    parts = {"n": None, "unit": None, "which": None, "day": None} | match.groupdict()
    if parts["unit"]:
        count, ago = parts["n"] or "1", match[0].lower().endswith(("ago", "前"))
        number = english_number(count) if count.isascii() and not count.isdigit() else chinese_number(count)
        back = int(number or 0) * _SIZES[parts["unit"].lower()]
        return now - back if not ago or back % timedelta(days=1) else (now - back).date()
    day, this = (
        (parts["day"] or "").lower(),
        parts["which"] is not None and parts["which"].lower() in {"this", "本", "这"},
    )
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


@dataclass(frozen=True)
class _TimePart:
    start: int
    end: int
    date: tuple[int | None, int, int | None] | None = None  # year, month, day
    time: tuple[int, int, int | None] | None = None  # hour, minute, second


_FLAGS = re.IGNORECASE | re.ASCII  # Chinese characters are no letters here, other scripts' digits no digits
_FREE = r"(?<![A-Za-z0-9_.:/-])"  # no word, code or number touches on the left; Chinese characters may
_OVER = r"(?![A-Za-z0-9_])(?![-/:.]\d)"
_DIGIT = "[零〇○一二三四五六七八九0-9]"
_YEAR = (
    rf"(?:{_DIGIT}{{4}}|{_DIGIT}{{2}}|[两二]千(?:[零〇][一二三四五六七八九]|[零〇]?[一二]?十[一二三四五六七八九]?)?)"
)
_MONTH = r"(?:1[0-2]|0?[1-9]|十[一二]?|[零〇]?[一二三四五六七八九])"
_DAY = r"(?:3[01]|[12]\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[零〇]?[一二三四五六七八九])"
_HOUR = r"(?:2[0-4]|1\d|0?\d|二十[一二三四]?|十[一二三四五六七八九]?|[零〇一二两三四五六七八九])"
_SIXTY = r"(?:[0-5]?\d|[二三四五]?十[一二三四五六七八九]?|[零〇]?[一二三四五六七八九])"
_MONTHS = {name.lower(): i for i in range(1, 13) for name in (calendar.month_name[i], calendar.month_abbr[i])}
_MONTHS["sept"] = 9
_MONTH_NAME = rf"(?P<m>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_DAY_WORD = "|".join(
    sorted({w for w, n in (ENGLISH_CARDINALS | ENGLISH_ORDINALS).items() if 0 < n < 32}, key=len)[::-1]
)
_DAY_NAME = rf"(?P<d>\d{{1,2}}(?:st|nd|rd|th)?|(?:(?:twenty|thirty)[ -])?(?:{_DAY_WORD}))"
_YEAR_NAME = r"(?P<y>(?:19|20)\d\d)"
_HALF = r"(?P<half>[ap]\.?\s?m\b\.?)"
_DAYPART: dict[str, int] = {
    **dict.fromkeys(("凌晨", "清晨", "早晨", "早上", "上午"), 0),
    **dict.fromkeys(("中午", "下午", "傍晚", "晚上", "夜里"), 12),
}


def full_year(text: str) -> int | None:
    """Return the year that digits or numerals name; two digits are 1970 to 2069."""
    value = chinese_number(text)
    if value is None or value.denominator != 1:
        return None
    year = int(value)
    return year if year >= 100 else year + (2000 if year < 70 else 1900)


def _whole(text: str) -> int:
    value = chinese_number(text)
    if value is None:
        raise AssertionError(f"a pattern let {text!r} through")  # the patterns above match numerals only
    return int(value)


def _date(match: re.Match[str]) -> _TimePart | None:
    parts = match.groupdict()
    year, month, day = parts["y"], parts["m"].lower(), parts.get("d")
    if day is None and year is None:
        return None  # «8月» alone is the number 8
    number = None
    if day is not None:
        number = int(english_number(day) or 0) if day.isascii() and day[0].isalpha() else _whole(day.rstrip("stndrh"))
    dated = (full_year(year) if year else None, _MONTHS.get(month) or _whole(month), number)
    return _TimePart(*match.span(), date=dated)


def _clock(match: re.Match[str]) -> _TimePart | None:
    parts = match.groupdict()
    digits = match["h"]
    minute = int(parts.get("min") or (digits[-2:] if len(digits) > 2 else 0))
    hour = int(digits[:-2] if len(digits) > 2 else digits)
    half = parts.get("half")
    if half is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half[0] in "pP" else 0)
    second = parts.get("s")
    return _TimePart(*match.span(), time=(hour, minute, int(second) if second else None))


def _chinese_time(match: re.Match[str]) -> _TimePart | None:
    part, minute = match["part"], match["min"]
    # «一点» is «a little» and «三点五» is 3.5; a part of the day, minutes or «整» make a time of it
    if match["h"] == "一" and not (part or match["rest"]):
        return None
    if match["mark"] == "时" and not (part or minute):
        return None
    hour = _whole(match["h"])
    if part and _DAYPART[part] == 12 and hour < 11 + (part != "中午"):
        hour += 12
    named = {"半": 30, "一刻": 15, "三刻": 45, "整": 0}
    minutes = named.get(match["rest"] or "整", 0) if minute is None else _whole(minute)
    second = _whole(match["s"]) if match["s"] else None
    return _TimePart(*match.span(), time=(hour % 24, minutes, second))


_ISO_TIME = (
    rf"(?:{_FREE}|(?<=\dT))(?P<h>[01]?\d|2[0-4]):(?P<min>[0-5]\d)(?::(?P<s>[0-5]\d)(?:\.\d+)?)?(?:\s?{_HALF})?(?![\d:])"
)
_CHINESE_TIME = (
    rf"(?:(?P<part>{'|'.join(_DAYPART)})\s{{0,3}}|(?<![A-Za-z0-9_.零〇一二两三四五六七八九十百]))(?P<h>{_HOUR})\s{{0,3}}(?P<mark>点|时)(?!间|候|段|钟头)"
    rf"(?P<rest>半|整|一刻|三刻|钟|\s{{0,3}}(?P<min>{_SIXTY})(?:分(?!之)(?:(?P<s>{_SIXTY})秒)?|(?![零〇一二三四五六七八九\d%])))?"
)
_DECIMAL = re.compile(
    r"(?<![零〇一二两三四五六七八九十\d])[零〇一二两三四五六七八九十\d]+点[零〇一二三四五六七八九]+(?![分十刻])"
)
_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], _TimePart | None]], ...] = tuple(
    (re.compile(pattern, _FLAGS), reader)
    for pattern, reader in (
        (
            rf"(?:(?<![A-Za-z0-9_.零〇○一二三四五六七八九十])(?P<y>{_YEAR})\s{{0,3}}年的?\s{{0,3}}|(?<![A-Za-z0-9_.零〇○一二三四五六七八九十年]))"
            rf"(?P<m>{_MONTH})\s{{0,3}}月份?(?:的?\s{{0,3}}(?P<d>{_DAY})(?:\s{{0,3}}[日号]|(?![\d零〇一二三四五六七八九十个年月点:时%])))?",
            _date,
        ),
        (
            rf"{_FREE}(?P<y>\d{{4}})(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})(?![0-9_])(?![-/.]\d)(?!-)",
            _date,
        ),
        (rf"{_FREE}(?P<d>\d{{1,2}})\.(?P<m>\d{{1,2}})\.(?P<y>\d{{4}}){_OVER}", _date),
        (
            rf"{_FREE}(?P<y>\d\d)(?P<sep>[-.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})"
            r"(?:(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff].{6})|(?<=[\u4e00-\u9fff].{7})|(?<=[\u4e00-\u9fff].{8}))(?![A-Za-z0-9_.-])",
            _date,
        ),
        (rf"{_FREE}(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2]){_OVER}(?!-)", _date),
        (rf"\b{_MONTH_NAME}\s+(?:the\s+)?{_DAY_NAME}\b(?![:.]\d)(?:,?\s+(?:of\s+)?{_YEAR_NAME}\b)?", _date),
        (rf"{_FREE}\b{_DAY_NAME}\s+(?:of\s+)?{_MONTH_NAME}(?![a-z])(?:,?\s+{_YEAR_NAME}\b)?", _date),
        (rf"\b{_MONTH_NAME},?\s+(?:of\s+)?{_YEAR_NAME}\b(?!\.\d)", _date),
        (_ISO_TIME, _clock),
        (rf"{_FREE}(?P<h>\d{{1,4}})\s{{0,3}}{_HALF}", _clock),
        (rf"{_FREE}(?P<h>\d{{1,2}})\s{{0,3}}o['’]?\s?clock\b(?:\s+{_HALF})?", _clock),
        (r"\bnoon\b", lambda match: _TimePart(*match.span(), time=(12, 0, None))),
        (r"\bmidnight\b", lambda match: _TimePart(*match.span(), time=(0, 0, None))),
        (_CHINESE_TIME, _chinese_time),
    )
)
_SHORT_YEAR = r"(?P<y>\d{4}|(?<=/)\d\d)"
_MONTH_FIRST = re.compile(rf"{_FREE}(?P<m>\d{{1,2}})(?P<sep>[/-])(?P<d>\d{{1,2}})(?P=sep){_SHORT_YEAR}{_OVER}", _FLAGS)
_DAY_FIRST = re.compile(rf"{_FREE}(?P<d>\d{{1,2}})(?P<sep>[/-])(?P<m>\d{{1,2}})(?P=sep){_SHORT_YEAR}{_OVER}", _FLAGS)
_BETWEEN = re.compile(r"\s{0,3}(?:[T,的]|at)?\s{0,3}", _FLAGS)


def find_times(text: str, *, month_first: bool = True, now: datetime | None = None) -> list[ValueSpan]:
    """Return the dates and times in ``text``, in order of position, none overlapping.

    A time is put behind its date; a date without a year gets the last year before it.

    Args:
        text: the question, full-width digits and signs already narrow.
        month_first: read ``8/12/2013`` as 12 August; the other order is tried where this one is no date.
        now: the time that «yesterday» is relative to; None ignores such words.
    """
    slashed = (_MONTH_FIRST, _DAY_FIRST) if month_first else (_DAY_FIRST, _MONTH_FIRST)
    decimals = [m.span() for m in _DECIMAL.finditer(text)]
    parts: list[_TimePart] = [] if now is None else _relative_parts(text, now)
    for pattern, reader in (*_READERS, *((p, _date) for p in slashed)):
        for match in pattern.finditer(text):
            if reader is _chinese_time and any(a <= match.start("h") < b for a, b in decimals):
                continue
            part = reader(match)
            if part and _real(part) and not any(p.start < part.end and part.start < p.end for p in parts):
                parts.append(part)
    parts.sort(key=lambda p: p.start)
    spans: list[ValueSpan] = []
    year: int | None = None
    while parts:
        part = parts.pop(0)
        if part.date is None:
            spans.append((part.start, part.end, _iso_time(part, seconds=False)))
            continue
        year = year if part.date[0] is None else part.date[0]
        own = _past_year(part.date, now) if year is None and now else year
        date, time, end = _iso_date(own, part.date[1], part.date[2]), part, part.end
        after = parts[0] if parts and parts[0].time and not parts[0].date and part.date[2] is not None else None
        if part.time is None and after and _BETWEEN.fullmatch(text, part.end, after.start):
            time, end = parts.pop(0), after.end
        spans.append((part.start, end, date if time.time is None else f"{date} {_iso_time(time, seconds=True)}"))
    return spans


def _relative_parts(text: str, now: datetime) -> list[_TimePart]:
    """Return the times in a text that are relative to ``now``; of overlapping ones the first pattern counts."""
    parts: list[_TimePart] = []
    for match in (match for pattern in _PATTERNS for match in pattern.finditer(text)):
        if match[0] and not any(part.start < match.end() and match.start() < part.end for part in parts):
            value = _time_from(match, now)
            time = (value.hour, value.minute, value.second) if isinstance(value, datetime) else None
            parts.append(_TimePart(*match.span(), (value.year, value.month, value.day), time))
    return parts


def _real(part: _TimePart) -> bool:
    if part.date is None:
        return part.time is not None and part.time[0] <= 24 and part.time[1] < 60
    year, month, day = part.date
    if not 1 <= month <= 12:
        return False
    return day is None or 1 <= day <= calendar.monthrange(2000 if year is None else year, month)[1]


def _past_year(date: tuple[int | None, int, int | None], now: datetime) -> int:
    _, month, day = date
    return now.year - ((month, day or 1) > (now.month, now.day))


def _iso_date(year: int | None, month: int, day: int | None) -> str:
    parts = [] if year is None else [f"{year:04d}"]
    return "-".join([*parts, f"{month:02d}", *([] if day is None else [f"{day:02d}"])])


def _iso_time(part: _TimePart, *, seconds: bool) -> str:
    hour, minute, second = part.time or (0, 0, None)
    text = f"{hour:02d}:{minute:02d}"
    return f"{text}:{second or 0:02d}" if seconds or second is not None else text
