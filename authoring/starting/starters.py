"""Starter prototypes of a new domain, made of queries sampled over its own tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from rapidfuzz import fuzz

from ...data.databases.database import Database
from ...data.errors import DomainError, QueryError
from ...data.profiles.profiling import profile_of
from ...data.prototypes.reader import Prototype
from ...data.prototypes.rules import parse_rule
from ...data.sampler import STRUCTURES, sample
from ...data.sampler.phrases import Language
from ...data.sampler.structures.spans import TIME_SPANS
from ...data.sampler.structures.told_times import TOLD_TIMES
from ...data.schema.schema import Schema
from ..filling.candidates import Fills
from ..filling.instantiate import Maker
from ..filling.near import near, normal
from ..filling.queries import QueryTranslator
from .choosing import Starter, choose
from .entity_types import EntityTypes
from .plain_sql import PlainSql, Translating
from .slotting import PrototypeDraft, Slotter

__all__ = ["starters"]

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
    prototypes = [c.prototype for c in candidates]
    pairs = near(prototypes, keys={p.id: p.id for p in prototypes}, dialect=dialect, schema=schema)
    entities = [entity for of_type in types.entities.values() for entity in of_type]
    fills = Fills({}, entities, language, database=database)
    maker = Maker(fills, queries, database, instances)
    alike = {frozenset({pair.one.id, pair.other.id}) for pair in pairs}
    return choose(candidates, alike=alike, works=lambda p: _works(p, maker, answered=answered))


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
    try:
        maker.reset(())
        pairs = list(maker.pairs(prototype))
        maker.reset(())
        _, answers = maker.pair(prototype, 0)
    except DomainError:
        return False
    return bool(pairs) and (answers or not answered)


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
