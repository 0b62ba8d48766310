"""Values that a query looks for in a column that does not hold them, and the cells that come near."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rapidfuzz import fuzz, process, utils

from ....data.answer import Option
from ....data.databases.database import Database
from ....data.domains.examples import fits
from ....data.errors import DatabaseError, TimeLimitError
from ....ner.index import FoundValue
from ....ner.index.cells import is_text
from ...decoding.candidates import Candidate
from ...decoding.comparisons import Comparison
from ...reader.context import DatabaseContext
from ..choice import Choice

__all__ = ["absent_value", "held_first", "near_values"]

_MAX_CELLS = 5000
_NEAR = 60.0
"""Likeness of letters, of 100, from which a cell is offered for one that is not there."""


def absent_value(candidate: Candidate, context: DatabaseContext) -> Comparison | None:
    """Return the first comparison of a query that no row meets, since the column holds no such text."""
    if context.index is None:
        return None
    for one in candidate.compared:
        place = one.table, one.column
        known = one.equal and one.value.yes is None and context.index.size(*place) and _of_texts(one, context)
        if known and not context.index.held(*place, [one.value.value]):
            return one
    return None


def held_first(choices: Sequence[Choice], context: DatabaseContext) -> Sequence[Choice]:
    """Put an answer first that looks for the same words in a column that holds them, where the best finds none so."""
    absent = absent_value(choices[0].candidate, context) if choices else None
    if absent is None:
        return choices
    for choice in choices[1:]:
        same = any(_overlap(one.value, absent.value) for one in choice.candidate.compared)
        if same and choice.rows is not None and absent_value(choice.candidate, context) is None:
            return [choice, *(one for one in choices if one is not choice)]
    return choices


def _overlap(one: FoundValue, other: FoundValue) -> bool:
    return one.start < other.end and other.start < one.end


def _of_texts(one: Comparison, context: DatabaseContext) -> bool:
    """Is a text compared, or a number with a column of texts that say neither numbers nor times?"""
    if one.value.span is None and one.value.kind in ("cell", "text", "quoted"):
        return True
    held = context.profile.column(one.table, one.column)
    column = context.grammar.readable.table(one.table).column(one.column)
    return is_text(column) and held is not None and held.time is None and held.number is None


def near_values(
    candidate: Candidate, absent: Comparison, context: DatabaseContext, database: Database, most: int
) -> Iterator[Option]:
    """Yield the query with a cell of the column that is spelled nearly so, the nearest first.

    Args:
        absent: a comparison of the candidate.
        most: cells that are tried.
    """
    table = context.grammar.readable.table(absent.table)
    try:
        cells = [str(cell) for cell in database.distinct(table, absent.column, _MAX_CELLS)]
    except TimeLimitError:  # the query itself took what there was
        return
    near = process.extract(
        *(absent.value.text, cells),
        scorer=fuzz.WRatio, processor=utils.default_process, score_cutoff=_NEAR, limit=most,
    )  # fmt: skip
    for cell, _, _ in near:
        values = [
            replace(v, mention=replace(v.mention, sql=cell)) if v.mention.sql == absent.value.value else v
            for v in candidate.query.values
        ]
        if not fits(candidate.query.slotted, values):  # a text, where the query has a number without quotes
            continue
        sql = replace(candidate.query, values=tuple(values)).sql
        try:
            rows = database.query(sql, constrained=candidate.chosen)
        except DatabaseError:  # it takes too long
            continue
        yield Option(cell, sql, rows.columns, tuple(rows.rows))
