"""Queries that compare a period with cells that say times in no one way: what they find may be too little."""

from __future__ import annotations

from collections.abc import Sequence

from ...data.profiles.database_profile import DatabaseProfile
from ..decoding.comparisons import Comparison

__all__ = ["doubtful_time"]


def doubtful_time(compared: Sequence[Comparison], profile: DatabaseProfile) -> str | None:
    """Say in one line which column a period is compared with though its cells say times in no one way."""
    for one in compared:
        held, value = profile.column(one.table, one.column), one.value
        if held is None or value.span is None or not held.doubt or held.time is not None or held.kind == "amount":
            continue
        return f"{one.table}.{one.column}: {held.doubt}, so that ‹{value.text}› may miss rows"
    return None
