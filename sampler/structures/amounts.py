"""Queries with a number before its noun, «five star reviews», and for how many different things there are."""

from dataclasses import replace

from ...data.schema.plain_names import plural, singular
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.verbalisation import Noun
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.filters import any_plain
from ..parts.join_filters import verb_of
from ..parts.phrases import Count, Phrase, Slot
from .shape import Selection, Structure, asking, columns, select

_UNITS = {
    "star", "bedroom", "bathroom", "room", "page", "seat", "door", "floor", "bed", "hour", "minute", "second", "day",
    "week", "month", "year", "mile", "night", "person", "player", "credit", "course", "storey", "wheel", "piece",
}  # fmt: skip
"""What people count before a noun: a 2-bedroom flat."""
_CHINESE = {
    "stars": "星",
    "pages": "页",
    "age": "岁",
    "页数": "页",
    "年龄": "岁",
    "星级": "星",
    "学分": "学分",
    "房间数": "房间",
    "层数": "层",
}
_MOST = 2000


def _unit(column: ColumnFacts, language: str) -> tuple[Noun, str] | None:
    """Return what a number counts, and the rule that says so: sized, 2-bedroom; with bedrooms; aged. None for none."""
    said = column.noun.one
    if not column.values or not all(isinstance(v, int) and 0 < v < _MOST for v in column.values):
        return None
    if language == "zh":
        unit = next((unit for end, unit in _CHINESE.items() if said.endswith(end)), "")
        return (Noun(unit, unit), "aged" if unit == "岁" else "with" if unit == "房间" else "sized") if unit else None
    if column.kind == "age" or said == "age":
        return Noun("year", "years"), "aged"
    parts = said.removeprefix("number of ").removesuffix(" count").removeprefix("num of ").split()
    if len(parts) != 1 or not (said != parts[0] or column.noun.several):
        return None
    one = singular(parts[0])
    if one not in _UNITS:
        return (Noun(one, plural(one)), "with") if said != parts[0] and parts[0] != "total" else None
    return Noun(one, plural(one)), "sized"


def _sized(draw: Draw) -> tuple[TableFacts, str, dict[str, Slot], str]:
    language = draw.frame.language
    found = [(t, c) for t in draw.frame.tables for c in t.having("number") if _unit(c, language)]
    table, column = draw.one(found)
    unit = _unit(column, language)
    if unit is None:
        raise NothingToDraw
    value = draw.one(column.values)
    counted = unit[0] if value != 1 else replace(unit[0], many=unit[0].one)
    slots: dict[str, Slot] = {"t": table.noun, "u": counted, "n": Count(value)}
    return table, f"{column.number()} = {value}", slots, unit[1]


def _sized_entities(draw: Draw) -> Draft:
    """``SELECT name FROM flat WHERE bedrooms = 2``."""
    table, where, slots, rule = _sized(draw)
    if not table.identity:
        raise NothingToDraw
    return Draft(f"{select(columns(table.identity), table)} WHERE {where}", Phrase(f"{rule}-entities", slots))


def _sized_parents(draw: Draw) -> Draft:
    """``SELECT DISTINCT product.name FROM review JOIN product … WHERE review.stars = 1``: what got a 1 star review."""
    language = draw.frame.language
    found = [
        (join, column, unit[0])
        for join in draw.frame.joins
        if join.plain and join.parent.names
        for column in join.child.having("number")
        if (unit := _unit(column, language)) and unit[1] == "sized"
    ]
    join, column, unit = draw.one(found)
    value = draw.one(column.values)
    slots: dict[str, Slot] = {
        "g": join.noun, "t": join.child.noun, "n": Count(value), "a": "an " if value in {8, 11, 18} else "a ",
        "u": unit if value != 1 else replace(unit, many=unit.one),
    }  # fmt: skip
    graded = join.child.noun.one in {"review", "rating", "评论", "评价"} and not join.parent.noun.person
    sql = f"SELECT DISTINCT {columns(join.parent.names, True)} FROM {join.source} WHERE {column.number(True)} = {value}"
    return Draft(sql, Phrase("sized-parents", slots, "review" if graded else ""))


def _sized_count(draw: Draw) -> Draft:
    table, where, slots, rule = _sized(draw)
    return Draft(f"{select('COUNT(*)', table)} WHERE {where}", Phrase(f"{rule}-count", slots))


def _kinds(draw: Draw, table: TableFacts) -> Selection:
    """``SELECT COUNT(DISTINCT city) FROM customer``; what has a table of its own would be counted by its rows."""
    counted = {t.noun.one for t in draw.frame.tables}
    column = draw.category(table)
    if column.noun.one in counted or column.noun.several:
        raise NothingToDraw
    owners = [t for t in draw.frame.tables if any(c.noun.one == column.noun.one for c in t.columns)]
    only = column.meaning in {"place", "kind"} and len(owners) == 1
    meaning = "only" if only else "from" if column.meaning == "place" and table.noun.person else ""
    return Selection(lambda rows: f"COUNT(DISTINCT {column.sql})", Phrase("kinds", {"c": column.noun}, meaning))


def _with_children(draw: Draw) -> Draft:
    """``SELECT COUNT(DISTINCT customer_id) FROM orders``: how many customers have orders, not how many orders."""
    join = draw.join(lambda join: join.many and join.plain)
    said = Phrase("kinds-with", {"t": join.parent.noun, "k": join.child.noun}, verb_of(join))
    return Draft(f"SELECT COUNT(DISTINCT {join.key.sql}) FROM {join.child.sql}", said)


AMOUNTS: dict[str, Structure] = {
    "sized-entities": _sized_entities,
    "sized-parents": _sized_parents,
    "sized-count": _sized_count,
    "kinds": asking(_kinds),
    "kinds-if": asking(_kinds, any_plain),
    "kinds-with": _with_children,
}
