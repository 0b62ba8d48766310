"""Fills the slots of a template on one database, so that the gold query says something."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .layouts import Layout, Placed, PlacedThing
from .phrases import Condition, above, draw_period, flagged, is_value, period, things
from .queries import Query, Term, column, term

__all__ = ["NoDraw", "Scene", "Slots", "draw_condition", "filled", "says", "threshold"]

_SLOT = re.compile(r"\{([^{}]+)\}")


class NoDraw(Exception):
    """This template says nothing with what was drawn."""


@dataclass(frozen=True)
class Scene:
    """A database to draw from."""

    layout: Layout
    database: sqlite3.Connection

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return what a query returns."""
        return self.database.execute(sql).fetchall()

    def cells(self, placed: Placed) -> list[Any]:
        """Return a column's cells that are there."""
        own = column(placed).sql
        return [cell for (cell,) in self.rows(f"SELECT {own} FROM {placed.table} WHERE {placed.full} IS NOT NULL")]

    def labels(self, thing: PlacedThing) -> list[str]:
        """Return the names or codes of a thing's rows."""
        return [cell for (cell,) in self.rows(f"SELECT {thing.label} FROM {thing.table}")]


@dataclass
class Slots:
    """What was drawn: SQL and words by slot, and the things, columns and conditions behind them."""

    terms: dict[str, Term] = field(default_factory=dict[str, Term])
    words: dict[str, str] = field(default_factory=dict[str, str])
    things: dict[str, PlacedThing] = field(default_factory=dict[str, PlacedThing])
    columns: dict[str, Placed] = field(default_factory=dict[str, Placed])
    conditions: list[Condition] = field(default_factory=list[Condition])

    def say(self, wording: str) -> str:
        """Fill a wording.

        Raises:
            KeyError: there is no such slot.
        """
        text = _SLOT.sub(lambda found: self.words[found[1]], wording)
        return text[0].upper() + text[1:]


def says(scene: Scene, query: Query, *, sifts: bool = True) -> bool:
    """Does a query run and return something, does each condition change it, and is nobody cut off by a tie?"""
    rows = scene.rows(query.sql(scene.layout))
    if not rows or not any(cell not in (None, 0) for row in rows for cell in row) or len(rows) > 150:
        return False
    if any(cell is None for row in rows for cell in row):
        return False
    if sifts:
        for place, one in enumerate(query.where):
            if "IS NOT NULL" not in one.sql and scene.rows(query.without(place).sql(scene.layout)) == rows:
                return False
    if query.order is not None and (query.limit or query.ordered):
        return not _ties(scene, query)
    return True


def _ties(scene: Scene, query: Query) -> bool:
    order = query.order
    assert order is not None
    value = re.sub(r" (ASC|DESC)$", "", order.sql)
    shown = Query(query.base, (Term(value, order.tables),), query.where, query.group, query.having, order)
    values = [cell for (cell,) in scene.rows(shown.sql(scene.layout))]
    if not query.limit:
        return len(set(values)) < len(values)
    first = int(query.offset or 0)
    last = first + int(query.limit)
    cut = [place for place in (first, last) if 0 < place < len(values)]
    return len(values) < last or None in values[:last] or any(values[place - 1] == values[place] for place in cut)


def draw_condition(
    scene: Scene, thing: PlacedThing, kind: str, used: Sequence[Placed], rng: random.Random
) -> Condition:
    """Draw a condition of a kind (``any`` for one of all) on a column that is not used yet.

    Raises:
        NoDraw: there is no such column.
    """
    language = scene.layout.language
    offered = [one for one in thing.columns.values() if one not in used and kind in ("any", one.column.kind)]
    if not offered:
        raise NoDraw(kind)
    placed = rng.choice(offered)
    if placed.column.kind == "category":
        return is_value(placed, _value(scene, placed, rng), language)
    if placed.column.kind == "flag":
        return flagged(placed, rng.random() < 0.7, language)
    if placed.column.kind == "date":
        return period(placed, draw_period(placed.column.date, language, rng), language)
    return above(placed, threshold(scene.cells(placed), rng), rng.random() < 0.6, language)


def _value(scene: Scene, placed: Placed, rng: random.Random) -> str:
    present = {str(cell).lower() for cell in scene.cells(placed)}
    return rng.choice([v for v in placed.column.values[scene.layout.language] if v.lower() in present])


def threshold(cells: Sequence[float], rng: random.Random, low: float = 0.25, high: float = 0.75) -> str:
    """Return a round number that parts the cells and is none of them, so that «above» and «from» agree."""
    some = sorted(float(cell) for cell in cells)
    wanted = some[int(len(some) * rng.uniform(low, high))]
    whole = all(number.is_integer() for number in some)
    steps = [10 ** (len(str(int(abs(wanted)))) - 2) * 5, 10.0, 5.0, 1.0, 0.5]
    there = set(some)
    for step in [1.0] if 1800 < wanted < 2030 else [s for s in steps if s >= 1 or not whole]:
        near = round(wanted / step) * step
        for number in (near, near + step, near - step):
            if number not in there and some[0] < number < some[-1]:
                return f"{number:g}" if number % 1 else str(int(number))
    return str(int(wanted))


