"""Where known values come from: training questions, the domain's entities, its database."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from ..data.database import Database
from ..data.examples import SLOT, Example
from ..data.schema import Schema
from .gazetteer import Entry

if TYPE_CHECKING:
    from ..data.domain import Domain

__all__ = ["FIXED_TYPES", "compared_columns", "entries", "literals_of"]

FIXED_TYPES = frozenset({"number", "time"})
"""Types that `data.literals` finds; all others are entity types."""

_NAME = r"""(?:[`"\[]?[^\W\d]\w*[`"\]]?)"""
_SLOT = r"\{([A-Za-z_][A-Za-z_0-9]*?)\d+\}"
_COMPARED = re.compile(
    rf"(?:({_NAME})\s*\.\s*)?({_NAME})\s*(?:=|<>|!=|(?:NOT\s+)?(?:LIKE|IN)\b)\s*"
    rf"(\(?\s*['\"]?%?\s*{_SLOT}(?:[%'\",\s]*{_SLOT})*)",
    re.IGNORECASE,
)
# a look-ahead, so that «FROM city» does not swallow the «city» of «city AS c»
_ALIAS = re.compile(rf"(?<!\w)(?=({_NAME})\s+(?:AS\s+)?({_NAME}))", re.IGNORECASE)


def entries(examples: Iterable[Example], domain: Domain, *, limit: int = 20_000) -> list[Entry]:
    """Gather the known values of a domain, as said in ``examples`` (training only) and as stored.

    Args:
        examples: questions whose values are known.
        domain: gives entities and database.
        limit: values taken of one column at most.
    """
    examples = tuple(examples)
    literals = literals_of(examples)
    found = list(_trained(examples))
    for entity in domain.entities:
        literal = literals.get(entity.type, "string")
        for says in {entity.sql, *entity.says}:
            found.append(Entry(says, entity.type, entity.sql, literal, stored=True))
    if domain.database is not None:
        found += _stored(examples, domain.database, domain.schema, literals, limit)
    return found


def literals_of(examples: Iterable[Example]) -> dict[str, Literal["string", "number"]]:
    """Return how training queries write the values of each type: in quotes, or bare."""
    counts: dict[str, Counter[Literal["string", "number"]]] = {}
    for example in examples:
        for value in example.values:
            counts.setdefault(value.mention.type, Counter())[value.mention.literal] += 1
    return {name: count.most_common(1)[0][0] for name, count in counts.items()}


def compared_columns(slotted: str, schema: Schema) -> Iterator[tuple[str, str, str]]:
    """Yield (type, table, column) for each comparison of a column with slots in a slotted query.

    A bare column is looked for in the tables that the query names.
    """
    tables = {table.name.lower(): table for table in schema.tables}
    aliases = {_bare(m[2]): _bare(m[1]) for m in _ALIAS.finditer(slotted) if _bare(m[1]) in tables}
    named = {_bare(word) for word in re.findall(_NAME, slotted)} & tables.keys()
    for match in _COMPARED.finditer(slotted):
        column = _bare(match[2])
        owner = aliases.get(_bare(match[1]), _bare(match[1])) if match[1] else None
        for name in named if owner is None else {owner} & tables.keys():
            for known in tables[name].columns:
                if known.name.lower() == column:
                    for slot in SLOT.finditer(match[3]):
                        yield slot[1], tables[name].name, known.name


def _bare(name: str) -> str:
    return name.strip('`"[]').lower()


def _trained(examples: Iterable[Example]) -> Iterator[Entry]:
    counts: Counter[tuple[str, str, str, Literal["string", "number"]]] = Counter()
    for example in examples:
        for value in example.values:
            mention = value.mention
            if mention.type not in FIXED_TYPES:
                counts[mention.text, mention.type, mention.sql, mention.literal] += 1
    for (text, name, sql, literal), count in counts.items():
        yield Entry(text, name, sql, literal, count=count)


def _stored(
    examples: Sequence[Example],
    path: str,
    schema: Schema,
    literals: dict[str, Literal["string", "number"]],
    limit: int,
) -> Iterator[Entry]:
    compared = Counter(
        link for slotted in {example.slotted for example in examples} for link in compared_columns(slotted, schema)
    )
    links = {link for link in compared if link[0] not in FIXED_TYPES}
    if not links:
        return
    with Database.open(path) as database:
        for name, table, column in sorted(links):
            for value in database.distinct(table, column, limit):
                text = str(value).strip() if value is not None else ""
                if text:
                    yield Entry(text, name, text, literals.get(name, "string"), stored=True)
