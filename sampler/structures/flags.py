"""Queries by flags, and by times that only some rows have: who is active, what is not returned yet."""

from functools import partial

from ..facts.facts import TableFacts
from ..parts.conditions import Filter
from ..parts.draws import Draft, Draw
from ..parts.filters import any_plain
from ..parts.flags import flag_of_rows, flagged, set_or_not
from ..parts.nulls import not_yet
from ..parts.phrases import Phrase
from .entities import called, how_many
from .groups import counted
from .selections import aggregated
from .shape import Structure, asking, select

_no = partial(flagged, yes=False)


def _and(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``active = 1 AND city = 'Paris'``."""
    one, other = flagged(draw, table, qualified, yes=draw.chance(0.6)), any_plain(draw, table, qualified)
    return Filter(f"{one.where} AND {other.where}", Phrase("and", {"t": table.noun, "x": one.said, "y": other.said}))


def _each(draw: Draw) -> Draft:
    """``SELECT active, COUNT(*) FROM member GROUP BY active``: how many are, and how many are not."""
    table = draw.table()
    column, words = flag_of_rows(draw, table)
    yes, no = (Phrase(f"flag-{words.kind}{end}", {"t": table.noun, "f": words.said}) for end in ("", "-not"))
    said = Phrase("flag-each", {"t": table.noun, "cond": yes, "not": no})
    return Draft(f"{select(f'{column.sql}, COUNT(*)', table)} GROUP BY {column.sql}", said)


FLAGS: dict[str, Structure] = {
    "flag-entities": asking(called, set_or_not),
    "flag-count": asking(how_many, set_or_not),
    "flag-value": asking(aggregated, set_or_not),
    "flag-group": asking(counted, set_or_not),
    "flag-not-entities": asking(called, _no),
    "flag-not-count": asking(how_many, _no),
    "flag-and-entities": asking(called, _and),
    "flag-and-count": asking(how_many, _and),
    "flag-each": _each,
    "open-entities": asking(called, not_yet),
    "open-count": asking(how_many, not_yet),
    "open-value": asking(aggregated, not_yet),
    "open-group": asking(counted, not_yet),
}
