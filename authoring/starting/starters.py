"""Starter prototypes of a new domain: sampled over its tables, chosen evenly, written as text for people to mend."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz

from ...data.databases.database import Database
from ...data.domains.prototypes import Prototype
from ...data.domains.slot_rules import parse_rule
from ...data.errors import DomainError, QueryError
from ...data.schema.schema import Schema
from ...meaning.profiling import profile_of
from ...sampler import STRUCTURES, sample
from ...sampler.parts.phrases import Language
from ...sampler.structures.spans import TIME_SPANS
from ...sampler.structures.told_times import TOLD_TIMES
from ..filling.candidates import Fills
from ..filling.instantiate import Maker, QueryTranslator, normal
from .entity_types import EntityTypes
from .slotting import PlainSql, PrototypeDraft, Slotter, Translating

__all__ = ["starter_text", "starters"]

_MOST_CHOSEN = 48
_FRAMES = {"filter", "count", "aggregate", "distinct", "all"}  # kinds of structures that are put around a condition


@dataclass(frozen=True)
class Starter:
    """A prototype to choose, and the sample that it was made of."""

    prototype: Prototype
    slotted: PrototypeDraft

    @property
    def family(self) -> str:
        """Return what its structure is a kind of."""
        return _family(self.slotted.structure)


def _family(structure: str) -> str:
    """Return the kind of a structure, the condition's where it has one.

    >>> _family("join2-having"), _family("count-join2-other")
    ('join2', 'if join2')
    """
    kind, _, rest = structure.partition("-")
    return f"if {rest.partition('-')[0]}" if rest and kind in _FRAMES else kind


_SIZES = Counter(map(_family, STRUCTURES))


def choose(candidates: Sequence[Starter], *, works: Callable[[Prototype], bool]) -> list[Starter]:
    """Return at most 48 of the candidates, in their order: of each structure, family and table as few as can be.

    Args:
        candidates: to choose among.
        works: can a prototype be filled? Called with those alone that are to be taken.
    """
    used, tables, chosen = Counter[str](), Counter[str](), list[Starter]()

    def cost(starter: Starter) -> float:
        """Return how much of what this one is there is already."""
        of = starter.slotted
        table = sum(tables[name] for name in of.tables) / len(of.tables)
        share = table / max(1, tables.total()) * len(tables)  # 1: as often as the others
        return 3 * used[of.structure] + used[starter.family] / _SIZES[starter.family] + share

    left = list(candidates)
    while left and len(chosen) < _MOST_CHOSEN:
        best = min(left, key=cost)
        left.remove(best)
        if works(best.prototype):
            chosen.append(best)
            used.update([best.slotted.structure, best.family])
            tables.update(best.slotted.tables)
    return [one for one in candidates if one in chosen]


_HEAD = """\
# Prototypes: one query each, with the wordings that ask for it. `querent fill` makes question-SQL pairs of them.
#
#   [[prototype]]
#   id = "start.name"              unique; the part before the dot is the theme, best the name of the file
#   question = ["…", "…"]          several ways to ask, as your people would; each with every slot of the query
#   sql = "SELECT …"               slots of entities and times in quotes, number slots bare
#   fill = { number0 = "few" }     how number and time slots are filled
#
# A slot is a type and a number: {TYPES}, {number0}, {time0}; the types are those of entities.jsonl.
# `fill` takes a name (number: few, top, count, percent; time: day, since, week), a query
# ("SELECT population FROM city"), a list (["10", "20"]) or a range ({ from = 2, to = 10 }).
# Those below are queries drawn over your own tables, and put into words by their names. Mend the words, throw away
# what nobody would ask, and add your own: they are a beginning, and know nothing of what your people want.
# `querent check` tells what is wrong, with file and line.
"""


def starter_text(found: Iterable[Starter], types: Sequence[str]) -> str:
    """Return the file of prototypes of a domain with these types of entities."""
    slots = ", ".join(f"{{{name}0}}" for name in types[:8]) or "{name0}"
    return "\n".join([_HEAD.replace("{TYPES}", slots), *(_entry(one.prototype, one.slotted.fill) for one in found)])


def _entry(prototype: Prototype, fill: Mapping[str, object]) -> str:
    (wordings,) = prototype.wordings.values()
    said = "".join(f"    {_quoted(wording)},\n" for wording in wordings)
    lines = [f'[[prototype]]\nid = "{prototype.id}"', f"question = [\n{said}]", f"sql = {_quoted(prototype.sql)}"]
    if fill:
        lines.append(f"fill = {{ {', '.join(f'{slot} = {_rule(rule)}' for slot, rule in fill.items())} }}")
    return "\n".join([*lines, ""])


def _rule(rule: object) -> str:
    if isinstance(rule, Mapping):
        return f"{{ {', '.join(f'{key} = {value}' for key, value in rule.items())} }}"
    return _quoted(str(rule))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


_FILE = Path("prototypes") / "start.toml"

_SAMPLED = 240  # many of them become the same query once their values are slots
_LEAST, _MOST = 2, 6  # wordings of one query
_SEED = 1


def starters(
    schema: Schema,
    database: Database,
    types: EntityTypes,
    *,
    dialect: str,
    quote: Callable[[str], str],
    language: Language,
    instances: int,
) -> list[Starter]:
    """Return prototypes for a database that can be filled as they stand.

    Args:
        schema: of the database, as the domain will have it.
        database: the queries are tried on it.
        types: of its entities.
        dialect: of the database.
        quote: writes names in it.
        language: of the wordings.
        instances: pairs that each prototype will be filled to.
    """
    plain = PlainSql(dialect, quote, schema)
    asked = Translating(database, plain)
    known = profile_of(database, schema)
    samples = sample(schema, asked, language=language, count=_SAMPLED, seed=_SEED, profile=known)
    answered = bool(samples)  # by rows; of a database that has none, only the tables can be asked for
    samples = samples or sample(schema, None, language=language, count=_SAMPLED, seed=_SEED)
    slotter = Slotter(types, plain, language)
    of_times = {*TIME_SPANS, *TOLD_TIMES}  # their times would stay what was drawn
    samples = [s for s in samples if s.structure not in of_times]
    found = [slotted for s in samples if (slotted := slotter.slotted(s)) is not None]
    found.sort(key=lambda slotted: STRUCTURES.index(slotted.structure))
    queries = QueryTranslator(schema, read=dialect, write=dialect)
    written = [(draft, query) for draft in found if (query := _query(draft, queries, dialect, schema)) is not None]
    candidates = _prototypes(written, language)
    entities = [entity for of_type in types.entities.values() for entity in of_type]
    fills = Fills({}, entities, language, database=database)
    maker = Maker(fills, queries, database, instances)
    return choose(candidates, works=lambda p: _works(p, maker, answered=answered))


def _query(draft: PrototypeDraft, queries: QueryTranslator, dialect: str, schema: Schema) -> tuple[str, str] | None:
    """Return a draft's query in canonical words, and in its normal form; None if it is outside of the grammar."""
    try:
        sql = queries.canonical(draft.sql)
        return sql, normal(sql, dialect=dialect, schema=schema)
    except QueryError:
        return None


