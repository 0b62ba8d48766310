"""Conditions on the rows of one table, by its own columns."""

from functools import partial

from ..facts.facts import ColumnFacts, TableFacts
from ..facts.writing import literal
from .conditions import Filter, FilterOf, said_of
from .draws import Draw, NothingToDraw
from .nulls import null
from .phrases import Phrase, Text
from .spans import SPANS, bounded, in_span

_COMPARISONS = {"gt": ">", "lt": "<", "ge": ">=", "le": "<="}


def equal(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``city = 'Paris'``, now and then a number of few values."""
    small = [c for c in table.having("number") if 0 < len(c.values) <= 12 and isinstance(c.values[0], int)]
    years = table.having("year")
    if (small or years) and draw.chance(0.2):
        column = draw.one([c for c in (*small, *years) if c not in draw.drawn])
        draw.drawn.append(column)
        value = draw.one(column.values)
        return Filter(f"{column.number(qualified)} = {literal(value)}", said_of("eq", table, column, v=str(value)))
    return text_equal(draw, table, qualified)


def text_equal(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``city = 'Paris'``."""
    column = _text(draw, table)
    value = draw.value(column)
    return Filter(f"{column.ref(qualified)} = {literal(value)}", said_of("eq", table, column, v=Text(value)))


def _text(draw: Draw, table: TableFacts) -> ColumnFacts:
    categories = [c for c in table.having("category") if c not in draw.drawn]
    texts = [c for c in table.having("text") if c not in draw.drawn]
    column = draw.one(categories if categories and (not texts or draw.chance(0.75)) else texts)
    draw.drawn.append(column)
    return column


def _unequal(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    column = draw.category(table)
    value = draw.value(column)
    return Filter(f"{column.ref(qualified)} != {literal(value)}", said_of("ne", table, column, v=Text(value)))


def _in_list(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    column = draw.category(table)
    one, two = draw.value(column), draw.value(column)
    if one == two:
        raise NothingToDraw
    ref, values = column.ref(qualified), [literal(one), literal(two)]
    where = f"{ref} = {values[0]} OR {ref} = {values[1]}" if draw.chance(0.5) else f"{ref} IN ({', '.join(values)})"
    return Filter(where, said_of("either", table, column, v=Text(one), w=Text(two)))


def number(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``price > 20``, or another comparison."""
    column = draw.number(table)
    value, kind = literal(draw.threshold(column)), draw.one(["gt", "gt", "lt", "lt", "ge", "le"])
    return Filter(f"{column.number(qualified)} {_COMPARISONS[kind]} {value}", said_of(kind, table, column, v=value))


def between(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``price BETWEEN 5 AND 10``."""
    column = draw.number(table)
    low, high = sorted((draw.threshold(column), draw.threshold(column)))
    if low == high:
        raise NothingToDraw
    where = f"{column.number(qualified)} BETWEEN {literal(low)} AND {literal(high)}"
    return Filter(where, said_of("between", table, column, v=literal(low), w=literal(high)))


def _like(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    options = [c for c in table.columns if c.role in {"text", "category"} and c not in draw.drawn]
    column = draw.one(options)
    draw.drawn.append(column)
    value = draw.value(column)
    kind = draw.one(["contains", "contains", "starts", "ends"])
    part = draw.one(_parts(value, kind))
    pattern = {"contains": f"%{part}%", "starts": f"{part}%", "ends": f"%{part}"}[kind]
    where = f"{column.ref(qualified)} LIKE {literal(pattern)}"
    return Filter(where, said_of(kind, table, column, v=Text(part)))


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


def any_own(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """Return a condition of one column, of the kinds asked most."""
    return draw.one([equal, equal, equal, number, number, in_span, bounded])(draw, table, qualified)


def any_plain(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """Return a condition of one column as people say it in passing: none of them names a moment."""
    return draw.one([equal, equal, number, between, bounded, in_span])(draw, table, qualified)


def _two(draw: Draw, table: TableFacts, qualified: bool, *, word: str) -> Filter:
    one, two = any_own(draw, table, qualified), any_own(draw, table, qualified)
    said = Phrase(word.lower(), {"t": table.noun, "x": one.said, "y": two.said})
    return Filter(f"{one.where} {word} {two.where}", said)


OWN: dict[str, FilterOf] = {
    "eq": equal,
    "ne": _unequal,
    "in-list": _in_list,
    "number": number,
    "between": between,
    "like": _like,
    "null": null,
    **SPANS,
    "and": partial(_two, word="AND"),
    "or": partial(_two, word="OR"),
}
"""Conditions by what their SQL looks like."""
