"""Queries for what was in some time: lists, counts, sums, in a quarter, since a day, in the last 30 days."""

from ..parts.conditions import FilterOf
from ..parts.spans import bounded, in_range, in_span, recent, recurs
from .entities import called, how_many
from .selections import aggregated
from .shape import Structure, asking

_OF: dict[str, FilterOf] = {"span": in_span, "bound": bounded, "range": in_range, "recent": recent, "recurring": recurs}

TIME_SPANS: dict[str, Structure] = {
    f"{name}-{asked}": asking(what, rows)
    for name, rows in _OF.items()
    for asked, what in (("entities", called), ("count", how_many), ("value", aggregated))
}