def filled(template: Mapping[str, Any], scene: Scene, rng: random.Random) -> tuple[Slots, Query]:
    """Draw all slots of a template and return them with the gold query.

    Raises:
        NoDraw: what was drawn has no answer worth asking for.
    """
    slots = Slots()
    names = set(_names(template))
    try:
        for step in (_draw_things, _draw_columns, _draw_values):
            step(template, scene, slots, names, rng)
        query = _query(template, scene, slots, rng)
    except KeyError as error:
        raise NoDraw(str(error)) from error
    if not says(scene, query):
        raise NoDraw("says nothing")
    return slots, query


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _SLOT.findall(value)
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _names(one)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _names(one)


def _draw_things(
    template: Mapping[str, Any], scene: Scene, slots: Slots, names: set[str], rng: random.Random
) -> None:
    layout, wanted = scene.layout, template.get("need", {}).get("t", "any")
    roots = {name.split(".")[0].split(":")[0] for name in names}
    kind = {"named": False, "coded": True}.get(wanted)
    offered = [name for name, one in layout.things.items() if kind is None or bool(one.thing.code) == kind]
    rng.shuffle(offered)
    for name in offered:
        parents = list(layout.parents(name))
        if roots & {"p", "ps", "pname", "pc", "pn", "pTS", "pcl"}:
            if not parents:
                continue
            parent = rng.choice(parents)
            _put_thing(slots, "p", layout, parent)
            slots.terms["t.p"] = _full(layout.things[name], layout.things[name].links[parent])
            if roots & {"q", "qs"}:
                others = [other for other in layout.children(parent) if other != name]
                if not others:
                    continue
                other = rng.choice(others)
                _put_thing(slots, "q", layout, other)
                slots.terms["q.p"] = _full(layout.things[other], layout.things[other].links[parent])
        _put_thing(slots, "t", layout, name)
        return
    raise NoDraw("no such thing")


def _full(thing: PlacedThing, name: str) -> Term:
    return Term(f"{thing.table}.{name}", frozenset({thing.table}))


def _put_thing(slots: Slots, letter: str, layout: Layout, name: str) -> None:
    thing = layout.things[name]
    words = thing.thing.words[layout.language]
    slots.things[letter] = thing
    slots.terms |= {
        f"{letter}.table": Term(thing.table),
        f"{letter}.key": _full(thing, thing.key),
        f"{letter}.label": _full(thing, thing.label),
    }
    english = layout.language == "en"
    slots.words |= {letter: words[0], f"{letter}s": words[1] if english else words[0]}
    classifier = "cl" if letter == "t" else f"{letter}cl"
    slots.words[classifier] = "" if english else words[1]
    if letter == "t":
        code = ("reference number", "reference numbers") if thing.thing.code else ("name", "names")
        slots.words |= {"label": code[0], "labels": code[1]}
        if not english:
            label = "单号" if thing.thing.code else "姓名" if thing.thing.person else "名称"
            slots.words |= {"label": label, "labels": label}


_KINDS = {"n": "number", "m": "number", "c": "category", "d": "date", "f": "flag"}


def _draw_columns(
    template: Mapping[str, Any], scene: Scene, slots: Slots, names: set[str], rng: random.Random
) -> None:
    roots = {name.split(".")[0].removeprefix("TS:") for name in names}
    roots |= {"c"} if roots & {"v", "w"} else set()
    for letter, kind in _KINDS.items():
        if letter in roots:
            _put_column(template, scene, slots, letter, (slots.things["t"], kind), rng)
    for letter, kind in (("pc", "category"), ("pn", "number")):
        if letter in roots or (letter == "pc" and roots & {"u", "pTS"}):
            _put_column(template, scene, slots, letter, (slots.things["p"], kind), rng)


def _put_column(
    template: Mapping[str, Any],
    scene: Scene,
    slots: Slots,
    letter: str,
    where: tuple[PlacedThing, str],
    rng: random.Random,
) -> None:
    thing, kind = where
    wanted = template.get("need", {}).get(letter, "")
    used = slots.columns.values()
    offered = [
        one
        for one in thing.columns.values()
        if one.column.kind == kind and one not in used and _fits(one, thing, wanted)
    ]
    if not offered:
        raise NoDraw(f"no {letter}")
    placed = rng.choice(offered)
    language = scene.layout.language
    slots.columns[letter], slots.terms[letter] = placed, column(placed)
    slots.words[letter] = placed.column.words[language][0]
    for side in ("top", "low"):
        if side in placed.column.phrases:
            slots.words[f"{letter}.{side}"] = placed.column.phrases[side][language]
    if kind == "date":
        for unit, form in (("year", "%Y"), ("month", "%m")):
            slots.terms[f"{letter}.{unit}"] = Term(f"STRFTIME('{form}', {placed.full})", frozenset({placed.table}))
    if kind == "flag":
        condition = flagged(placed, True, language)
        slots.terms["f.yes"] = Term(condition.term.sql.rsplit(" = ", 1)[1])
        slots.words["TS:f"] = things(scene.layout, slots.things["t"], [condition])


