"""Queries for the time between two times of a row, and for ages: how long orders took, how old members are."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ...data.schema.plain_names import words
from ...meaning.sql import DurationUnit, age, elapsed
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.writing import literal
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.phrases import Count, Phrase, Slot, Text
from .shape import Structure, columns, names_noun, ranked, select

_BIRTHS = {"born", "出生"}
_BIRTH_WORDS = {"birth", "birthday", "born", "dob", "birthdate"}
_MOSTLY = 0.9  # of the rows in which one time comes before another
_DAYS = (2, 3, 5, 7, 10, 14, 20, 30, 60, 90, 100, 180, 365)
_AGES = (18, 20, 25, 30, 35, 40, 45, 50, 60, 65)


def _elapsed(draw: Draw) -> tuple[TableFacts, str, dict[str, Slot]]:
    """Return a table, the time between two times of its rows, and what is said of them."""
    found = [
        (table, one, other)
        for table in draw.frame.tables
        for one in table.having("date")
        for other in table.having("date")
        if len(one.by_row) == len(other.by_row) and _before(one, other)
    ]
    table, one, other = draw.one(found)
    first, last = one.profile.time, other.profile.time
    if first is None or last is None:
        raise NothingToDraw
    exact = {first.grain, last.grain} == {"second"}
    unit: DurationUnit = draw.one(["days", "hours"]) if exact else "days"
    sql = elapsed(one.sql, first, other.sql, last, "sqlite", unit)
    draw.drawn.extend([one, other])
    slots: dict[str, Slot] = {
        "t": table.noun, "a": one.noun, "b": other.noun, "unit": Phrase(f"unit-{unit}", {}), "c": _called(draw, table),
    }  # fmt: skip
    return table, sql, slots


def _before(one: ColumnFacts, other: ColumnFacts) -> bool:
    """Does one time of a row come before another in nearly all rows?"""
    first, last = one.profile.time, other.profile.time
    if first is None or last is None or one is other or _born(one) or _born(other):
        return False
    both = [(a, b) for a, b in zip(one.by_row, other.by_row, strict=True) if a is not None and b is not None]
    in_order = sum(a <= b for a, b in both) >= _MOSTLY * len(both) and any(a < b for a, b in both)
    return {first.grain, last.grain} <= {"day", "second"} and in_order


def _called(draw: Draw, table: TableFacts) -> Slot:
    return names_noun(draw, table) if table.names else table.noun


def _born(column: ColumnFacts) -> bool:
    said = {*words(column.column.name), *words(column.noun.one)}
    event = column.event is not None and column.event.past in _BIRTHS
    return event or bool(said & _BIRTH_WORDS) or any(sign in column.noun.one for sign in ("出生", "生日"))


def _aged(draw: Draw) -> tuple[TableFacts, str, dict[str, Slot]]:
    """Return a table, the age of its rows at the frame's clock, and what is said of them."""
    now = draw.frame.now
    born = [
        (table, column)
        for table in draw.frame.tables
        if not any(c.kind == "age" for c in table.columns)
        for column in table.having("date", "year")
        if _born(column) and column.days
    ]
    table, column = draw.one(born)
    storage = column.profile.time
    if now is None or storage is None or storage.grain == "month":
        raise NothingToDraw
    draw.clocked = True
    draw.drawn.append(column)
    return table, age(column.sql, storage, "sqlite", now), {"t": table.noun, "c": _called(draw, table)}


@dataclass(frozen=True)
class _Measure:
    """What rows are measured by: how long they took, or their age.

    Attributes:
        name: of its wordings.
        drawn: returns a table, the expression, and what is said of them.
        shown: what stands beside each row's own.
        more: how often it is more than a bound, and not less.
        bounds: that it is compared with.
    """

    name: str
    drawn: Callable[[Draw], tuple[TableFacts, str, dict[str, Slot]]]
    shown: Callable[[TableFacts], tuple[ColumnFacts, ...]]
    more: float
    bounds: tuple[int, ...]


_TOOK = _Measure("took", _elapsed, lambda table: table.identity, 0.7, _DAYS)
_AGE = _Measure("age", _aged, lambda table: table.names, 0.6, _AGES)


