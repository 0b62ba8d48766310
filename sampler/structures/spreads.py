"""Queries for how far the values of a column spread: from the lowest price to the highest."""

from ..facts.facts import ColumnFacts, TableFacts
from ..parts.conditions import Filter, FilterOf
from ..parts.draws import Draft, Draw
from ..parts.filters import any_plain
from ..parts.join_filters import JOINED
from ..parts.phrases import Phrase
from .grouping import GroupsOf, by_category, by_parent
from .shape import Selection, Structure, asking, ranked


def _spread(column: ColumnFacts, qualified: bool) -> str:
    number = column.number(qualified)
    return f"MAX({number}) - MIN({number})"


def _of_rows(draw: Draw, table: TableFacts) -> Selection:
    """``SELECT MAX(price) - MIN(price) FROM tent``."""
    column = draw.number(table)
    said = Phrase("aggregate", {"value": Phrase("value-spread", {"c": column.noun})})
    return Selection(lambda rows: _spread(column, bool(rows.source)), said)


def _any_rows(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    options: list[FilterOf] = [any_plain, any_plain, JOINED["join2"]]
    return draw.one(options)(draw, table, qualified)


def _each(groups_of: GroupsOf) -> Structure:
    """Return the structure of ``SELECT kind, MAX(price) - MIN(price) FROM tent GROUP BY kind``."""

    def structure(draw: Draw) -> Draft:
        table = draw.table()
        groups, column = groups_of(draw, table), draw.number(table)
        sql = groups.query(f", {_spread(column, groups.qualified)}")
        slots = {"t": table.noun, "g": groups.noun, "value": Phrase("value-spread", {"c": column.noun})}
        return Draft(sql, Phrase("group-value", slots))

    return structure


def _most(draw: Draw) -> Draft:
    """``SELECT kind FROM tent GROUP BY kind ORDER BY MAX(price) - MIN(price) DESC LIMIT 1``."""
    table = draw.table()
    groups, column = draw.one([by_category, by_parent])(draw, table), draw.number(table)
    down = draw.chance(0.7)
    sql, ties = ranked(groups.query(), _spread(column, groups.qualified), down, 1)
    slots = {"t": table.noun, "g": groups.noun, "value": Phrase("value-spread", {"c": column.noun})}
    return Draft(sql, Phrase("group-highest" if down else "group-lowest", slots), ties)


SPREADS: dict[str, Structure] = {
    "spread-all": asking(_of_rows),
    "spread-if": asking(_of_rows, _any_rows),
    "spread-each": _each(by_category),
    "spread-each-of": _each(by_parent),
    "spread-most": _most,
}
