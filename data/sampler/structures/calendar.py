"""Queries per year and month: how many, how much, and when the most."""

from __future__ import annotations

from ..draws import Draft, Draw, NothingToDraw
from ..facts.facts import ColumnFacts, TableFacts
from ..periods import said_date
from ..phrases import Phrase, Slot
from .shape import Structure, ranked, select

__all__ = ["CALENDAR"]

_LENGTHS = {"year": 4, "month": 7}  # signs of an ISO date


def _period(draw: Draw, table: TableFacts, *, month: bool = False) -> tuple[ColumnFacts, str, Phrase]:
    """Return a date or year, what rows are grouped by, and the period in words."""
    dates = [c for c in table.having("date", "year") if not c.nulls and (c.role == "date" or not month)]
    column = draw.one(dates)
    draw.drawn.append(column)
    unit = "month" if month or (column.role == "date" and draw.chance(0.5)) else "year"
    key = column.sql if column.role == "year" else f"SUBSTR({column.sql}, 1, {_LENGTHS[unit]})"
    several = sum(c.event is None or not c.event.open for c in table.having("date", "year")) > 1
    slots: dict[str, Slot] = {"unit": Phrase(f"unit-{unit}", {}), "c": column.noun, "t": table.noun}
    if column.event is not None and (several or column.event.open or table.noun.person or draw.chance(0.5)):
        return column, key, Phrase(f"per-{column.event.kind}", {**slots, "event": column.event.past})
    return column, key, Phrase("per-period-by" if several else "per-period", slots)


def _count(draw: Draw) -> Draft:
    """``SELECT SUBSTR(placed, 1, 7), COUNT(*) FROM orders GROUP BY SUBSTR(placed, 1, 7)``."""
    table = draw.table(lambda t: t.having("date", "year"))
    _, key, per = _period(draw, table)
    sql = f"{select(f'{key}, COUNT(*)', table)} GROUP BY {key}"
    return Draft(sql, Phrase("period-count", {"t": table.noun, "per": per}))


def _value(draw: Draw) -> Draft:
    """The same, with a total or an average."""
    table, function = draw.table(lambda t: t.having("date", "year")), draw.one(["sum", "sum", "avg"])
    date, key, per = _period(draw, table)
    if date.event is not None and date.event.past in {
        "born",
        "出生",
    }:  # what do people have to do with the month of their birth?
        raise NothingToDraw
    column = draw.number(table, sums=function == "sum")
    value = Phrase(f"value-{function}", {"c": column.noun})
    sql = f"{select(f'{key}, {function.upper()}({column.sql})', table)} GROUP BY {key}"
    slots: dict[str, Slot] = {"t": table.noun, "c": column.noun, "value": value, "per": per}
    return Draft(sql, Phrase("period-value", slots, function if per.rule == "per-period" else ""))


def _in_year(draw: Draw) -> Draft:
    """``SELECT SUBSTR(placed, 1, 7), COUNT(*) FROM orders WHERE placed LIKE '2024%' GROUP BY …``."""
    table = draw.table(lambda t: t.having("date"))
    column, key, per = _period(draw, table, month=True)
    year = str(draw.one(column.values))[:4]
    where = f"{column.sql} LIKE '{year}%'"
    told = said_date(year, draw.frame.language, draw.rng)
    said = Phrase("period-in-year", {"t": table.noun, "per": per, "v": told})
    return Draft(f"{select(f'{key}, COUNT(*)', table)} WHERE {where} GROUP BY {key}", said)


def _top(draw: Draw) -> Draft:
    """``SELECT SUBSTR(placed, 1, 7) FROM orders GROUP BY … ORDER BY COUNT(*) DESC LIMIT 1``."""
    table = draw.table(lambda t: t.having("date", "year"))
    _, key, per = _period(draw, table)
    if per.rule != "per-period":
        raise NothingToDraw
    sql, ties = ranked(f"{select(key, table)} GROUP BY {key}", "COUNT(*)", True, 1)
    return Draft(sql, Phrase("period-top", {"t": table.noun, "unit": per.slots["unit"]}), ties)


CALENDAR: dict[str, Structure] = {
    "period-count": _count,
    "period-value": _value,
    "period-in-year": _in_year,
    "period-top": _top,
}
