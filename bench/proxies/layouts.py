"""The databases of a field: which things are there, which table holds which column, and what all is called.

Three of each field: ``a`` has everything, some categories in tables of their own, names in full; ``b`` other names in
capitals, dates with times, numbers in texts; ``c`` shortened names (in Chinese: English ones) and two columns of the
first thing in a table beside it. ``b`` and ``c`` lack a thing that nothing refers to, and some columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .content import Column, Field, Thing

__all__ = ["LETTERS", "Edge", "Layout", "Placed", "PlacedThing", "layout"]

LETTERS = ("a", "b", "c")
_SHORT = {
    "customer": "cust", "number": "no", "amount": "amt", "quantity": "qty", "department": "dept", "date": "dt",
    "account": "acct", "product": "prod", "store": "str", "price": "prc", "payment": "pay", "method": "mth",
    "category": "cat", "level": "lvl", "count": "cnt", "year": "yr", "booking": "bkg", "flight": "flt", "order": "ord",
    "purchase": "purch", "sales": "sls", "teacher": "tchr", "student": "stud", "course": "crs", "hotel": "htl",
    "patient": "pat", "doctor": "doc", "visit": "vst", "country": "ctry", "city": "city", "match": "mtch",
    "player": "plyr", "team": "team", "station": "stn", "reading": "rdg", "household": "hh", "machine": "mach",
    "member": "mbr", "branch": "brch", "author": "auth", "book": "bk", "loan": "ln", "driver": "drv", "truck": "trk",
    "status": "stat", "type": "typ", "name": "nm", "average": "avg", "rate": "rt", "balance": "bal",
}  # fmt: skip


@dataclass(frozen=True)
class Placed:
    """A column in a table; ``style`` is how its cells are kept, by kind: a flag's yes and no, a date's form, a text."""

    column: Column
    table: str
    name: str
    style: str = ""

    @property
    def full(self) -> str:
        """Return its dotted name."""
        return f"{self.table}.{self.name}"

    @property
    def sql(self) -> str:
        """Return it as it is reckoned with."""
        return f"CAST({self.full} AS REAL)" if self.style == "text" else self.full


@dataclass(frozen=True)
class Edge:
    """A key of one table that refers to another's."""

    table: str
    column: str
    other: str
    key: str


@dataclass(frozen=True)
class PlacedThing:
    """A thing's table with its key and the column of its names or codes."""

    thing: Thing
    table: str
    key: str
    label: str
    columns: Mapping[str, Placed]
    links: Mapping[str, str]

    def own(self, name: str) -> str:
        """Return the dotted name of its key or label."""
        return f"{self.table}.{name}"


@dataclass(frozen=True)
class Layout:
    """One database; ``edges`` lead from a row to the one row that it belongs to."""

    name: str
    field: Field
    letter: str
    language: str
    things: Mapping[str, PlacedThing]
    edges: tuple[Edge, ...]
    lookups: Mapping[str, str]
    beside: str

    @property
    def tables(self) -> set[str]:
        """Return the names of all tables, none of which has no key that refers, or is referred to."""
        return {name for edge in self.edges for name in (edge.table, edge.other)}

    def parents(self, name: str) -> Iterator[str]:
        """Yield the things that a thing belongs to and that are here."""
        yield from (link for link in self.things[name].thing.links if link in self.things)

    def children(self, name: str) -> Iterator[str]:
        """Yield the things that belong to it."""
        yield from (one for one in self.things if name in self.things[one].links)


def layout(field: Field, letter: str, language: str) -> Layout:
    """Return one of a field's databases."""
    place = LETTERS.index(letter)
    kept = _kept(field, place)
    things = {name: _placed(field, thing, kept, place, language) for name, thing in kept.items()}
    first = next(iter(things))
    beside = _beside(things[first], place, language)
    edges = [
        Edge(one.table, column, things[link].table, things[link].key)
        for one in things.values()
        for link, column in one.links.items()
    ]
    if beside:
        columns = list(things[first].columns.items())
        apart = {key: Placed(one.column, beside, one.name, one.style) for key, one in columns[-2:]}
        old = things[first]
        things[first] = PlacedThing(old.thing, old.table, old.key, old.label, {**old.columns, **apart}, old.links)
        edges.append(Edge(old.table, old.key, beside, old.key))
    lookups = {
        one.table: thing.table
        for thing in things.values()
        for one in thing.columns.values()
        if one.table not in (thing.table, beside)
    }
    for lookup, table in lookups.items():
        edges.append(Edge(table, _key_of(lookup, place, language), lookup, _key_of(lookup, place, language)))
    return Layout(f"{field.name}_{letter}", field, letter, language, things, tuple(edges), lookups, beside)


