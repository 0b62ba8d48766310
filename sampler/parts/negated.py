"""Conditions that leave rows out: not shipped, not from Leeds, all but one, without a word in the name."""

from functools import partial

from ..facts.facts import TableFacts
from ..facts.flag_words import is_adjective
from ..facts.writing import literal
from .conditions import Filter, said_of
from .draws import Draw, NothingToDraw
from .flags import flagged
from .phrases import Phrase, Text


def negated(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """Return a condition that says what rows are not."""
    return draw.one([_not_value, _not_value, _not_value, partial(flagged, yes=False), _not_like])(
        draw, table, qualified
    )


def _not_value(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``status != 'shipped'``."""
    column = draw.category(table)
    value = draw.value(column)
    said = said_of("ne", table, column, v=Text(value))
    if column.status and is_adjective(value.lower()) and draw.frame.language == "en":
        said = Phrase("not", {**said.slots, "v": value.lower()})
    return Filter(f"{column.ref(qualified)} != {literal(value)}", said)


def _not_like(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``title NOT LIKE '%war%'``."""
    column = draw.one([c for c in table.columns if c.role == "text"])
    terms = [w for w in draw.value(column).split() if w.isalpha() and len(w) > 3]
    part = draw.one(terms)
    where = f"{column.ref(qualified)} NOT LIKE {literal(f'%{part}%')}"
    return Filter(where, said_of("lacks", table, column, v=Text(part)))


def all_but(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``name != 'Ann'``: everyone except Ann."""
    if len(table.names) != 1 or not table.unique_names:
        raise NothingToDraw
    value = draw.value(table.names[0])
    said = Phrase("all-but", {"t": table.noun, "v": Text(value)})
    return Filter(f"{table.names[0].ref(qualified)} != {literal(value)}", said)
