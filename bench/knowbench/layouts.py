"""A structure of a domain under one way of naming: which table and column holds which concept.

A structure lists tables by grain. `one` are tables of one row an entity, the first of them with its name; the others
share its key. `many` have several rows an entity, `detail` several rows a row of the first of `many`. Concepts in
`lookup` stand in a table of their own values, which the entity refers to; tables of `apart` are beside the point.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pypinyin import lazy_pinyin
from sqlglot.tokens import Tokenizer

from .content import Concept, Domain, Thing

__all__ = ["WAYS", "Layout", "Table", "layouts"]

WAYS = {"en": ("plain", "short", "prefixed"), "zh": ("plain", "synonym", "pinyin")}
LOOKUP, ONE, MANY, DETAIL, APART = -1, 0, 1, 2, 9
_WORDS = {word.lower() for word in Tokenizer.KEYWORDS} | {"no"}


@dataclass(frozen=True)
class Table:
    """A table: `columns` by concept, `links` the columns that refer to other tables' keys, by their things."""

    thing: str
    name: str
    grain: int
    key: str
    columns: Mapping[str, str]
    links: Mapping[str, str]


@dataclass(frozen=True)
class Layout:
    """A structure under one way of naming; the first of `tables` that has rows of its own is the entity's."""

    domain: Domain
    structure: str
    language: str
    way: int
    tables: Mapping[str, Table]

    @property
    def name(self) -> str:
        """Of the database."""
        return f"{self.domain.name}_{self.structure}_{WAYS[self.language][self.way]}"

    @property
    def entity(self) -> Table:
        return next(t for t in self.tables.values() if t.grain == ONE)

    @property
    def label(self) -> str:
        """Return the concept that names the entities."""
        return next(c for c in self.entity.columns if self.domain.concepts[c].names)

    def holder(self, concept: str) -> Table | None:
        """Return the table that holds a concept, if any does; what stands apart holds none."""
        return next((t for t in self.tables.values() if concept in t.columns and t.grain != APART), None)

    def path(self, start: str, end: str) -> list[str]:
        """Return the things on the way between two of them along declared keys; the keys make a tree."""
        ways = [[start]]
        for way in ways:
            if way[-1] == end:
                return way
            near = [t for t, table in self.tables.items() if way[-1] in table.links]
            ways += [[*way, t] for t in [*self.tables[way[-1]].links, *near] if t not in way]
        raise LookupError(f"{self.name}: no way from {start} to {end}")

    def edges(self, start: str, ends: Sequence[str]) -> list[tuple[str, str]]:
        """Return (here, there) for each join that links a table to others, in an order that can be written."""
        found: dict[tuple[str, str], None] = {}
        for end in ends:
            found |= dict.fromkeys(pairwise(self.path(start, end)))
        return list(found)


class _Namer:
    """Names of one structure in one way; the odd structures shorten pinyin to initials, where that is a name yet."""

    def __init__(self, domain: Domain, language: str, way: int, initials: bool) -> None:
        self._domain, self._initials = domain, initials
        self._way = WAYS[language][way] if language == "en" or way else "chinese"

    def _latin(self, text: str, taken: Sequence[str]) -> str:
        syllables = lazy_pinyin(text)
        short = "".join(s[0] for s in syllables)
        free = self._initials and len(short) > 1 and short not in taken and short not in _WORDS
        return short if free else "".join(syllables)

    def column(self, concept: Concept, taken: Sequence[str]) -> str:
        plain = concept.name.replace(" ", "_").replace("-", "_").lower()
        named = {"plain": plain, "short": concept.short, "chinese": concept.zh, "synonym": concept.syn}
        named["prefixed"] = f"{_letter(concept, self._domain.whole(concept))}_{plain}"
        return named.get(self._way) or self._latin(concept.zh, taken)

    def table(self, thing: Thing, taken: Sequence[str]) -> str:
        one, many = (noun.replace(" ", "_") for noun in thing.en)
        named = {"plain": many, "short": thing.short, "prefixed": f"t_{one}", "chinese": thing.zh, "synonym": thing.syn}
        return named.get(self._way) or self._latin(thing.zh, taken)

    def key(self, thing: Thing, own: bool) -> str:
        """Return the column of a thing's key, in its own table or in one that refers to it."""
        one = thing.en[0].replace(" ", "_")
        named = {"plain": "id" if own else f"{one}_id", "short": f"{one}_no", "prefixed": f"k_{one}"}
        named |= {"chinese": "编号" if own else f"{thing.zh}编号", "synonym": f"{thing.zh}ID"}
        return named.get(self._way) or f"{self._latin(thing.zh, ())}_id"


def _letter(concept: Concept, whole: bool) -> str:
    if concept.values or concept.names:
        return "s"
    if concept.date or concept.after:
        return "d"
    return "n" if whole else "f"


def _as_thing(concept: Concept) -> Thing:
    """Return the thing whose table a lookup's values make."""
    english = (concept.name, f"{concept.name}_list")
    return Thing(concept.name, english, f"{concept.short}_dict", concept.zh, f"{concept.zh}字典")


def layouts(domain: Domain, language: str) -> Iterator[Layout]:
    """Yield each structure of a domain under each way of naming of a language."""
    for number, structure in enumerate(domain.structures):
        for way in range(len(WAYS[language])):
            namer = _Namer(domain, language, way, initials=bool(number % 2))
            yield Layout(domain, structure, language, way, _tables(domain, structure, namer))


def _tables(domain: Domain, structure: str, namer: _Namer) -> dict[str, Table]:
    told = domain.structures[structure]
    entity = domain.things[next(iter(told["one"]))]
    first = domain.things[next(iter(told.get("many", told["one"])))]
    built: dict[str, Table] = {}
    lookups = {c: _as_thing(domain.concepts[c]) for c in told.get("lookup", ())}
    for concept, thing in lookups.items():
        column = namer.column(domain.concepts[concept], ())
        name = namer.table(thing, [column])
        built[concept] = Table(concept, name, LOOKUP, namer.key(thing, own=True), {concept: column}, {})
    parents = {ONE: entity, MANY: entity, DETAIL: first}
    for grain, part in ((ONE, "one"), (MANY, "many"), (DETAIL, "detail"), (APART, "apart")):
        for name, concepts in told.get(part, {}).items():
            thing = domain.things[name]
            up = [parents[grain]] if grain in parents and thing != entity else []
            up += lookups.values() if thing == entity else []
            blank = Table(name, namer.table(thing, [t.name for t in built.values()]), grain, "", {}, {})
            built[name] = _filled(blank, thing, [domain.concepts[c] for c in concepts], up, namer)
    return built


def _filled(blank: Table, thing: Thing, concepts: Sequence[Concept], up: Sequence[Thing], namer: _Namer) -> Table:
    """Return a table with its columns; one beside the entity's has the entity's key for its own."""
    links = {t.name: namer.key(t, own=False) for t in up}
    shared = blank.grain == ONE and len(links) == 1 and not any(c.names for c in concepts)
    key = next(iter(links.values())) if shared else namer.key(thing, own=True)
    columns: dict[str, str] = {}
    for concept in concepts:
        columns[concept.name] = namer.column(concept, [*columns.values(), *links.values(), key])
    return replace(blank, key=key, columns=columns, links=links)