def _kept(field: Field, place: int) -> dict[str, Thing]:
    """Return the things of a layout: all, or without one that nothing refers to."""
    leaves = [name for name in field.things if not any(name in one.links for one in field.things.values())]
    left_out = {1: leaves[-1:], 2: leaves[:1]}.get(place, [])
    kept = {name: thing for name, thing in field.things.items() if name not in left_out}
    needed = {link for thing in kept.values() for link in thing.links}
    alone = [name for name, thing in kept.items() if not thing.links and name not in needed]
    return {name: thing for name, thing in kept.items() if name not in alone}


def _placed(field: Field, thing: Thing, kept: Mapping[str, Thing], place: int, language: str) -> PlacedThing:
    table = _table(thing, place, language)
    columns: dict[str, Placed] = {}
    for number, (name, column) in enumerate(thing.columns.items()):
        if place and len(thing.columns) > 3 and number == place + 1:
            continue  # which columns are missing differs between the databases
        called = _called(column.words, place, language)
        own = f"{table}_{called}" if language == "en" or place == 2 else f"{table}{called}"
        lookup = column.lookup and place == 0
        columns[name] = Placed(column, own if lookup else table, called, _style(column, place, language))
    links = {link: _key(field.things[link], place, language) for link in thing.links if link in kept}
    return PlacedThing(thing, table, _key(thing, place, language), _label(thing, place, language), columns, links)


def _beside(thing: PlacedThing, place: int, language: str) -> str:
    if place != 2 or len(thing.columns) < 3:
        return ""
    return f"{thing.table}_info" if language == "en" else f"{thing.table}_details"


def _style(column: Column, place: int, language: str) -> str:
    if column.kind == "flag":
        ways = ("1/0", "Y/N", "yes/no") if language == "en" else ("1/0", "是/否", "Y/N")
        return ways[place]
    if column.kind == "date":
        return ("day", "time", "day")[place]
    if column.kind == "number":
        return "text" if column.text and place == 1 else ""
    return "title" if place == 1 and language == "en" else ""


def _called(words: Mapping[str, tuple[str, ...]], place: int, language: str) -> str:
    if language == "zh" and place < 2:
        return words["zh"][place]
    return _spelt(words["en"][0 if place != 1 else 1], place, language)


def _spelt(text: str, place: int, language: str) -> str:
    parts = re.findall(r"[a-z0-9]+", text.lower())
    if place == 1 and language == "en":
        return "".join(part.capitalize() for part in parts)
    if place == 2 and language == "en":
        parts = [_SHORT.get(part, part if len(part) < 6 else part[:4]) for part in parts]
    return "_".join(parts)


def _table(thing: Thing, place: int, language: str) -> str:
    if language == "zh" and place < 2:
        return thing.words["zh"][0] if place == 0 else f"{thing.words['zh'][2]}表"
    return _spelt(thing.words["en"][(1, 2, 0)[place] if language == "en" else 1], place, language)


def _key(thing: Thing, place: int, language: str) -> str:
    if language == "zh" and place < 2:
        return f"{thing.words['zh'][0]}编号" if place == 0 else f"{thing.words['zh'][2]}ID"
    stem = _spelt(thing.words["en"][2 if place == 1 and language == "en" else 0], place, language)
    return f"{stem}Id" if place == 1 and language == "en" else f"{stem}_id"


def _label(thing: Thing, place: int, language: str) -> str:
    if language == "zh" and place < 2:
        return f"{thing.words['zh'][0]}单号" if thing.code else "姓名" if thing.person else "名称"
    if place == 1 and language == "en":
        return "RefNo" if thing.code else "FullName" if thing.person else "Name"
    if place == 2 and language == "en":
        return "ref_no" if thing.code else "full_nm" if thing.person else "nm"
    return "reference_number" if thing.code else "full_name" if thing.person else "name"


def _key_of(lookup: str, place: int, language: str) -> str:
    return f"{lookup}编号" if language == "zh" and place < 2 else f"{lookup}_id"
