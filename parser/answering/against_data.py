"""What profiles say against a query's comparisons: cells that are not there, doubtful times, times of another event."""

from __future__ import annotations

from collections.abc import Sequence

from ...data.profiles.database_profile import DatabaseProfile
from ...data.schema.plain_names import plain_name
from ...ner.units import units
from ..decoding.comparisons import Comparison
from ..reader.naming import stem

__all__ = ["cells_misplaced", "doubtful_time", "times_misplaced"]


def doubtful_time(compared: Sequence[Comparison], profile: DatabaseProfile) -> str | None:
    """Say in one line which column a period is compared with though its cells say times in no one way."""
    for one in compared:
        held, value = profile.column(one.table, one.column), one.value
        if held is None or value.span is None or not held.doubt or held.time is not None or held.kind == "amount":
            continue
        return f"{one.table}.{one.column}: {held.doubt}, so that ‹{value.text}› may miss rows"
    return None


def cells_misplaced(compared: Sequence[Comparison]) -> int:
    """Count the cells of the database that are compared with a column that has them not."""
    plain = (one for one in compared if one.value.span is None and one.value.yes is None)
    return sum(one.value.kind == "cell" and (one.table, one.column) not in one.value.columns for one in plain)


def times_misplaced(compared: Sequence[Comparison], stems: Sequence[str], profile: DatabaseProfile) -> int:
    """Count the periods that are compared with a time that the question does not name, though another is earlier.

    «Orders in May» are those ordered then, not shipped.

    Args:
        stems: of the question's words.
    """
    dated = [one for one in compared if one.value.span is not None and _is_time(one, profile)]
    later = [one for one in dated if one.column != profile.first_time(one.table)]
    return sum({stem(word.text) for word in units(plain_name(one.column))}.isdisjoint(stems) for one in later)


def _is_time(one: Comparison, profile: DatabaseProfile) -> bool:
    held = profile.column(one.table, one.column)
    return held is not None and held.time is not None
