"""How a column is stored, in words that a person reads."""

from __future__ import annotations

from .column_profile import ColumnProfile, FlagCells, NumberText, TimeStorage
from .database_profile import KeyProfile

__all__ = ["key_words", "stored_as"]


_SCALES = {10**3: "thousands", 10**6: "millions", 10**9: "billions"}
_UNIX = {"unix": "unix seconds", "unix ms": "unix milliseconds"}


def stored_as(profile: ColumnProfile) -> str:
    """Return how a time, a flag, a number in text or in millions is stored; empty of a column that is none of these.

    >>> stored_as(ColumnProfile("flag", flag=FlagCells("Y", "N", "text")))
    'Y says yes, N no'
    """
    if profile.time is not None:
        return _time(profile.time)
    if profile.flag is not None:
        return _flag(profile.flag)
    told = [f"counts in {_SCALES.get(profile.scale, profile.scale)}"] if profile.scale else []
    return ", ".join(told if profile.number is None else [_number(profile.number), *told])


def key_words(key: KeyProfile) -> str:
    """Return where a key leads and how many rows meet over it: ``customer.id, many to one, some have none``."""
    there = f"{key.other}.{', '.join(key.references)}"
    told = [there, "many to one" if key.many else "one to one"]
    told += ["found, not declared"] * (not key.declared) + ["some have none"] * key.optional
    return ", ".join(told + ["all are referred to"] * (not key.left_over))


def _time(time: TimeStorage) -> str:
    form = {
        "iso": f"ISO {_grain(time)}",
        "native": "date" if time.grain == "day" else "date and time",
        "year": "year",
        "digits": "YYYYMMDD" if time.grain == "day" else "YYYYMM",
        **_UNIX,
    }.get(time.form) or _written(time)
    return f"{form} text" if time.text and time.form != "iso" else form


def _grain(time: TimeStorage) -> str:
    return {"year": "year", "month": "month", "day": "date", "second": "date and time"}[time.grain]


def _written(time: TimeStorage) -> str:
    """Return dates of days and months in some order as people write the pattern: D/M/Y, Month D, Y."""
    mark = time.separator
    if time.form == "month name":
        if time.grain == "month":
            return "Month Y"
        order = f"D{mark}Month{mark}Y" if time.day_before_month else f"Month D{mark}Y"
    else:
        order = {"year first": "YMD", "day first": "DMY"}.get(time.form, "MDY")
        told = {"year": 1, "month": 2}.get(time.grain, 3)
        order = "Y年M月D日"[: 2 * told] if mark == "年" else mark.join(order[:told])
    return f"{order} and time" if time.grain == "second" else order


def _flag(flag: FlagCells) -> str:
    return f"{flag.yes} says yes" + ("" if flag.no is None else f", {flag.no} no")


def _number(number: NumberText) -> str:
    told = [one.strip() or "blanks" for one in number.removed]
    words = [f"{' '.join(told)} removed"] if told else []
    words += ["decimal comma"] * number.decimal_comma
    words += [f"none is {' or '.join(map(repr, number.nothing))}"] * bool(number.nothing)
    return "number in text" + (f" ({', '.join(words)})" if words else "")
