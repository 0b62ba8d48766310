"""The databases of a field: which things are there, which table holds which column, and what all is called.

Three of each field: ``a`` has everything, some categories in tables of their own, names in full; ``b`` other names in
capitals, dates with times, numbers in texts; ``c`` shortened names (in Chinese: English ones) and two columns of the
first thing in a table beside it. ``b`` and ``c`` lack a thing that nothing refers to, and some columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .content import Column, Field, Texts, Thing

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
_LABELS = (("reference_number", "full_name", "name"), ("RefNo", "FullName", "Name"), ("ref_no", "full_nm", "nm"))


@dataclass(frozen=True)
class Placed:
    """A column in a table; ``style`` is how its cells are kept, by kind: a flag's yes and no, a date's form, a text."""

    column: Column
    table: str
    name: str
    style: str
    language: str

    @property
    def word(self) -> str:
        """Return what people call it."""
        return self.column.words[self.language][0]

    @property
    def values(self) -> Sequence[str]:
        """Return those of a category, as people say them."""
        return self.column.values[self.language]

    def phrase(self, name: str) -> str:
        """Return one of its phrases.

        Raises:
            KeyError: it has no such phrase.
        """
        return self.column.phrases[name][self.language]

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
    language: str

    @property
    def words(self) -> Sequence[str]:
        """Return what people call it, see `Thing`."""
        return self.thing.words[self.language]

    @property
    def many(self) -> str:
        """Return what people call several of them."""
        return self.words[1] if self.language == "en" else self.words[0]

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


class _Naming:
    """How a database calls things: in full, in capitals, shortened; in Chinese two words, and the third in English."""

    def __init__(self, place: int, language: str) -> None:
        self.place, self.language = place, language
        self._chinese = language == "zh" and place < 2
        self._way = place if language == "en" or self._chinese else 0

    def _spelt(self, text: str) -> str:
        parts = re.findall(r"[a-z0-9]+", text.lower())
        if self._way == 1:
            return "".join(part.capitalize() for part in parts)
        if self._way == 2:
            parts = [_SHORT.get(part, part if len(part) < 6 else part[:4]) for part in parts]
        return "_".join(parts)

    def column(self, words: Texts) -> str:
        return words["zh"][self._way] if self._chinese else self._spelt(words["en"][self._way == 1])

    def table(self, thing: Thing) -> str:
        one, _, other, *_ = thing.words["zh"]
        return (one, f"{other}表")[self._way] if self._chinese else self._spelt(thing.words["en"][(1, 2, 0)[self._way]])

    def lookup(self, table: str, column: str) -> tuple[str, str]:
        """Return the table of a column's values, and its key."""
        name = f"{table}{column}" if self._chinese else f"{table}_{column}"
        return name, f"{name}编号" if self._chinese else f"{name}_id"

    def key(self, thing: Thing) -> str:
        one, _, other, *_ = thing.words["zh"]
        if self._chinese:
            return (f"{one}编号", f"{other}ID")[self._way]
        return f"{self._spelt(thing.words['en'][2])}Id" if self._way == 1 else f"{self._spelt(thing.words['en'][0])}_id"

    def label(self, thing: Thing) -> str:
        names = (f"{thing.words['zh'][0]}单号", "姓名", "名称") if self._chinese else _LABELS[self._way]
        return names[0 if thing.code else 1 if thing.person else 2]


def layout(field: Field, letter: str, language: str) -> Layout:
    """Return one of a field's databases."""
    place = LETTERS.index(letter)
    naming, kept = _Naming(place, language), _kept(field, place)
    things = {name: _placed(field, thing, kept, naming) for name, thing in kept.items()}
    first, one = next(iter(things.items()))
    beside = "" if place != 2 or len(one.columns) < 3 else one.table + ("_info" if language == "en" else "_details")
    edges = [
        Edge(one.table, column, things[link].table, things[link].key)
        for one in things.values()
        for link, column in one.links.items()
    ]
    if beside:
        apart = {key: replace(placed, table=beside) for key, placed in list(one.columns.items())[-2:]}
        things[first] = replace(one, columns={**one.columns, **apart})
        edges.append(Edge(one.table, one.key, beside, one.key))
    lookups: dict[str, str] = {}
    for one in things.values():
        for column in one.columns.values():
            table, key = naming.lookup(one.table, column.name)
            if column.table == table:
                lookups[table] = one.table
                edges.append(Edge(one.table, key, table, key))
    return Layout(f"{field.name}_{letter}", field, letter, language, things, tuple(edges), lookups, beside)


def _kept(field: Field, place: int) -> dict[str, Thing]:
    """Return the things of a layout: all, or without one that nothing refers to."""
    leaves = [name for name in field.things if not any(name in one.links for one in field.things.values())]
    left_out = {1: leaves[-1:], 2: leaves[:1]}.get(place, [])
    kept = {name: thing for name, thing in field.things.items() if name not in left_out}
    needed = {link for thing in kept.values() for link in thing.links}
    alone = [name for name, thing in kept.items() if not thing.links and name not in needed]
    return {name: thing for name, thing in kept.items() if name not in alone}


def _placed(field: Field, thing: Thing, kept: Mapping[str, Thing], naming: _Naming) -> PlacedThing:
    table = naming.table(thing)
    columns: dict[str, Placed] = {}
    for number, (name, column) in enumerate(thing.columns.items()):
        if naming.place and len(thing.columns) > 3 and number == naming.place + 1:
            continue  # which columns are missing differs between the databases
        called = naming.column(column.words)
        holder = naming.lookup(table, called)[0] if column.lookup and not naming.place else table
        columns[name] = Placed(column, holder, called, _style(column, naming.place, naming.language), naming.language)
    links = {link: naming.key(field.things[link]) for link in thing.links if link in kept}
    return PlacedThing(thing, table, naming.key(thing), naming.label(thing), columns, links, naming.language)


def _style(column: Column, place: int, language: str) -> str:
    if column.kind == "flag":
        ways = ("1/0", "Y/N", "yes/no") if language == "en" else ("1/0", "是/否", "Y/N")
        return ways[place]
    if column.kind == "date":
        return ("day", "time", "day")[place]
    if column.kind == "number":
        return "text" if column.text and place == 1 else ""
    return "title" if place == 1 and language == "en" else ""
