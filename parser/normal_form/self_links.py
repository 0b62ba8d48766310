"""Which uses of a table in a query refer to one another, and by which of the table's keys into itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from ...data.schema.schema import Table
from .sources import QuerySource, is_column

__all__ = ["SelfLink", "referred_by", "self_links"]


@dataclass(frozen=True)
class SelfLink:
    """One use of a table refers to another: both by the keys of their sources.

    Attributes:
        number: which of the table's keys it is, from 0.
    """

    low: str
    high: str
    number: int


def self_links(conditions: Iterable[exp.Expr], sources: Mapping[str, QuerySource]) -> Iterator[SelfLink]:
    """Yield the links that equalities of columns say between uses of the same table.

    Args:
        sources: that count, by their keys.
    """
    for condition in conditions:
        if not isinstance(condition, exp.EQ) or not (is_column(condition.this) and is_column(condition.expression)):
            continue
        one, other = sources.get(condition.this.table), sources.get(condition.expression.table)
        if one is None or other is None or one is other or one.table is None or one.table is not other.table:
            continue
        for low, high in ((condition.this, condition.expression), (condition.expression, condition.this)):
            number = _key(one.table, low.name, high.name)
            if number is not None:
                yield SelfLink(low.table, high.table, number)


def referred_by(links: Iterable[SelfLink]) -> dict[str, int]:
    """Return by what is referred to the first of the keys that say so."""
    found: dict[str, int] = {}
    for link in links:
        found[link.high] = min(link.number, found.get(link.high, link.number))
    return found


def _key(table: Table, column: str, other: str) -> int | None:
    """Return the number of the key by which a column refers to another, None if there is none."""
    for number, key in enumerate(table.self_keys):
        references = key.references or table.primary_key
        if references and (key.columns[0].lower(), references[0].lower()) == (column.lower(), other.lower()):
            return number
    return None
