"""A query with its joins as they are meant, where the constraint admits it so."""

from __future__ import annotations

from collections.abc import Mapping

from ...grammar import Constraint
from ...grammar.decoding.state import Mask
from ..normal_form import MeantJoins
from .admitted import admitted

__all__ = ["with_meant_joins"]


def with_meant_joins(
    sql: str,
    values: Mapping[str, str],
    constraint: Constraint,
    joins: MeantJoins,
    available: Mask | None = None,
) -> str:
    """Return a query with its joins as they are meant; as it was where the constraint does not admit it so.

    Args:
        sql: with slots.
        values: what fills them.
        constraint: that the query was written under.
        joins: write them, on the same database.
        available: the words of the vocabulary that the question may use.
    """
    written = joins.of(sql)
    return written if written == sql or admitted(written, values, constraint, available) else sql