def _prototypes(found: Sequence[tuple[PrototypeDraft, tuple[str, str]]], language: Language) -> list[Starter]:
    """Return a prototype for each query, the first of its kind; no wording asks for two of them."""
    known, asked = set[str](), set[str]()
    names: Counter[str] = Counter()
    made: list[Starter] = []
    for slotted, (sql, query) in found:
        wordings = _various([w for w in slotted.wordings if _folded(w) not in asked])
        if query in known or len(wordings) < _LEAST:
            continue
        known.add(query)
        asked |= {_folded(w) for w in wordings}
        name = _name(slotted)
        names[name] += 1
        name += f"_{names[name]}" if names[name] > 1 else ""
        fill = {slot: parse_rule(rule) for slot, rule in slotted.fill.items()}
        prototype = Prototype(f"start.{name}", {language: wordings}, sql, fill, _FILE)
        made.append(Starter(prototype, slotted))
    return made


def _works(prototype: Prototype, maker: Maker, *, answered: bool) -> bool:
    """Can a prototype be filled, does its query run, and, if that is asked for, answer something?"""
    maker.reset()
    try:
        pairs, speaks = maker.pairs(prototype)
    except DomainError:
        return False
    return bool(pairs) and (speaks or not answered)


def _various(wordings: Sequence[str]) -> tuple[str, ...]:
    """Return the wordings that differ most, in their order."""
    kept = list(wordings[:1])
    while len(kept) < min(_MOST, len(wordings)):
        left = (w for w in wordings if w not in kept)
        kept.append(min(left, key=lambda w: max(fuzz.token_sort_ratio(w, other) for other in kept)))
    return tuple(w for w in wordings if w in kept)


def _name(slotted: PrototypeDraft) -> str:
    return re.sub(r"\W+", "_", "_".join([slotted.structure, *sorted(slotted.tables)]).lower())


def _folded(wording: str) -> str:
    return wording.rstrip("?？.。 ").casefold()
