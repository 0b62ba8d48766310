"""Queries of two queries: UNION, INTERSECT, EXCEPT."""

from functools import partial

from ..facts.facts import ColumnFacts, TableFacts
from ..parts.conditions import Filter
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.filters import any_own, equal
from ..parts.phrases import Phrase
from .shape import Structure, columns, has_names, names_noun, select


def _two(draw: Draw, table: TableFacts) -> tuple[Filter, Filter]:
    """Return two conditions that no row need share."""
    one = any_own(draw, table, False)
    draw.drawn.pop() if draw.chance(0.5) else None  # both of one column: of Paris and of London
    two = any_own(draw, table, False)
    compared = [c.said.rule for c in (one, two) if c.said.rule != "eq"]
    if one.where == two.where or (len(compared) == 2 and one.said.slots["c"] == two.said.slots["c"]):
        raise NothingToDraw
    return one, two


def _groups_with(draw: Draw, *, word: str, rule: str) -> Draft:
    """``SELECT city FROM shop WHERE … INTERSECT SELECT city FROM shop WHERE …``."""
    table = draw.table()
    group = draw.category(table)
    one, two = _two(draw, table)
    sql = f"{select(group.sql, table, one)} {word} {select(group.sql, table, two)}"
    return Draft(sql, Phrase(rule, {"t": table.noun, "g": group.noun, "x": one.said, "y": two.said}))


def _without(draw: Draw) -> Draft:
    """``SELECT city FROM shop EXCEPT SELECT city FROM shop WHERE …``."""
    table = draw.table()
    group = draw.category(table)
    condition = any_own(draw, table, False)
    sql = f"{select(group.sql, table)} EXCEPT {select(group.sql, table, condition)}"
    return Draft(sql, Phrase("groups-without", {"t": table.noun, "g": group.noun, "cond": condition.said}))


def _union(draw: Draw) -> Draft:
    table = draw.table(has_names)
    one, two = _two(draw, table)
    names = columns(table.names)
    sql = f"{select(names, table, one)} UNION {select(names, table, two)}"
    slots = {"t": table.noun, "c": names_noun(draw, table), "x": one.said, "y": two.said}
    return Draft(sql, Phrase("union-names", slots))


def _names_except(draw: Draw) -> Draft:
    table = draw.table(has_names)
    one, two = equal(draw, table, False), any_own(draw, table, False)
    names = columns(table.names)
    sql = f"{select(names, table, one)} EXCEPT {select(names, table, two)}"
    slots = {"t": table.noun, "c": names_noun(draw, table), "x": one.said, "y": two.said}
    return Draft(sql, Phrase("names-but-not", slots))


def _shared(draw: Draw) -> tuple[TableFacts, ColumnFacts, TableFacts, ColumnFacts]:
    """Return columns of two tables that hold the same kind of thing."""
    texts = [(t, c) for t in draw.frame.tables for c in t.having("category", "text") if not t.rows or t.rows > 1]
    pairs = [
        (t, c, u, d) for t, c in texts for u, d in texts
        if t is not u and c.noun.one == d.noun.one and t.noun.one != u.noun.one and c.noun.one != "name"
    ]  # fmt: skip
    return draw.one(pairs)


def _tables(draw: Draw, *, word: str, rule: str) -> Draft:
    table, column, other, twin = _shared(draw)
    if word != "UNION" and not {*column.cells} & {*twin.cells}:
        raise NothingToDraw
    sql = f"{select(column.sql, table)} {word} {select(twin.sql, other)}"
    return Draft(sql, Phrase(rule, {"t": table.noun, "u": other.noun, "g": column.noun}))


SETS: dict[str, Structure] = {
    "intersect": partial(_groups_with, word="INTERSECT", rule="groups-both"),
    "except": partial(_groups_with, word="EXCEPT", rule="groups-but-not"),
    "except-where": _without,
    "union": _union,
    "except-names": _names_except,
    "intersect-tables": partial(_tables, word="INTERSECT", rule="tables-both"),
    "except-tables": partial(_tables, word="EXCEPT", rule="tables-but-not"),
    "union-tables": partial(_tables, word="UNION", rule="tables-either"),
}
