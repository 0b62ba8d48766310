"""Queries about order: sorted lists, the first of them, the first few."""

from __future__ import annotations

from ..draws import Draft, Draw
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.verbalisation import joined
from ..filters import any_own
from ..phrases import Count, Phrase
from .shape import Structure, amounts, columns, extreme, has_names, names_noun, ranked, select, shown

__all__ = ["ORDERS", "by"]


def by(draw: Draw, column: ColumnFacts) -> tuple[bool, Phrase]:
    """Return whether the order goes down, and the order in words."""
    down = draw.chance(0.5)
    kind = "date" if column.role in {"date", "year"} else "number" if column.role == "number" else "text"
    return down, Phrase(f"{'down' if down else 'up'}-{kind}", {"c": column.noun})


def _order(draw: Draw) -> Draft:
    table = draw.table()
    column = draw.ordered(table) if draw.chance(0.75) else draw.one([n for n in table.names if len(table.names) == 1])
    chosen, out = shown(draw, table)
    down, order = by(draw, column)
    said = Phrase("order", {"t": table.noun, "c": out.slots["c"], "out": out, "order": order})
    return Draft(f"{select(columns(chosen), table)} ORDER BY {column.sql}{' DESC' if down else ''}", said)


def _order_two(draw: Draw) -> Draft:
    table = draw.table(has_names)
    first, second = draw.category(table), draw.ordered(table)
    down, order = by(draw, second)
    slots = {"t": table.noun, "c": names_noun(draw, table), "d": first.noun, "order": order}
    sql = f"{select(columns(table.names), table)} ORDER BY {first.sql}, {second.sql}{' DESC' if down else ''}"
    return Draft(sql, Phrase("order-two", slots))


def _order_if(draw: Draw) -> Draft:
    table = draw.table()
    column = draw.ordered(table)
    chosen, out = shown(draw, table)
    condition = any_own(draw, table, False)
    down, order = by(draw, column)
    slots = {"t": table.noun, "c": out.slots["c"], "out": out, "order": order, "cond": condition.said}
    sql = f"{select(columns(chosen), table, condition)} ORDER BY {column.sql}{' DESC' if down else ''}"
    return Draft(sql, Phrase("order-if", slots))


def _extreme(draw: Draw, table: TableFacts) -> tuple[ColumnFacts, bool, Phrase]:
    column, down = draw.ordered(table), draw.chance(0.6)
    return column, down, extreme(table, column, down)


def _top(draw: Draw) -> Draft:
    table = draw.table(has_names)
    column, down, top = _extreme(draw, table)
    sql, ties = ranked(select(columns(table.names), table), column.sql, down, 1)
    return Draft(sql, Phrase("top", {"t": table.noun, "c": names_noun(draw, table), "top": top}), ties)


def _top_of(draw: Draw) -> Draft:
    table = draw.table()
    column, down, top = _extreme(draw, table)
    chosen = draw.shown(table, 2 if draw.chance(0.25) else 1)
    noun = joined([c.noun for c in chosen], draw.frame.language)
    sql, ties = ranked(select(columns(chosen), table), column.sql, down, 1)
    return Draft(sql, Phrase("top-of", {"t": table.noun, "c": noun, "top": top}, amounts(chosen)), ties)


def _top_if(draw: Draw) -> Draft:
    table = draw.table(has_names)
    column, down, top = _extreme(draw, table)
    condition = any_own(draw, table, False)
    sql, ties = ranked(select(columns(table.names), table, condition), column.sql, down, 1)
    slots = {"t": table.noun, "c": names_noun(draw, table), "top": top, "cond": condition.said}
    return Draft(sql, Phrase("top-if", slots), ties)


def _top_n(draw: Draw) -> Draft:
    table = draw.table(has_names)
    column, down, top = _extreme(draw, table)
    count = draw.rng.randint(2, 8 if draw.chance(0.3) else 5)
    tops = Phrase(f"{top.rule}-n", {**top.slots, "n": Count(count)}, top.meaning)
    sql, ties = ranked(select(columns(table.names), table), column.sql, down, count)
    return Draft(sql, Phrase("top-n", {"t": table.noun, "c": names_noun(draw, table), "top": tops}), ties)


ORDERS: dict[str, Structure] = {
    "order": _order,
    "order-two": _order_two,
    "order-filter": _order_if,
    "top": _top,
    "top-column": _top_of,
    "top-filter": _top_if,
    "top-n": _top_n,
}
