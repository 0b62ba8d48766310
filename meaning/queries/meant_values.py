"""Values of gold queries that are parts of times, durations and numbers in texts.

strftime('%Y', t)   SUBSTR(t, 1, 4)   YEAR(t)   EXTRACT(YEAR FROM t)   CAST(strftime('%Y', t) AS INT)
julianday(b) - julianday(a)   DATEDIFF(b, a)   CAST(REPLACE(price, ',', '') AS REAL)
"""

from __future__ import annotations

from sqlglot import exp

from ...data.errors import QueryError
from ..profile import TimeStorage
from ..sql import DurationUnit, TimePart, part_of
from .meant import MeantDuration, MeantNumber, MeantPart, Profiled, time_of

__all__ = ["meant_value"]

_FORMATS: dict[str, TimePart] = {
    "%Y": "year",
    "%m": "month of year",
    "%Y-%m": "month",
    "%d": "day of month",
    "%H": "hour",
    "%Y-%m-%d": "day",
}
_CALLS: dict[type[exp.Expr], TimePart] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month of year",
    exp.Day: "day of month",
    exp.DayOfMonth: "day of month",
    exp.Hour: "hour",
    exp.Date: "day",
    exp.TsOrDsToDate: "day",
}
_FIELDS: dict[str, TimePart] = {"YEAR": "year", "MONTH": "month of year", "DAY": "day of month", "HOUR": "hour"}
_STEPS: dict[str, TimePart] = {"YEAR": "year", "MONTH": "month", "QUARTER": "quarter", "DAY": "day"}
_PLACES: dict[tuple[int, int], TimePart] = {
    (1, 4): "year",
    (1, 7): "month",
    (6, 2): "month of year",
    (9, 2): "day of month",
    (1, 10): "day",
}
"""Where the pieces of an ISO text stand."""
_NUMERIC = {*exp.DataType.NUMERIC_TYPES, exp.DType.INT, exp.DType.DECIMAL}
_UNITS: dict[str, DurationUnit] = {"YEAR": "years", "DAY": "days", "HOUR": "hours"}
_WRAPPED = (exp.Paren, exp.TsOrDsToTimestamp, exp.TsOrDsToDate, exp.Date)


def meant_value(node: exp.Expr, profiled: Profiled) -> MeantPart | MeantDuration | MeantNumber | None:
    """Return what a value means, None where it is nothing that a profile knows of."""
    if isinstance(node, exp.Cast) and node.to.this in _NUMERIC:
        part = _part(_bare(node.this), profiled)
        return _number(node, profiled) if part is None else MeantPart(part.column, part.part, number=True)
    return _part(node, profiled) or _duration(node, profiled)


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren | exp.TsOrDsToTimestamp):
        node = node.this
    return node


def _part(node: exp.Expr, profiled: Profiled) -> MeantPart | None:
    told = _of_call(node, profiled)
    if told is None:
        return None
    column, part = told
    storage = time_of(column, profiled)
    if storage is None:
        return None
    try:
        part_of("c", storage, "sqlite", part)
    except QueryError:
        return None
    return MeantPart(column, part, number=type(node) in _CALLS and part != "day")


def _of_call(node: exp.Expr, profiled: Profiled) -> tuple[exp.Column, TimePart] | None:
    """Return the column and the part of it that a call takes."""
    inner, part = None, None
    match node:
        case exp.TimeToStr():
            inner, part = node.this, _FORMATS.get(node.text("format"))
        case exp.Extract():
            inner, part = node.expression, _FIELDS.get(node.name.upper())
        case exp.TimestampTrunc() | exp.DateTrunc():
            inner, part = node.this, _STEPS.get(node.text("unit").upper())
        case exp.Substring() | exp.Left() | exp.Right():
            inner = node.this
            part = _piece(node, time_of(inner, profiled))
        case _ if type(node) in _CALLS:
            inner, part = node.this, _CALLS[type(node)]
        case _:
            return None
    column = inner
    while isinstance(column, _WRAPPED) and part != "hour":
        column = column.this
    column = _bare(column) if column is not None else column
    return (column, part) if isinstance(column, exp.Column) and part is not None else None


def _piece(node: exp.Expr, storage: TimeStorage | None) -> TimePart | None:
    """Return the part of a time that some signs of its text are."""
    match node:
        case exp.Left():
            place = (1, _whole(node.expression))
        case exp.Right():
            place = (-_whole(node.expression), _whole(node.expression))
        case _:
            start, length = _whole(node.args.get("start")), _whole(node.args.get("length"))
            place = (start, length or -min(start, 0))
    return None if storage is None else _places(storage).get(place)


def _places(storage: TimeStorage) -> dict[tuple[int, int], TimePart]:
    """Return where the parts of a time stand in its text, counted from the end where less than 0."""
    if storage.form == "iso":
        return _PLACES
    if storage.form == "digits":
        return {(1, 4): "year", (5, 2): "month of year", (7, 2): "day of month"}
    if storage.form == "year first":
        return {(1, 4): "year", **({(6, 2): "month of year", (9, 2): "day of month"} if storage.padded else {})}
    if storage.sorts:
        return {}
    last: dict[tuple[int, int], TimePart] = {(-4, 4): "year"} if storage.grain != "second" else {}
    if not storage.padded or storage.form == "month name":
        return last
    first, second = ("day of month", "month of year")
    if storage.form == "month first":
        first, second = second, first
    return {**last, (7, 4): "year", (1, 2): first, (4, 2): second}


def _whole(node: exp.Expr | None) -> int:
    """Return a whole number that stands there, 0 of anything else."""
    if isinstance(node, exp.Neg):
        return -_whole(node.this)
    return int(node.name) if isinstance(node, exp.Literal) and node.name.isdecimal() else 0


def _duration(node: exp.Expr, profiled: Profiled) -> MeantDuration | None:
    match node:
        case exp.Sub():
            ends, unit = (_day_number(node.expression), _day_number(node.this)), "days"
        case exp.DateDiff() | exp.TimestampDiff():
            ends, unit = (node.expression, node.this), _UNITS.get(node.text("unit").upper() or "DAY")
        case exp.Extract() if isinstance(node.expression, exp.Anonymous) and node.expression.name.upper() == "AGE":
            ends, unit = tuple(reversed(node.expression.expressions)), _UNITS.get(node.name.upper())
        case _:
            return None
    columns = [_unwrapped(end) for end in ends if end is not None]
    if unit is None or len(columns) < 2 or any(time_of(column, profiled) is None for column in columns):
        return None
    start, end = columns
    return MeantDuration(start, end, unit) if isinstance(start, exp.Column) and isinstance(end, exp.Column) else None


def _day_number(node: exp.Expr) -> exp.Expr | None:
    """Return what the Julian day is reckoned of."""
    node = _bare(node)
    if isinstance(node, exp.Anonymous) and node.name.upper() == "JULIANDAY" and len(node.expressions) == 1:
        return node.expressions[0]
    return node.this if isinstance(node, exp.TimeToStr) and node.text("format") == "%J" else None


def _unwrapped(node: exp.Expr) -> exp.Expr:
    while isinstance(node, _WRAPPED):
        node = node.this
    return node


def _number(node: exp.Cast, profiled: Profiled) -> MeantNumber | None:
    """Return the column of which a cast takes away signs around and within digits."""
    inner = node.this
    while isinstance(inner, exp.Replace | exp.Substring | exp.Trim | exp.Paren):
        inner = inner.this
    profile = profiled(inner) if isinstance(inner, exp.Column) else None
    if not isinstance(inner, exp.Column) or profile is None or profile.number is None:
        return None
    return MeantNumber(inner)
