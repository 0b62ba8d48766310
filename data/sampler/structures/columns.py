"""Queries about columns of one table: shown, counted, averaged."""

from __future__ import annotations

from ..draws import Draft, Draw
from ..facts.verbalisation import joined
from ..phrases import Phrase
from .shape import Structure, columns, names_noun, select

__all__ = ["COLUMNS", "FUNCTIONS", "aggregate"]

FUNCTIONS = ("avg", "max", "min", "sum")


def _show(draw: Draw, count: int) -> Draft:
    table = draw.table()
    chosen = draw.shown(table, count)
    noun = joined([c.noun for c in chosen], draw.frame.language)
    return Draft(select(columns(chosen), table), Phrase("show-columns", {"t": table.noun, "c": noun}))


def _show_column(draw: Draw) -> Draft:
    return _show(draw, 1)


def _show_columns(draw: Draw) -> Draft:
    return _show(draw, 2 if draw.chance(0.65) else 3)


def _show_names(draw: Draw) -> Draft:
    table = draw.table(lambda t: t.names)
    slots = {"t": table.noun, "c": names_noun(draw, table)}
    return Draft(select(columns(table.names), table), Phrase("show-names", slots))


def _show_all(draw: Draw) -> Draft:
    table = draw.table()
    return Draft(select("*", table), Phrase("show-all", {"t": table.noun}))


def _distinct(draw: Draw) -> Draft:
    table = draw.table()
    column = draw.category(table)
    said = Phrase("distinct", {"t": table.noun, "c": column.noun})
    return Draft(select(f"DISTINCT {column.sql}", table), said)


def _count(draw: Draw) -> Draft:
    table = draw.table()
    return Draft(select("COUNT(*)", table), Phrase("count", {"t": table.noun}))


def _count_distinct(draw: Draw) -> Draft:
    table = draw.table()
    column = draw.category(table)
    said = Phrase("count-distinct", {"t": table.noun, "c": column.noun})
    return Draft(select(f"COUNT(DISTINCT {column.sql})", table), said)


def aggregate(draw: Draw) -> str:
    """Return a function, its name in a rule of the sayings."""
    return draw.one(["avg", "avg", "max", "min", "sum"])


def _aggregate(draw: Draw) -> Draft:
    table, function = draw.table(), aggregate(draw)
    column = draw.number(table, sums=function == "sum")
    value = Phrase(f"value-{function}", {"c": column.noun})
    said = Phrase("aggregate", {"t": table.noun, "value": value})
    return Draft(select(f"{function.upper()}({column.sql})", table), said)


def _aggregates(draw: Draw) -> Draft:
    table = draw.table()
    one, two = draw.rng.sample(FUNCTIONS[:3] if draw.chance(0.7) else FUNCTIONS, 2)
    column = draw.number(table, sums="sum" in {one, two})
    value = Phrase("two-values", {"c": column.noun, "x": Phrase(f"{one}-word", {}), "y": Phrase(f"{two}-word", {})})
    said = Phrase("aggregate", {"t": table.noun, "value": value})
    return Draft(select(f"{one.upper()}({column.sql}), {two.upper()}({column.sql})", table), said)


_HIGH, _LOW = ("max", "high", "最高", "最大"), ("min", "low", "最低", "最小")


def _difference(draw: Draw) -> Draft:
    """``SELECT title, max_salary - min_salary FROM jobs``."""
    table = draw.table(lambda t: t.names)
    numbers = table.having("number")
    highs = [c for c in numbers if any(word in c.noun.one for word in _HIGH)]
    lows = [c for c in numbers if any(word in c.noun.one for word in _LOW)]
    alike = [(a, b) for a in numbers for b in numbers if a is not b and a.kind and a.kind == b.kind]
    more, less = draw.one([(a, b) for a in highs for b in lows] or alike)
    slots = {"t": table.noun, "n": names_noun(draw, table), "x": more.noun, "y": less.noun}
    what = f"{columns(table.names)}, {more.sql} - {less.sql}"
    return Draft(select(what, table), Phrase("difference", slots))


COLUMNS: dict[str, Structure] = {
    "show-column": _show_column,
    "show-columns": _show_columns,
    "show-names": _show_names,
    "show-all": _show_all,
    "distinct": _distinct,
    "count": _count,
    "count-distinct": _count_distinct,
    "aggregate": _aggregate,
    "aggregate-two": _aggregates,
    "difference": _difference,
}
