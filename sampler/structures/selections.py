"""Queries that show rows, or count and average them: all of a table, or those that a condition chooses.

A condition stands behind its noun, or, as «pending orders» and «有效的合同» have it, before.
"""

from collections.abc import Sequence

from ..facts.facts import ColumnFacts, TableFacts
from ..facts.verbalisation import joined
from ..facts.writing import literal
from ..parts.conditions import Filter, called_by
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.filters import OWN
from ..parts.flags import before_noun
from ..parts.join_filters import JOINED, NESTED
from ..parts.phrases import Phrase, Text
from .shape import Selection, Structure, amounts, asking, columns, names_noun, select, shown

_FUNCTIONS = ("avg", "max", "min", "sum")


def _shown(draw: Draw, chosen: Sequence[ColumnFacts], rule: str) -> Selection:
    draw.drawn.extend(chosen)
    noun = joined([c.noun for c in chosen], draw.frame.language)
    return Selection(lambda rows: columns(chosen, bool(rows.source)), Phrase(rule, {"c": noun}))


def _column(draw: Draw, table: TableFacts) -> Selection:
    return _shown(draw, draw.shown(table), "show-columns")


def _columns(draw: Draw, table: TableFacts) -> Selection:
    return _shown(draw, draw.shown(table, 2 if draw.chance(0.65) else 3), "show-columns")


def _few_columns(draw: Draw, table: TableFacts) -> Selection:
    return _shown(draw, draw.shown(table, 2 if draw.chance(0.4) else 1), "show-columns")


def _names(draw: Draw, table: TableFacts) -> Selection:
    if not table.names:
        raise NothingToDraw
    return Selection(lambda rows: columns(table.names), Phrase("show-names", {"c": names_noun(draw, table)}))


def _list(draw: Draw, table: TableFacts) -> Selection:
    chosen, out = shown(draw, table)
    said = Phrase(out.rule.replace("out", "list"), {"c": out.slots["c"], "out": out})
    return Selection(lambda rows: rows.distinct + columns(chosen, bool(rows.source)), said)


def _all(draw: Draw, table: TableFacts) -> Selection:
    return Selection(lambda rows: "*", Phrase("show-all", {}))


def _count(draw: Draw, table: TableFacts) -> Selection:
    def written(rows: Filter) -> str:
        if not rows.repeats:
            return "COUNT(*)"
        if len(table.table.primary_key) != 1 or (key := table.column(table.table.primary_key[0])) is None:
            raise NothingToDraw
        return f"COUNT(DISTINCT {key.ref(True)})"

    return Selection(written, Phrase("count", {}))


def _distinct(draw: Draw, table: TableFacts) -> Selection:
    column = draw.category(table)
    return Selection(lambda rows: f"DISTINCT {column.ref(bool(rows.source))}", Phrase("distinct", {"c": column.noun}))


def _count_distinct(draw: Draw, table: TableFacts) -> Selection:
    column = draw.category(table)
    return Selection(lambda rows: f"COUNT(DISTINCT {column.sql})", Phrase("count-distinct", {"c": column.noun}))


def aggregate(draw: Draw) -> str:
    """Return a function, its name in a rule of the templates."""
    return draw.one(["avg", "avg", "max", "min", "sum"])


def aggregated(draw: Draw, table: TableFacts) -> Selection:
    """Ask for an average, a sum or an extreme."""
    function = aggregate(draw)
    column = draw.number(table, sums=function == "sum")

    def written(rows: Filter) -> str:
        if rows.repeats:
            raise NothingToDraw
        return f"{function.upper()}({column.number(bool(rows.source), sums=function == 'sum')})"

    return Selection(written, Phrase("aggregate", {"value": Phrase(f"value-{function}", {"c": column.noun})}))


def _aggregates(draw: Draw, table: TableFacts) -> Selection:
    one, two = draw.rng.sample(_FUNCTIONS[:3] if draw.chance(0.7) else _FUNCTIONS, 2)
    column = draw.number(table, sums="sum" in {one, two})
    value = Phrase("two-values", {"c": column.noun, "x": Phrase(f"{one}-word", {}), "y": Phrase(f"{two}-word", {})})
    written = ", ".join(f"{each.upper()}({column.number(sums=each == 'sum')})" for each in (one, two))
    return Selection(lambda rows: written, Phrase("aggregate", {"value": value}))


def _before(draw: Draw, table: TableFacts, _: bool) -> Filter:
    """``status = 'pending'`` or ``active = 1``: pending orders, active members."""
    if draw.chance(0.35):
        return before_noun(draw, table)
    column = draw.one([c for c in table.having("category") if c.status and c not in draw.drawn])
    value = draw.value(column)
    return called_by(draw, table, value.lower(), f"{column.sql} = {literal(value)}")


def _lookup(draw: Draw) -> Draft:
    """``SELECT age FROM singer WHERE name = 'Joe'``."""
    table = draw.table(lambda t: len(t.names) == 1)
    name = table.names[0]
    draw.drawn.append(name)
    chosen = draw.shown(table, 2 if draw.chance(0.2) else 1)
    value = draw.value(name)
    noun = joined([c.noun for c in chosen], draw.frame.language)
    sql = f"{select(columns(chosen), table)} WHERE {name.sql} = {literal(value)}"
    return Draft(sql, Phrase("lookup", {"t": table.noun, "c": noun, "v": Text(value)}, amounts(chosen)))


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
    what = f"{columns(table.names)}, {more.number()} - {less.number()}"
    return Draft(select(what, table), Phrase("difference", slots))


_FILTERS = {**OWN, **JOINED, **NESTED}
_COUNTED = ("eq", "number", "span", "and", "join2", "join2-other", "join3-bridge", "average", "not-in")

SELECTIONS: dict[str, Structure] = {
    "show-column": asking(_column),
    "show-columns": asking(_columns),
    "show-names": asking(_names),
    "show-all": asking(_all),
    "distinct": asking(_distinct),
    "count": asking(_count),
    "count-distinct": asking(_count_distinct),
    "aggregate": asking(aggregated),
    "aggregate-two": asking(_aggregates),
    "difference": _difference,
    "adjective-count": asking(_count, _before),
    "adjective-names": asking(_names, _before),
    "adjective-columns": asking(_few_columns, _before),
    "adjective-aggregate": asking(aggregated, _before),
    "lookup": _lookup,
    **{f"filter-{name}": asking(_list, rows) for name, rows in _FILTERS.items()},
    **{f"count-{name}": asking(_count, _FILTERS[name]) for name in _COUNTED},
    **{f"aggregate-{name}": asking(aggregated, _FILTERS[name]) for name in ("eq", "number", "join2")},
    **{f"distinct-{name}": asking(_distinct, _FILTERS[name]) for name in ("eq", "number", "join2-other")},
    "all-eq": asking(_all, OWN["eq"]),
    "all-number": asking(_all, OWN["number"]),
}
