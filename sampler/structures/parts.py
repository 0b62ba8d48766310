"""Queries by parts of a time: how many per month, how much per weekday, the quarter with the most."""

from dataclasses import replace
from datetime import date

from ...meaning.sql import TimePart, part_of, within
from ..facts.facts import ColumnFacts, TableFacts
from ..parts.conditions import event_slots
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.phrases import Phrase, Slot
from ..parts.span_words import calendar_span
from .shape import Structure, ranked, select

_PARTS: dict[str, tuple[TimePart, ...]] = {
    "year": ("year",),
    "month": ("year", "year", "quarter", "month", "month"),
    "day": ("year", "year", "quarter", "quarter", "month", "month", "month", "week", "weekday", "weekday"),
    "second": ("year", "quarter", "month", "month", "week", "weekday", "weekday", "hour", "hour"),
}
"""The parts that cells of a grain are grouped by."""

_IN_A_YEAR: tuple[TimePart, ...] = ("month", "month", "quarter", "week", "weekday")
_OF_YEARS: tuple[TimePart, ...] = ("year", "year", "year", "quarter", "month")
_FEW_YEARS = 2
_ANY_WEEK = {"weekday", "hour"}
_BIRTHS = {"born", "出生"}


def _parted(draw: Draw, table: TableFacts, parts: tuple[TimePart, ...] = ()) -> tuple[ColumnFacts, TimePart]:
    """Return a time that all rows have, and a part of it: one of ``parts``, if there are any."""
    column = draw.one([c for c in draw.times(table) if not c.nulls and c not in draw.drawn])
    storage = column.profile.time
    if storage is None or storage.gaps:
        raise NothingToDraw
    draw.drawn.append(column)
    return column, draw.one([part for part in parts or _PARTS[storage.grain] if part in _PARTS[storage.grain]])


def _key(column: ColumnFacts, part: TimePart) -> str:
    if column.profile.time is None:
        raise NothingToDraw
    return part_of(column.sql, column.profile.time, "sqlite", part)


def _per(draw: Draw, table: TableFacts, column: ColumnFacts, part: TimePart) -> Phrase:
    """Return in words what rows are grouped by: «per month», «shipped per month»; the column, where there are more."""
    several = draw.told or sum(c.event is None or not c.event.open for c in table.having("date", "year")) > 1
    first = column is table.first_time and not draw.told and not table.noun.person
    if first and draw.chance(0.7 if several else 0.4):
        several, column = False, replace(column, event=None)
    slots: dict[str, Slot] = {
        "unit": Phrase(f"unit-{part}", {}),
        "which": Phrase(f"which-{part}", {}),
        "c": column.noun,
        "t": table.noun,
    }
    if column.event is not None and (several or column.event.open or table.noun.person or draw.chance(0.5)):
        return Phrase(f"per-{column.event.kind}", {**slots, **event_slots(column.event)}, part)
    return Phrase("per-period-by" if several else "per-period", slots, part)


def _count(draw: Draw) -> Draft:
    """``SELECT STRFTIME('%Y-%m', placed), COUNT(*) FROM orders GROUP BY STRFTIME('%Y-%m', placed)``."""
    table = draw.table(draw.times)
    column, part = _parted(draw, table)
    key = _key(column, part)
    sql, per = f"{select(f'{key}, COUNT(*)', table)} GROUP BY {key}", _per(draw, table, column, part)
    return Draft(sql, Phrase("period-count", {"t": table.noun, "per": per}, _plain(per) or _ours(per)))


def _plain(per: Phrase) -> str:
    """Return the meaning ``plain`` where the part stands by itself: «per month», not «shipped per month»."""
    return "plain" if per.rule == "per-period" else ""


def _ours(per: Phrase) -> str:
    """Return the meaning ``ours`` where one asks what «we» did per part: «did we ship per month»."""
    return "ours" if per.rule == "per-done" and per.slots["base"] and per.meaning not in _ANY_WEEK else ""


def _value(draw: Draw) -> Draft:
    """The same, with a total or an average."""
    table, function = draw.table(lambda t: t.having("date", "year")), draw.one(["sum", "sum", "avg"])
    column, part = _parted(draw, table)
    if column.event is not None and column.event.past in _BIRTHS:  # what have people to do with the month of birth?
        raise NothingToDraw
    key, summed, value = _key(column, part), *_amount(draw, table, function)
    per = _per(draw, table, column, part)
    sql = f"{select(f'{key}, {summed}', table)} GROUP BY {key}"
    slots: dict[str, Slot] = {"t": table.noun, "c": value.slots["c"], "value": value, "per": per}
    return Draft(sql, Phrase("period-value", slots, function if per.rule == "per-period" else ""))