def _fits(placed: Placed, thing: PlacedThing, wanted: str) -> bool:
    column = placed.column
    year = column.kind == "number" and column.number[0] > 1800 and column.number[1] < 2030  # is not added up
    tests = {
        "": not year,
        "summed": column.summed,
        "top": "top" in column.phrases,
        "low": "low" in column.phrases,
        "missing": column.missing > 0,
        "whole": column.missing == 0 and not year,
        "own": placed.table == thing.table and not year,
    }
    return tests[wanted]


def _draw_values(
    template: Mapping[str, Any], scene: Scene, slots: Slots, names: set[str], rng: random.Random
) -> None:
    language, things_ = scene.layout.language, slots.things
    if "c" in slots.columns and names & {"v", "w", "TS:v", "TS:w"}:
        placed = slots.columns["c"]
        chosen = [_value(scene, placed, rng) for _ in range(2)]
        if chosen[0] == chosen[1]:
            raise NoDraw("one value")
        for letter, value in zip("vw", chosen, strict=True):
            condition = is_value(placed, value, language)
            slots.words |= {letter: value, f"TS:{letter}": things(scene.layout, things_["t"], [condition])}
            slots.terms[letter] = Term(condition.term.sql.rsplit(" = ", 1)[1].strip("'"))
    if "pc" in slots.columns and names & {"u", "pTS"}:
        condition = is_value(slots.columns["pc"], _value(scene, slots.columns["pc"], rng), language)
        slots.words["pTS"] = things(scene.layout, things_["p"], [condition])
        slots.terms["u"] = Term(condition.term.sql.rsplit(" = ", 1)[1].strip("'"))
    for letter, slot in (("t", "name"), ("p", "pname")):
        if slot in names:
            _put(slots, slot, rng.choice(scene.labels(things_[letter])))
    if "initial" in names:
        _put(slots, "initial", rng.choice(scene.labels(things_["t"]))[0])
    if "n" in slots.columns:
        _draw_numbers(scene, slots, names, rng)
    if "k" in names:
        _put(slots, "k", str(rng.choice((2, 3, 4, 5) if template.get("limit") else (2, 3, 4, 5, 8, 10, 20, 30))))
    if names & {"y", "d.inyear"}:
        placed = slots.columns["d"]
        year = rng.randint(*placed.column.date)
        _put(slots, "y", str(year))
        bounds = f"{placed.full} >= '{year}-01-01' AND {placed.full} < '{year + 1}-01-01'"
        slots.terms["d.inyear"] = Term(bounds, frozenset({placed.table}))


def _draw_numbers(scene: Scene, slots: Slots, names: set[str], rng: random.Random) -> None:
    cells = scene.cells(slots.columns["n"])
    if "xx" in names:
        _put(slots, "x", threshold(cells, rng, 0.2, 0.45))
        _put(slots, "xx", threshold(cells, rng, 0.55, 0.85))
    mean = sum(cells) / len(cells)
    if "xa" in names:
        _put(slots, "xa", threshold([mean * share for share in (0.9, 0.95, 1, 1.03, 1.1)], rng))
    if "xs" in names:
        rows = len(scene.labels(slots.things["t"])) / max(1, len(scene.labels(slots.things["p"])))
        _put(slots, "xs", threshold([mean * rows * share for share in (0.5, 0.8, 1, 1.3, 2)], rng))


def _put(slots: Slots, name: str, text: str) -> None:
    slots.words[name] = text
    slots.terms[name] = Term(text.replace("'", "''"))


def _query(template: Mapping[str, Any], scene: Scene, slots: Slots, rng: random.Random) -> Query:
    """Return the query of a template's clauses, its conditions drawn, subquery first."""
    conditions: list[Condition] = []
    if "sub" in template:
        inner = _query(template["sub"], scene, slots, rng)
        conditions = slots.conditions
        slots.terms["sub"] = Term(f"({inner.sql(scene.layout)})")
    elif "if" in template:
        used = list(slots.columns.values())
        for kind in template["if"]:
            conditions.append(draw_condition(scene, slots.things["t"], kind, used, rng))
            used.append(conditions[-1].placed)
        slots.conditions = conditions
    slots.words["TS"] = things(scene.layout, slots.things["t"], conditions)
    own = () if "sub" in template else tuple(one.term for one in conditions)

    def clauses(name: str) -> tuple[Term, ...]:
        return tuple(term(text, slots.terms) for text in template.get(name, ()))

    def clause(name: str) -> Term | None:
        return term(template[name], slots.terms) if name in template else None

    return Query(
        base=slots.things[template.get("base", "t")].table,
        select=clauses("select"),
        where=(*clauses("where"), *own),
        group=clauses("group"),
        having=clause("having"),
        order=clause("order"),
        limit=_number(template.get("limit", ""), slots),
        offset=template.get("offset", ""),
        distinct=template.get("distinct", False),
        alone=template.get("bare", False),
        ordered=template.get("ordered", False),
    )


def _number(text: str, slots: Slots) -> str:
    return term(text, slots.terms).sql if text else ""
