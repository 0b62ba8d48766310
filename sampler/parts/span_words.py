"""Times of the calendar and times seen from a clock: the interval, and the rule of the templates that says it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal, TypeAlias

from .draws import Draw
from .phrases import Count, Phrase, Slot

CalendarUnit: TypeAlias = Literal["decade", "year", "half", "quarter", "month", "week", "day"]

_MONTHS = {"decade": 120, "year": 12, "half": 6, "quarter": 3, "month": 1}


@dataclass(frozen=True)
class SaidInterval:
    """[start, end), and its words; no end where Chinese says that it goes on, as 今年以来 does."""

    start: datetime
    end: datetime | None
    said: Phrase


def calendar_span(day: date, unit: CalendarUnit) -> SaidInterval:
    """Return the unit of the calendar that a day lies in."""
    first = _first(day, unit)
    year = day.isocalendar().year if unit == "week" else day.year
    slots: dict[str, Slot] = {
        "y": f"{year:04}",
        "ten": f"{year // 10 * 10:04}",
        "h": Phrase(f"half-{(day.month + 5) // 6}", {}),
        "q": Phrase(f"quarter-{(day.month + 2) // 3}", {}),
        "qn": str((day.month + 2) // 3),
        "hn": str((day.month + 5) // 6),
        "m": Phrase(f"month-{day.month}", {}),
        "mn": str(day.month),
        "mm": f"{day.month:02}",
        "w": str(day.isocalendar().week),
        "d": str(day.day),
        "dd": f"{day.day:02}",
        "th": _ordinal(day.day),
    }
    return SaidInterval(_midnight(first), _midnight(_next(first, unit)), Phrase(f"span-{unit}", slots))


def span_between(one: SaidInterval, other: SaidInterval) -> SaidInterval:
    """Return all from one unit of the calendar to another of its kind, both included."""
    rule = one.said.rule.replace("span", "range")
    if one.said.slots["y"] == other.said.slots["y"] and rule in {"range-month", "range-quarter"}:
        rule += "s"  # from March to May 2024
    slots = {f"{name}{end}": slot for end, span in (("1", one), ("2", other)) for name, slot in span.said.slots.items()}
    return SaidInterval(one.start, other.end, Phrase(rule, slots))


def recent_span(draw: Draw, now: datetime) -> SaidInterval:
    """Return a time seen from a clock: this month, the last 30 days."""
    return draw.one(_RECENT)(draw, now.date())


def _one(draw: Draw, today: date) -> SaidInterval:
    """«Last month», «this year», «yesterday»."""
    unit: CalendarUnit = draw.one(["year", "year", "quarter", "month", "month", "week", "day"])
    back = draw.one([0, 1, 1])
    first = _moved(_first(today, unit), unit, -back)
    said = Phrase(f"{'this' if back == 0 else 'last'}-{unit}", {})
    return SaidInterval(_midnight(first), _midnight(_next(first, unit)), said)


def _last_some(draw: Draw, today: date) -> SaidInterval:
    """«The last 30 days»: up to the end of today."""
    unit: CalendarUnit = draw.one(["day", "day", "week", "month", "month", "year"])
    counts = {"day": (7, 10, 14, 30, 30, 60, 90), "week": (2, 3, 4, 6), "month": (2, 3, 6, 12, 18), "year": (2, 3, 5)}
    count = draw.one(counts[unit])
    said = Phrase(f"last-{unit}s", {"n": Count(count)})
    return SaidInterval(_midnight(_moved(today, unit, -count)), _midnight(today + timedelta(days=1)), said)


def _ago(draw: Draw, today: date) -> SaidInterval:
    """«Two years ago»: the whole year."""
    unit: CalendarUnit = draw.one(["year", "month", "month"])
    count = draw.rng.randint(2, 3 if unit == "year" else 6)
    first = _moved(_first(today, unit), unit, -count)
    return SaidInterval(_midnight(first), _midnight(_next(first, unit)), Phrase(f"{unit}s-ago", {"n": Count(count)}))


def _to_date(draw: Draw, today: date) -> SaidInterval:
    """«Year to date»: up to the end of today; 今年以来: since its beginning."""
    unit: CalendarUnit = draw.one(["year", "year", "month"])
    end = None if draw.frame.language == "zh" else _midnight(today + timedelta(days=1))
    return SaidInterval(_midnight(_first(today, unit)), end, Phrase(f"{unit}-to-date", {}))


_RECENT: list[Callable[[Draw, date], SaidInterval]] = [_one, _one, _one, _last_some, _last_some, _ago, _to_date]


def _first(day: date, unit: CalendarUnit) -> date:
    if unit in ("day", "week"):
        return day - timedelta(days=day.weekday() if unit == "week" else 0)
    if unit == "decade":
        return date(day.year // 10 * 10, 1, 1)
    months = _MONTHS[unit]
    return day.replace(month=(day.month - 1) // months * months + 1, day=1)


def _next(first: date, unit: CalendarUnit) -> date:
    return _moved(first, unit, 1)


def _moved(day: date, unit: CalendarUnit, count: int) -> date:
    """Return the day so many units later; of a shorter month its last."""
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + count * _MONTHS[unit]
    last = (date(months // 12 + (months % 12 == 11), (months + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return date(months // 12, months % 12 + 1, min(day.day, last))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time())


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number not in (11, 12, 13) else "th"
    return f"{number}{ending}"
