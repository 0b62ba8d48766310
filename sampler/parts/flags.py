"""Conditions that a flag says yes or no, whatever its cells are: ``active = 1``, ``active = 'N'``."""

from ...meaning.flag_cells import is_set
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.flag_words import FlagWords, flag_words
from .conditions import Filter, called_by
from .draws import Draw, NothingToDraw
from .phrases import Phrase


def flagged(draw: Draw, table: TableFacts, qualified: bool, *, yes: bool = True) -> Filter:
    """``active = 1``: members that are active; ``active = 0``: that are not."""
    column, words = flag_of_rows(draw, table)
    said = Phrase(f"flag-{words.kind}" + ("" if yes else "-not"), {"t": table.noun, "f": words.said})
    return Filter(_where(column, qualified, yes), said)


def set_or_not(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """Return that a flag says yes, or, less often, no; sometimes by an adjective before the noun."""
    if not qualified and draw.chance(0.3):
        return before_noun(draw, table)
    return flagged(draw, table, qualified, yes=draw.chance(0.6))


def before_noun(draw: Draw, table: TableFacts) -> Filter:
    """``active = 1``: active members."""
    column, words = flag_of_rows(draw, table)
    if words.kind != "adj":
        raise NothingToDraw
    return called_by(draw, table, words.said, _where(column, False, True))


def flag_of_rows(draw: Draw, table: TableFacts) -> tuple[ColumnFacts, FlagWords]:
    """Return a flag, and what it says of rows."""
    language = draw.frame.language
    found = [(c, words) for c in table.columns if c not in draw.drawn and (words := flag_words(c, language))]
    column, words = draw.one(found)
    draw.drawn.append(column)
    return column, words


def _where(column: ColumnFacts, qualified: bool, yes: bool) -> str:
    if column.profile.flag is None:
        raise NothingToDraw
    return is_set(column.ref(qualified), column.profile.flag, "sqlite", yes)