def _all(draw: Draw, measure: _Measure, *, function: str) -> Draft:
    """``SELECT AVG(JULIANDAY(shipped) - JULIANDAY(placed)) FROM orders``."""
    table, sql, slots = measure.drawn(draw)
    return Draft(select(f"{function}({sql})", table), Phrase(f"{measure.name}-{function.lower()}", slots))


def _each(draw: Draw, measure: _Measure) -> Draft:
    """``SELECT order_id, JULIANDAY(shipped) - JULIANDAY(placed) FROM orders``."""
    table, sql, slots = measure.drawn(draw)
    shown = measure.shown(table)
    if not shown:
        raise NothingToDraw
    return Draft(select(f"{columns(shown)}, {sql}", table), Phrase(f"{measure.name}-each", slots))


def _over(draw: Draw, measure: _Measure, *, counted: bool) -> Draft:
    """``SELECT COUNT(*) FROM orders WHERE JULIANDAY(shipped) - JULIANDAY(placed) > 7``."""
    table, sql, slots = measure.drawn(draw)
    if not (counted or table.identity):
        raise NothingToDraw
    more, bound = draw.chance(measure.more), draw.one(measure.bounds)
    what = "COUNT(*)" if counted else columns(table.identity)
    rule = f"{measure.name}-{'over' if more else 'under'}{'-count' if counted else ''}"
    query = f"{select(what, table)} WHERE {sql} {'>' if more else '<'} {bound}"
    return Draft(query, Phrase(rule, {**slots, "n": Count(bound)}))


def _by(draw: Draw, measure: _Measure) -> Draft:
    """``SELECT carrier, AVG(JULIANDAY(shipped) - JULIANDAY(placed)) FROM orders GROUP BY carrier``."""
    table, sql, slots = measure.drawn(draw)
    group = draw.category(table)
    query = f"{select(f'{group.sql}, AVG({sql})', table)} GROUP BY {group.sql}"
    return Draft(query, Phrase(f"{measure.name}-by", {**slots, "g": group.noun}))


def _took_longest(draw: Draw) -> Draft:
    """``SELECT order_id FROM orders ORDER BY JULIANDAY(shipped) - JULIANDAY(placed) DESC LIMIT 1``."""
    table, sql, slots = _elapsed(draw)
    if not table.identity:
        raise NothingToDraw
    down = draw.chance(0.75)
    query, ties = ranked(select(columns(table.identity), table), f"({sql})", down, 1)
    return Draft(query, Phrase("took-longest" if down else "took-shortest", slots), ties)


def _age_of(draw: Draw) -> Draft:
    """``SELECT (20240601 - STRFTIME('%Y%m%d', born)) / 10000 FROM member WHERE name = 'Ann'``."""
    table, sql, slots = _aged(draw)
    if len(table.names) != 1:
        raise NothingToDraw
    value = draw.value(table.names[0])
    query = f"{select(sql, table)} WHERE {table.names[0].sql} = {literal(value)}"
    return Draft(query, Phrase("age-of", {**slots, "v": Text(value)}))


DURATIONS: dict[str, Structure] = {
    "elapsed-average": partial(_all, measure=_TOOK, function="AVG"),
    "elapsed-most": partial(_all, measure=_TOOK, function="MAX"),
    "elapsed-each": partial(_each, measure=_TOOK),
    "elapsed-longest": _took_longest,
    "elapsed-over": partial(_over, measure=_TOOK, counted=False),
    "elapsed-over-count": partial(_over, measure=_TOOK, counted=True),
    "elapsed-by": partial(_by, measure=_TOOK),
    "age-average": partial(_all, measure=_AGE, function="AVG"),
    "age-most": partial(_all, measure=_AGE, function="MAX"),
    "age-each": partial(_each, measure=_AGE),
    "age-of": _age_of,
    "age-over": partial(_over, measure=_AGE, counted=False),
    "age-over-count": partial(_over, measure=_AGE, counted=True),
    "age-by": partial(_by, measure=_AGE),
}
