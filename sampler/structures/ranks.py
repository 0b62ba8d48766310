"""Queries that rank groups by what their rows add up to, by their mean, and by how many they are."""

from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.phrases import Phrase
from .grouping import GroupsOf, by_category, by_parent
from .shape import Structure

_DOWN = 0.8  # share of rankings that begin with the largest


def _ranked(groups_of: GroupsOf, function: str) -> Structure:
    """Return the structure of ``SELECT department, SUM(wage) FROM … GROUP BY department ORDER BY SUM(wage) DESC``."""

    def structure(draw: Draw) -> Draft:
        table = draw.table()
        groups = groups_of(draw, table)
        if function == "count":
            key, value = "COUNT(*)", Phrase("value-count", {"t": table.noun})
        else:
            sums = function == "sum"
            column = draw.number(table, sums=sums)
            if column.noun.one == groups.noun.one:
                raise NothingToDraw
            key = f"{function.upper()}({column.number(groups.qualified, sums=sums)})"
            value = Phrase(f"value-{function}", {"c": column.noun})
        down = draw.chance(_DOWN)
        order = Phrase("rank-down" if down else "rank-up", {})
        said = Phrase("rank", {"t": table.noun, "g": groups.noun, "value": value, "order": order}, function)
        return Draft(f"{groups.query(f', {key}')} ORDER BY {key}{' DESC' * down}", said)

    return structure


RANKS: dict[str, Structure] = {
    "rank-total": _ranked(by_category, "sum"),
    "rank-mean": _ranked(by_category, "avg"),
    "rank-count": _ranked(by_category, "count"),
    "rank-total-of": _ranked(by_parent, "sum"),
    "rank-mean-of": _ranked(by_parent, "avg"),
    "rank-count-of": _ranked(by_parent, "count"),
}
