"""Conditions on the rows of one table, by its own columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from .draws import Draw, NothingFits
from .facts import ColumnFacts, TableFacts
from .periods import period
from .phrases import Phrase, Text
from .writing import literal

__all__ = ["OWN", "Filter", "FilterOf", "any_own", "equal", "number", "text_equal"]


@dataclass(frozen=True)
class Filter:
    """A condition.

    Attributes:
        where: what stands behind WHERE.
        said: the condition, to stand behind its noun.
        source: the FROM it needs where that is more than the table; columns are qualified then.
        repeats: rows of the table may come more than once.
    """

    where: str
    said: Phrase
    source: str = ""
    repeats: bool = False


FilterOf: TypeAlias = Callable[[Draw, TableFacts, bool], Filter]

_COMPARISONS = {"gt": ">", "lt": "<", "ge": ">=", "le": "<="}


def _said(rule: str, table: TableFacts, column: ColumnFacts, **slots: str | Text) -> Phrase:
    meaning = (
        "" if table.noun.person and column.meaning in {"date", "year"} else column.meaning
    )  # employees are not «of 2005»
    return Phrase(rule, {"t": table.noun, "c": column.noun, **slots}, meaning)


def equal(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``city = 'Paris'``, now and then a number of few values."""
    small = [c for c in table.having("number") if 0 < len(c.values) <= 12 and isinstance(c.values[0], int)]
    years = table.having("year")
    if (small or years) and draw.chance(0.2):
        column = draw.one([c for c in (*small, *years) if c not in draw.drawn])
        draw.drawn.append(column)
        value = draw.one(column.values)
        return Filter(f"{column.ref(qualified)} = {literal(value)}", _said("eq", table, column, v=str(value)))
    return text_equal(draw, table, qualified)


def text_equal(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``city = 'Paris'``."""
    column = _text(draw, table)
    value = draw.value(column)
    return Filter(f"{column.ref(qualified)} = {literal(value)}", _said("eq", table, column, v=Text(value)))


def _text(draw: Draw, table: TableFacts) -> ColumnFacts:
    categories = [c for c in table.having("category") if c not in draw.drawn]
    texts = [c for c in table.having("text") if c not in draw.drawn]
    column = draw.one(categories if categories and (not texts or draw.chance(0.75)) else texts)
    draw.drawn.append(column)
    return column


def _unequal(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    column = draw.category(table)
    value = draw.value(column)
    return Filter(f"{column.ref(qualified)} != {literal(value)}", _said("ne", table, column, v=Text(value)))


def _in_list(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    column = draw.category(table)
    one, two = draw.value(column), draw.value(column)
    if one == two:
        raise NothingFits
    ref, values = column.ref(qualified), [literal(one), literal(two)]
    where = f"{ref} = {values[0]} OR {ref} = {values[1]}" if draw.chance(0.5) else f"{ref} IN ({', '.join(values)})"
    return Filter(where, _said("either", table, column, v=Text(one), w=Text(two)))


def number(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``price > 20``, or another comparison."""
    column = draw.number(table)
    value, kind = literal(draw.threshold(column)), draw.one(["gt", "gt", "lt", "lt", "ge", "le"])
    return Filter(f"{column.ref(qualified)} {_COMPARISONS[kind]} {value}", _said(kind, table, column, v=value))


def _between(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    column = draw.number(table)
    low, high = sorted((draw.threshold(column), draw.threshold(column)))
    if low == high:
        raise NothingFits
    where = f"{column.ref(qualified)} BETWEEN {literal(low)} AND {literal(high)}"
    return Filter(where, _said("between", table, column, v=literal(low), w=literal(high)))


def _like(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    options = [c for c in table.columns if c.role in {"text", "category"} and c not in draw.drawn]
    column = draw.one(options)
    draw.drawn.append(column)
    value = draw.value(column)
    kind = draw.one(["contains", "contains", "starts", "ends"])
    part = draw.one(_parts(value, kind))
    pattern = {"contains": f"%{part}%", "starts": f"{part}%", "ends": f"%{part}"}[kind]
    where = f"{column.ref(qualified)} LIKE {literal(pattern)}"
    return Filter(where, _said(kind, table, column, v=Text(part)))


def _parts(value: str, kind: str) -> list[str]:
    if not value.isascii():
        cuts = {"starts": [value[:1], value[:2]], "ends": [value[-1:], value[-2:]]}
        parts = cuts.get(kind) or [value[i : i + 2] for i in range(len(value) - 1)]
        return [p for p in parts if p.strip() == p and p != value]
    terms = [w for w in value.replace("'", " ").split() if w.isalpha()]
    if kind == "contains":
        return [w for w in terms if len(w) >= 3 and w != value] or (
            [value[1:4]] if value.isalpha() and len(value) > 4 else []
        )
    ends = [value[:1], value[:2]] if kind == "starts" else [value[-1:], value[-2:]]
    return [p for p in ends if p.isalpha() and len(value) > 2]


def _null(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    column = draw.one(
        [c for c in table.columns if c.nulls and c.role not in {"empty", "flag", "key"} and c not in draw.drawn]
    )
    draw.drawn.append(column)
    kind = draw.one(["null", "given"])
    test = "IS NULL" if kind == "null" else "IS NOT NULL"
    return Filter(f"{column.ref(qualified)} {test}", _said(kind, table, column))


def _dated(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    column = draw.one([c for c in table.having("date", "year") if c not in draw.drawn])
    draw.drawn.append(column)
    value = draw.threshold(column)
    kind = draw.one(["after", "before"])
    # the day of a moment will do for «before»; moments later that day are not after it
    day = value[:10] if isinstance(value, str) and kind == "before" else value
    where = f"{column.ref(qualified)} {'>' if kind == 'after' else '<'} {literal(day)}"
    return Filter(where, _said(kind, table, column, v=str(day)))


def _in_period(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``hired LIKE '2024-03%'``: moments fall into it, too."""
    column = draw.one([c for c in table.having("date") if c not in draw.drawn])
    draw.drawn.append(column)
    rule, pattern, period_said = period(str(draw.one(column.values)), draw.catalogue.language, draw.rng)
    return Filter(f"{column.ref(qualified)} LIKE {literal(pattern)}", _said(rule, table, column, v=period_said))


def any_own(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """Return a condition of one column, of the kinds asked most."""
    return draw.one([equal, equal, equal, number, number, _dated, _in_period])(draw, table, qualified)


def _both(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    one, two = any_own(draw, table, qualified), any_own(draw, table, qualified)
    return Filter(f"{one.where} AND {two.where}", Phrase("and", {"t": table.noun, "x": one.said, "y": two.said}))


def _either(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    one, two = any_own(draw, table, qualified), any_own(draw, table, qualified)
    return Filter(f"{one.where} OR {two.where}", Phrase("or", {"t": table.noun, "x": one.said, "y": two.said}))


OWN: dict[str, FilterOf] = {
    "eq": equal,
    "ne": _unequal,
    "in-list": _in_list,
    "number": number,
    "between": _between,
    "like": _like,
    "null": _null,
    "date": _dated,
    "in-period": _in_period,
    "and": _both,
    "or": _either,
}
"""Conditions by what their SQL looks like."""
