"""Queries for a number of numbers, one of each group: «the average number of orders per customer»."""

from ..parts.draws import Draft, Draw
from ..parts.phrases import Phrase, Slot
from .grouping import Groups, GroupsOf, by_category, by_parent
from .shape import Structure

_AVERAGE, _GAP, _MOST = "AVG(t1.c1)", "MAX(t1.c1) - MIN(t1.c1)", "MAX(t1.c1)"


def _over(asked: str, groups: Groups, each: str) -> str:
    """Return ``SELECT AVG(t1.c1) FROM (SELECT COUNT(*) AS c1 FROM harvest GROUP BY sort) AS t1``."""
    return f"SELECT {asked} FROM (SELECT {each} AS c1 FROM {groups.source} GROUP BY {groups.key}) AS t1"


def _counts(asked: str, rule: str, groups_of: GroupsOf) -> Structure:
    """Return the structure that asks something of how many rows each group has."""

    def structure(draw: Draw) -> Draft:
        table = draw.table()
        groups = groups_of(draw, table)
        slots: dict[str, Slot] = {"t": table.noun, "g": groups.noun}
        return Draft(_over(asked, groups, "COUNT(*)"), Phrase(rule, slots, "" if groups.join else "category"))

    return structure


def _totals(asked: str, rule: str, groups_of: GroupsOf) -> Structure:
    """Return the structure that asks something of the total of a column in each group."""

    def structure(draw: Draw) -> Draft:
        table = draw.table()
        groups, column = groups_of(draw, table), draw.number(table)
        each = f"SUM({column.number(groups.qualified, sums=True)})"
        slots: dict[str, Slot] = {"t": table.noun, "g": groups.noun, "c": column.noun}
        return Draft(_over(asked, groups, each), Phrase(rule, slots))

    return structure


OF_GROUPS: dict[str, Structure] = {
    "counts-average": _counts(_AVERAGE, "counts-average", by_category),
    "counts-average-of": _counts(_AVERAGE, "counts-average", by_parent),
    "counts-most-of": _counts(_MOST, "counts-most", by_parent),
    "counts-gap-of": _counts(_GAP, "counts-gap", by_parent),
    "totals-average": _totals(_AVERAGE, "totals-average", by_category),
    "totals-average-of": _totals(_AVERAGE, "totals-average", by_parent),
    "totals-most-of": _totals(_MOST, "totals-most", by_parent),
}
