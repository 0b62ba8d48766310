"""Queries whose condition stands before the noun: «pending orders», «active members», «有效的合同»."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..draws import Draft, Draw, NothingToDraw
from ..facts.facts import TableFacts
from ..facts.verbalisation import Noun, joined
from ..facts.writing import literal
from ..phrases import Phrase
from .columns import aggregate
from .shape import Structure, columns, names_noun, select

__all__ = ["ADJECTIVES"]

_FLAGS = ("is ", "was ", "has been ", "currently ")


def _value(draw: Draw, table: TableFacts) -> tuple[Noun, str]:
    """``status = 'pending'``."""
    column = draw.one([c for c in table.having("category") if c.status])
    draw.drawn.append(column)
    value = draw.value(column)
    return _before(value.lower(), table.noun, draw), f"{column.sql} = {literal(value)}"


def _flag(draw: Draw, table: TableFacts) -> tuple[Noun, str]:
    """``active = 1``; the name of the column is the adjective."""
    flags = [c for c in table.having("flag") if set(c.values) <= {0, 1} and len(c.noun.one.split()) <= 3]
    column = draw.one(flags)
    said = column.noun.one
    for before in _FLAGS:
        said = said.removeprefix(before)
    if draw.frame.language == "zh" or said.startswith(("has ", "in ")):
        raise NothingToDraw
    return _before(said, table.noun, draw), f"{column.sql} = 1"


def _before(said: str, noun: Noun, draw: Draw) -> Noun:
    between = "的" if draw.frame.language == "zh" else " "
    return replace(noun, one=f"{said}{between}{noun.one}", many=f"{said}{between}{noun.many}")


def _count(draw: Draw, table: TableFacts) -> tuple[str, str, dict[str, Noun | Phrase]]:
    return "COUNT(*)", "count", {}


def _names(draw: Draw, table: TableFacts) -> tuple[str, str, dict[str, Noun | Phrase]]:
    if not table.names:
        raise NothingToDraw
    return columns(table.names), "show-names", {"c": names_noun(draw, table)}


def _columns(draw: Draw, table: TableFacts) -> tuple[str, str, dict[str, Noun | Phrase]]:
    chosen = draw.shown(table, 2 if draw.chance(0.4) else 1)
    return columns(chosen), "show-columns", {"c": joined([c.noun for c in chosen], draw.frame.language)}


def _aggregate(draw: Draw, table: TableFacts) -> tuple[str, str, dict[str, Noun | Phrase]]:
    function = aggregate(draw)
    column = draw.number(table, sums=function == "sum")
    what = f"{function.upper()}({column.sql})"
    return what, "aggregate", {"value": Phrase(f"value-{function}", {"c": column.noun})}


_What = Callable[[Draw, TableFacts], tuple[str, str, dict[str, Noun | Phrase]]]


def _asking(what_of: _What) -> Structure:
    def structure(draw: Draw) -> Draft:
        table = draw.table()
        noun, where = draw.one([_value, _value, _flag])(draw, table)
        what, rule, slots = what_of(draw, table)
        return Draft(f"{select(what, table)} WHERE {where}", Phrase(rule, {**slots, "t": noun}))

    return structure


ADJECTIVES: dict[str, Structure] = {
    "adjective-count": _asking(_count),
    "adjective-names": _asking(_names),
    "adjective-columns": _asking(_columns),
    "adjective-aggregate": _asking(_aggregate),
}
