"""Queries for rows by their rank: the best of each group, «the oldest player of each team», and «the third oldest»."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from ..facts.facts import ColumnFacts, TableFacts
from ..facts.verbalisation import Noun
from ..parts.conditions import ALL_ROWS, Filter
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.filters import any_plain, text_equal
from ..parts.phrases import Phrase, Slot, Templates
from .shape import Structure, columns, extreme, select

Place: TypeAlias = tuple[TableFacts, ColumnFacts, bool]
"""Rows, what they are sorted by, and whether the largest come first."""

_WITH_A_CONDITION = 0.25
_ORDINALS_EN = {2: ("second", "2nd"), 3: ("third", "3rd"), 4: ("fourth", "4th"), 5: ("fifth", "5th")}
_ORDINALS_ZH = {2: ("第二", "第2"), 3: ("第三", "第3"), 4: ("第四", "第4"), 5: ("第五", "第5")}


def ranked_by(draw: Draw, table: TableFacts) -> ColumnFacts:
    """Return a column whose cells sort as they stand."""
    able = [c for c in table.columns if c.ordered and not c.nulls and c not in table.names and len(c.values) > 2]
    return draw.one([c for c in able if c.order() == c.sql and c not in draw.drawn])


def said_place(draw: Draw, ranked: Place, rule: str, slots: dict[str, Slot]) -> Phrase:
    """Return a rank in words: by an adjective of its own, «oldest», or by the column, «with the highest price»."""
    table, column, down = ranked
    top = extreme(table, column, down)
    named = f"adj-{top.rule}"
    alone = Templates.of(draw.frame.language).special(named, top.meaning)
    adjective = Phrase(named, {}, top.meaning) if alone else Phrase(f"word-{top.rule}", {})
    meaning = "who" if table.noun.person else ""
    own: dict[str, Slot] = {"t": table.noun, "c": column.noun, "adj": adjective}
    return Phrase(f"{rule}-{'adj' if alone else 'with'}", own | slots, meaning)


def _best(draw: Draw, table: TableFacts, group: ColumnFacts, noun: Noun, query: str) -> Draft:
    """Return the first of each group: those whose group and value are a group with its largest value.

    Args:
        noun: of the groups.
        query: what is shown, and FROM.
    """
    column, down = ranked_by(draw, table), draw.chance(0.6)
    rows = draw.one([text_equal, any_plain])(draw, table, True) if draw.chance(_WITH_A_CONDITION) else ALL_ROWS
    key, value = group.ref(True), column.ref(True)
    largest = f"{'MAX' if down else 'MIN'}({value})"
    within = f"({key}, {value}) IN ({select(f'{key}, {largest}', table, rows)} GROUP BY {key})"
    where = f"({rows.where}) AND {within}" if rows.where else within
    rule = "best-each-if" if rows.where else "best-each"
    said = said_place(draw, (table, column, down), rule, {"g": noun, "cond": rows.said})
    return Draft(f"{query} WHERE {where}", said)


def _best_of_parent(draw: Draw) -> Draft:
    """``SELECT team.name, player.name … WHERE (player.team_id, player.age) IN (SELECT team_id, MAX(age) …)``."""
    join = draw.join(lambda join: join.many and join.plain and join.parent.names and join.child.identity)
    query = f"SELECT {columns([*join.parent.names, *join.child.identity], True)} FROM {join.source}"
    return _best(draw, join.child, join.key, join.noun, query)


def _best_of_category(draw: Draw) -> Draft:
    """``SELECT kind, name FROM product WHERE (kind, price) IN (SELECT kind, MAX(price) … GROUP BY kind)``."""
    table = draw.table(lambda t: t.identity)
    group = draw.category(table)
    if len(group.values) < 2 or group in table.identity:
        raise NothingToDraw
    return _best(draw, table, group, group.noun, select(columns([group, *table.identity], True), table))


def _nth(draw: Draw, rows_of: Callable[[Draw, TableFacts, bool], Filter] | None = None) -> Draft:
    """``SELECT name FROM player ORDER BY age DESC LIMIT 1 OFFSET 2``: the third oldest."""
    table = draw.table(lambda t: t.identity)
    rows = ALL_ROWS if rows_of is None else rows_of(draw, table, False)
    column, down, place = ranked_by(draw, table), draw.chance(0.65), draw.one([2, 2, 2, 3, 3, 4, 5])
    names = _ORDINALS_ZH if draw.frame.language == "zh" else _ORDINALS_EN
    rule = "nth-if" if rows.where else "nth"
    said = said_place(draw, (table, column, down), rule, {"cond": rows.said, "n": draw.one(names[place])})
    query, key = select(columns(table.identity), table, rows), column.order()
    order = f" ORDER BY {key}{' DESC' if down else ''}"
    ties = f"SELECT {key}{query[query.index(' FROM ') :]}{order} LIMIT {place + 1}"
    return Draft(f"{query}{order} LIMIT 1 OFFSET {place - 1}", said, ties)


PLACES: dict[str, Structure] = {
    "best-each-parent": _best_of_parent,
    "best-each-category": _best_of_category,
    "nth": _nth,
    "nth-if": partial(_nth, rows_of=text_equal),
}
