"""Queries about the rows that a condition chooses: lists, counts, averages."""

from __future__ import annotations

from functools import partial

from ..conditions import FilterOf
from ..draws import Draft, Draw, NothingToDraw
from ..facts.verbalisation import joined
from ..facts.writing import literal
from ..filters import OWN
from ..join_filters import JOINED, NESTED
from ..phrases import Phrase, Text
from .columns import aggregate
from .shape import Structure, amounts, columns, select, shown

__all__ = ["SELECTIONS"]


def _list(draw: Draw, *, filter_of: FilterOf) -> Draft:
    table = draw.table()
    chosen, out = shown(draw, table)
    condition = filter_of(draw, table, False)
    what = columns(chosen, bool(condition.source))
    distinct = "DISTINCT " if condition.repeats else ""
    rule = "list-names" if out.rule == "out-names" else "list-columns"
    said = Phrase(rule, {"t": table.noun, "c": out.slots["c"], "out": out, "cond": condition.said})
    return Draft(select(distinct + what, table, condition), said)


def _count(draw: Draw, *, filter_of: FilterOf) -> Draft:
    table = draw.table()
    condition = filter_of(draw, table, False)
    what = "*"
    if condition.repeats:
        if len(table.table.primary_key) != 1 or (key := table.column(table.table.primary_key[0])) is None:
            raise NothingToDraw
        what = f"DISTINCT {key.ref(True)}"
    said = Phrase("count-if", {"t": table.noun, "cond": condition.said})
    return Draft(select(f"COUNT({what})", table, condition), said)


def _aggregate(draw: Draw, *, filter_of: FilterOf) -> Draft:
    table, function = draw.table(), aggregate(draw)
    column = draw.number(table, sums=function == "sum")
    condition = filter_of(draw, table, False)
    if condition.repeats:
        raise NothingToDraw
    value = Phrase(f"value-{function}", {"c": column.noun})
    said = Phrase("aggregate-if", {"t": table.noun, "value": value, "cond": condition.said})
    return Draft(select(f"{function.upper()}({column.ref(bool(condition.source))})", table, condition), said)


def _distinct(draw: Draw, *, filter_of: FilterOf) -> Draft:
    table = draw.table()
    column = draw.category(table)
    condition = filter_of(draw, table, False)
    said = Phrase("distinct-if", {"t": table.noun, "c": column.noun, "cond": condition.said})
    return Draft(select(f"DISTINCT {column.ref(bool(condition.source))}", table, condition), said)


def _star(draw: Draw, *, filter_of: FilterOf) -> Draft:
    table = draw.table()
    condition = filter_of(draw, table, False)
    return Draft(select("*", table, condition), Phrase("star-if", {"t": table.noun, "cond": condition.said}))


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


_ALL = {**OWN, **JOINED, **NESTED}

SELECTIONS: dict[str, Structure] = {
    "lookup": _lookup,
    **{f"filter-{name}": partial(_list, filter_of=of) for name, of in _ALL.items()},
    **{
        f"count-{name}": partial(_count, filter_of=_ALL[name])
        for name in ("eq", "number", "date", "and", "join2", "join2-other", "join3-bridge", "average", "not-in")
    },
    **{f"aggregate-{name}": partial(_aggregate, filter_of=_ALL[name]) for name in ("eq", "number", "join2")},
    **{f"distinct-{name}": partial(_distinct, filter_of=_ALL[name]) for name in ("eq", "number", "join2-other")},
    "all-eq": partial(_star, filter_of=OWN["eq"]),
    "all-number": partial(_star, filter_of=OWN["number"]),
}
