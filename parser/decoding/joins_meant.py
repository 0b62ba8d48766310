"""A query with its joins as they are meant, where the constraint admits it so."""

from __future__ import annotations

from collections.abc import Mapping

from ...data.profiles.database_profile import DatabaseProfile
from ...grammar import Constraint
from ...grammar.decoding.state import Mask
from ..normal_form import MeantJoins
from .admitted import admitted

__all__ = ["with_meant_joins"]


def with_meant_joins(
    sql: str,
    values: Mapping[str, str],
    constraint: Constraint,
    profile: DatabaseProfile | None,
    available: Mask | None = None,
) -> str:
    """Return a query with its joins as they are meant; as it was where the constraint does not admit it so.

    Args:
        sql: with slots.
        values: what fills them.
        constraint: that the query was written under.
        profile: what the database holds; None if nobody has looked.
        available: the words of the vocabulary that the question may use.
    """
    written = MeantJoins(constraint.grammar, profile).of(sql)
    return written if written == sql or admitted(written, values, constraint, available) else sql
