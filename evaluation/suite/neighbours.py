"""Values just beside a value: what tells a query from one that is slightly wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from .shape import Kind

__all__ = ["DAY", "HOUR", "Value", "beside", "between", "is_time", "other", "shifted"]

Value = str | int | float | None

DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)
_TIME = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d)?)?")
_STAMP = "%Y-%m-%d %H:%M:%S"


def is_time(value: Value) -> bool:
    """Is it a date or a time in ISO form?"""
    return isinstance(value, str) and _read(value) is not None


def beside(value: Value, kind: Kind, shifts: Sequence[timedelta] = ()) -> list[Value]:
    """Return the values next to one, the nearest first.

    Numbers get one more and one less; dates the days around, times also the ends of their day; texts what a LIKE may
    mix up: something before, behind, around, a part.

    Args:
        value: the value.
        kind: of the column that the neighbours are for.
        shifts: time spans that the query adds to or asks between times.
    """
    if value is None:
        return []
    if kind in {"integer", "real"}:
        return _numbers(value, kind)
    if is_time(value):
        form: Kind = kind if kind != "text" else "time" if ":" in str(value) else "date"
        return _times(str(value), form, shifts)
    text = str(value)
    number = _number(text)
    if number is not None and text == str(number):
        return [str(number + 1), str(number - 1), f"{text}0"]
    return [f"{text}z", f"a{text}", f"a{text}z", text[:-1], text[1:]]


def _numbers(value: Value, kind: Kind) -> list[Value]:
    number = _number(value)
    if number is None:
        return []
    halves: list[Value] = [number + 0.5, number - 0.01] if kind == "real" else []
    return [number + 1, number - 1, *halves]


def between(values: Iterable[Value]) -> list[Value]:
    """Return the middles of neighbouring numbers or times: what lies inside a range."""
    known = list(values)
    numbers = sorted({v for v in known if isinstance(v, int | float)})
    times = sorted({v for v in known if isinstance(v, str) and is_time(v)})
    found: list[Value] = [(a + b) // 2 for a, b in pairwise(numbers) if b - a > 1]
    for a, b in pairwise(times):
        first, second = _read(a), _read(b)
        if first is not None and second is not None and second - first > DAY:
            found.append(_written(first + (second - first) // 2, like=a))
    return found


def shifted(value: str, span: timedelta) -> str:
    """Return a time or date moved by a span, in its own form."""
    read = _read(value)
    if read is None:
        raise ValueError(f"{value!r} is no time")
    return _written(read + span, like=value)


def other(value: str) -> str:
    """Return another text of the same form: the last letter or digit changed."""
    if not value:
        return "a"
    last = value[-1]
    if last.isdigit():
        return value[:-1] + str((int(last) + 1) % 10)
    return f"{value[:-1]}{'b' if last != 'b' else 'c'}" if len(value) > 1 else f"{value}b"


def _times(value: str, kind: Kind, shifts: Sequence[timedelta]) -> list[Value]:
    read = _read(value)
    if read is None:
        return []
    spans = [DAY, -DAY, *(sign * s for s in shifts for sign in (1, -1))]
    if kind == "date":
        days = [read, *(read + s for s in spans), read + timedelta(days=31), read - timedelta(days=365)]
        return list(dict.fromkeys(d.strftime("%Y-%m-%d") for d in days))
    whole = len(value) == 10
    spans += [HOUR, -HOUR, SECOND, -SECOND, timedelta(hours=9), timedelta(days=1, hours=3)]
    spans += [DAY - SECOND] if whole else []
    return list(dict.fromkeys((read + s).strftime(_STAMP) for s in [timedelta(0), *spans]))


def _read(value: str) -> datetime | None:
    if not _TIME.fullmatch(value):
        return None
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        return None
    return read if 2 < read.year < 9998 else None


def _written(time: datetime, *, like: str) -> str:
    return time.strftime("%Y-%m-%d" if len(like) == 10 else _STAMP)


def _number(value: Value) -> int | float | None:
    if isinstance(value, int | float):
        return value
    try:
        return int(str(value))
    except ValueError:
        try:
            return float(str(value))
        except ValueError:
            return None