def _amount(draw: Draw, table: TableFacts, function: str) -> tuple[str, Phrase]:
    number = draw.number(table, sums=function == "sum")
    value = Phrase(f"value-{function}", {"c": number.noun})
    return f"{function.upper()}({number.number(sums=function == 'sum')})", value


def _in_year(draw: Draw) -> Draft:
    """``SELECT STRFTIME('%m', placed), COUNT(*) FROM orders WHERE placed >= '2024-01-01' AND … GROUP BY …``."""
    table = draw.table(lambda t: t.having("date"))
    column, part = _parted(draw, table, _IN_A_YEAR)
    storage = column.profile.time
    if storage is None:
        raise NothingToDraw
    year = calendar_span(draw.one(column.days), "year")
    key = _key(column, "month of year" if part == "month" else part)  # one year has each month once
    where = within(column.sql, storage, "sqlite", year.start, year.end)
    per = _per(draw, table, column, part)
    slots: dict[str, Slot] = {"t": table.noun, "per": per, "v": year.said}
    if draw.chance(0.4):
        summed, value = _amount(draw, table, draw.one(["sum", "avg"]))
        sql = f"{select(f'{key}, {summed}', table)} WHERE {where} GROUP BY {key}"
        return Draft(sql, Phrase("period-value-in-year", {**slots, "value": value}, _plain(per)))
    sql = f"{select(f'{key}, COUNT(*)', table)} WHERE {where} GROUP BY {key}"
    return Draft(sql, Phrase("period-in-year", slots, _plain(per) or _ours(per)))


def _since(draw: Draw) -> Draft:
    """``SELECT STRFTIME('%Y', shipped), COUNT(*) FROM orders WHERE shipped >= '2022-01-01' GROUP BY …``."""
    table = draw.table(draw.times)
    column, part = _parted(draw, table, _OF_YEARS)
    storage, years = column.profile.time, sorted({day.year for day in column.days})
    if storage is None or len(years) <= _FEW_YEARS:
        raise NothingToDraw
    year = calendar_span(date(draw.one(years[1:-1]), 1, 1), "year")
    key, per = _key(column, part), _per(draw, table, column, part)
    where = within(column.sql, storage, "sqlite", year.start, None)
    slots: dict[str, Slot] = {"t": table.noun, "per": per, "v": year.said}
    sql = f"{select(f'{key}, COUNT(*)', table)} WHERE {where} GROUP BY {key}"
    return Draft(sql, Phrase("period-since", slots, _plain(per) or _ours(per)))


def _top(draw: Draw) -> Draft:
    """``SELECT STRFTIME('%Y-%m', placed) FROM orders GROUP BY … ORDER BY COUNT(*) DESC LIMIT 1``."""
    table = draw.table(draw.times)
    column, part = _parted(draw, table)
    per = _per(draw, table, column, part)
    key, down = _key(column, part), draw.chance(0.8)
    sql, ties = ranked(f"{select(key, table)} GROUP BY {key}", "COUNT(*)", down, 1)
    if per.rule in {"per-done", "per-act"}:
        end = Phrase("end-most" if down else "end-fewest", {})
        return Draft(sql, Phrase(per.rule.replace("per", "period-top"), {**per.slots, "end": end}, _ours(per)), ties)
    if per.rule != "per-period":
        raise NothingToDraw
    return Draft(sql, Phrase("period-top" if down else "period-fewest", per.slots, part), ties)


def _top_value(draw: Draw) -> Draft:
    """``SELECT STRFTIME('%Y-%m', placed) FROM orders GROUP BY … ORDER BY SUM(amount) DESC LIMIT 1``."""
    table, function = draw.table(lambda t: t.having("date", "year")), draw.one(["sum", "sum", "avg"])
    column, part = _parted(draw, table)
    per = _per(draw, table, column, part)
    if per.rule != "per-period":
        raise NothingToDraw
    key, summed, value = _key(column, part), *_amount(draw, table, function)
    down = draw.chance(0.75)
    sql, ties = ranked(f"{select(key, table)} GROUP BY {key}", summed, down, 1)
    rule = "period-highest" if down else "period-lowest"
    return Draft(sql, Phrase(rule, {**per.slots, "value": value}, part), ties)


PARTS: dict[str, Structure] = {
    "part-count": _count,
    "part-value": _value,
    "part-in-year": _in_year,
    "part-since": _since,
    "part-top": _top,
    "part-top-value": _top_value,
}
