"""Conditions on dates and years: before and after, since and until, in a period."""

from __future__ import annotations

from .conditions import Filter, FilterOf, said_of
from .draws import Draw, NothingToDraw
from .facts.facts import ColumnFacts, TableFacts
from .facts.writing import literal
from .periods import period, said_date

__all__ = ["DATES", "bounded", "dated", "in_period"]

_SIGNS = {"after": ">", "before": "<", "since": ">=", "until": "<="}
_LENGTHS = {"year": 4, "month": 7, "day": 10}
_DAY = 10  # signs of an ISO date


def dated(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``hired > '2024-03-01'``, or before it."""
    column = _column(draw, table)
    value = draw.threshold(column)
    kind = draw.one(["after", "before"])
    # the day of a moment will do for «before»; moments later that day are not after it
    day = value[:_DAY] if isinstance(value, str) and kind == "before" else value
    where = f"{column.ref(qualified)} {'>' if kind == 'after' else '<'} {literal(day)}"
    return Filter(where, said_of(kind, table, column, v=str(day)))


def in_period(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``hired LIKE '2024-03%'``: moments fall into it, too."""
    column = draw.one([c for c in table.having("date") if c not in draw.drawn])
    draw.drawn.append(column)
    rule, pattern, period_said = period(str(draw.one(column.values)), draw.frame.language, draw.rng)
    return Filter(f"{column.ref(qualified)} LIKE {literal(pattern)}", said_of(rule, table, column, v=period_said))


def bounded(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``hired >= '2024-03'``: since a day, a month or a year, until its end, before or after it."""
    column = _column(draw, table)
    value, kind = draw.threshold(column), draw.one(["since", "since", "until", "until", "after", "before"])
    if column.role == "year":
        said = f"{value}年" if draw.frame.language == "zh" else str(value)
        rule = "until-span" if kind == "until" else kind
        return Filter(f"{column.ref(qualified)} {_SIGNS[kind]} {literal(value)}", said_of(rule, table, column, v=said))
    precision = draw.one(["day", "day", "month", "year", "year"])
    bound = str(value)[: _LENGTHS[precision]]
    rule = "until-span" if kind == "until" and precision != "day" else kind
    where = f"{_compared(column, kind, precision, qualified)} {_SIGNS[kind]} {literal(bound)}"
    said = said_date(bound, draw.frame.language, draw.rng)
    return Filter(where, said_of(rule, table, column, v=said))


def _compared(column: ColumnFacts, kind: str, precision: str, qualified: bool) -> str:
    """Return what is compared with the bound: where all of the last day, month or year counts, only its beginning."""
    whole = kind in {"since", "before"} or (precision == "day" and all(len(str(c)) == _DAY for c in column.cells))
    ref = column.ref(qualified)
    return ref if whole else f"SUBSTR({ref}, 1, {_LENGTHS[precision]})"


def _column(draw: Draw, table: TableFacts) -> ColumnFacts:
    column = draw.one([c for c in table.having("date", "year") if c not in draw.drawn])
    if column.role == "date" and not all(isinstance(cell, str) for cell in column.cells):
        raise NothingToDraw
    draw.drawn.append(column)
    return column


DATES: dict[str, FilterOf] = {"date": dated, "in-period": in_period}
