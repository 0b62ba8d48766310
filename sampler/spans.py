"""Times of the calendar around a day, and the words that say them: ``spans.toml``."""

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..meaning.profile import TimeStorage

Unit: TypeAlias = Literal["year", "half", "quarter", "month", "week", "day"]
_UNITS: Mapping[str, tuple[Unit, ...]] = {
    "year": ("year",),
    "month": ("year", "year", "half", "quarter", "month", "month"),
    "day": ("year", "year", "year", "half", "quarter", "quarter", "month", "month", "month", "week", "day"),
}
_MONTHS = {"year": 12, "half": 6, "quarter": 3, "month": 1}
_COUNTS = {"day": (7, 10, 14, 30, 60, 90), "week": (2, 3, 4, 6), "month": (2, 3, 6, 12), "year": (2, 3, 5)}
_WEEKEND = (6, 7)
_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Span:
    """[start, end), or with ``part`` all times of which that part is one of ``numbers``.

    Attributes:
        rule: of its wordings.
        fields: numbers that the wordings say.
    """

    rule: str
    fields: Mapping[str, int]
    start: datetime
    end: datetime
    part: str = ""
    numbers: tuple[int, ...] = ()

    def said(self, language: str, form: str, rng: random.Random) -> str:
        """Return its words; with the form ``in`` a preposition stands before them."""
        wordings = _words()[self.rule]
        text = rng.choice(wordings.get(f"{language}-{form}") or wordings[language])

        def put(match: re.Match[str]) -> str:
            name = match[1]
            if name in _words()["names"]:
                return rng.choice(_words()["names"][name][language][self.fields[name] - 1].split("|"))
            return f"{self.fields[name[0]]:02}" if len(name) > 1 else str(self.fields[name])

        return _FIELD.sub(put, text)


@cache
def _words() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("spans.toml").read_text("utf-8"))


def span_of(days: Sequence[date], storage: TimeStorage, rng: random.Random, now: datetime | None) -> Span:
    """Return a span in which a cell lies, sometimes one that is seen from a clock."""
    fine = storage.grain in ("day", "second")
    if now is not None and fine and rng.random() < 0.2:
        return _recent(now.date(), rng)
    unit = rng.choice(_UNITS["day" if fine else storage.grain])
    one, other = _calendar(rng.choice(days), unit), _calendar(rng.choice(days), unit)
    if one.start < other.start and unit in ("year", "month") and rng.random() < 0.3:
        fields = {**one.fields, **{name.upper(): number for name, number in other.fields.items()}}
        return Span(f"{unit}s", fields, one.start, other.end)
    return one


def recurring_of(days: Sequence[date], storage: TimeStorage, rng: random.Random) -> Span:
    """Return a month of any year, a weekday or the weekend, in which a cell lies."""
    day = rng.choice(days)
    weekday, nothing = day.isoweekday(), (datetime.min, datetime.min)
    if storage.grain == "month" or rng.random() < 0.4:
        return Span("any-month", {"month": day.month}, *nothing, "month", (day.month,))
    if weekday in _WEEKEND and rng.random() < 0.7:
        return Span("weekend", {}, *nothing, "weekday", _WEEKEND)
    return Span("any-weekday", {"weekday": weekday}, *nothing, "weekday", (weekday,))


def _calendar(day: date, unit: Unit) -> Span:
    """Return the unit of the calendar that a day lies in."""
    first = _first(day, unit)
    week = day.isocalendar()
    fields = {"y": week.year if unit == "week" else day.year, "m": day.month, "d": day.day, "w": week.week,
              "q": (day.month + 2) // 3, "h": (day.month + 5) // 6}  # fmt: skip
    fields |= {"month": day.month, "quarter": fields["q"], "half": fields["h"]}
    return Span(unit, fields, _midnight(first), _midnight(_moved(first, unit, 1)))


def _recent(today: date, rng: random.Random) -> Span:
    """Return a span seen from a day: this month, last year, the last 30 days."""
    if rng.random() < 0.4:
        unit: Unit = rng.choice(["day", "day", "week", "month", "year"])
        count = rng.choice(_COUNTS[unit])
        first = _midnight(_moved(today, unit, -count))
        return Span(f"last-{unit}s", {"n": count}, first, _midnight(today + timedelta(days=1)))
    unit = rng.choice(["year", "year", "quarter", "month", "month", "week", "day"])
    back = rng.choice([0, 1, 1])
    first = _moved(_first(today, unit), unit, -back)
    return Span(f"{'last' if back else 'this'}-{unit}", {}, _midnight(first), _midnight(_moved(first, unit, 1)))


def _first(day: date, unit: Unit) -> date:
    if unit in ("day", "week"):
        return day - timedelta(days=day.weekday() if unit == "week" else 0)
    months = _MONTHS[unit]
    return day.replace(month=(day.month - 1) // months * months + 1, day=1)


def _moved(day: date, unit: Unit, count: int) -> date:
    """Return the day so many units later; of a shorter month its last."""
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + count * _MONTHS[unit]
    last = (date(months // 12 + (months % 12 == 11), (months + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return date(months // 12, months % 12 + 1, min(day.day, last))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time())
