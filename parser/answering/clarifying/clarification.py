"""Which question to ask back: for the one thing in which likely readings differ, or for a value that is not there.

After the ambiguities that AmbiQT tells apart (Bhaskar et al. 2023): a column, a table, a join, an aggregate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....data.answer import Clarification, Option
from ....data.databases.database import Database
from ...decoding.comparisons import Comparison
from ...reader.context import DatabaseContext
from ..choice import Choice
from .absent_values import absent_value, near_values
from .differences import ReadingDifference, differing
from .part_labels import PartLabels

__all__ = ["clarification"]

ASKS = 0.7
"""What the other readings weigh together, beside the best, from which it pays to ask (`proxies.py` in bench)."""

_MAX_OPTIONS, _MAX_ROWS = 4, 3

_ASKED = {
    "en": {"one": "Which do you mean?", "value": "What is ‹{0}›?", "near": "There is no ‹{0}› in {1}. Do you mean:"},
    "zh": {"one": "您指的是哪一个？", "value": "‹{0}›是什么？", "near": "{1}中没有‹{0}›。您是指："},
}


def clarification(
    choices: Sequence[Choice], absent: Comparison | None, context: DatabaseContext, database: Database
) -> Clarification | None:
    """Return what to ask back on an answer that is unsure; None where that would not help.

    Args:
        choices: the different answers to a question, the best first.
        absent: a comparison of the best that no row meets.
        context: of the database.
        database: tells the cells that come near.
    """
    labels = PartLabels(context.language, lambda table, column: _name_of(context, table, column))
    readings = [one for one in choices if one.rows is not None]
    found = list(differing(readings, context.grammar.dialect)) if readings else []
    if absent is not None:
        there = [one for one in found if one.kind == "value" and absent_value(one.choice.candidate, context) is None]
        options = [_option(labels.joined(one.other), one.choice) for one in there]
        options += near_values(choices[0].candidate, absent, context, database, _MAX_OPTIONS)
        where = _name_of(context, absent.table, absent.column) or absent.column
        asked = _ASKED[context.language]["near"].format(absent.value.text or absent.value.value, where)
        return Clarification("near", asked, _cut(options[:_MAX_OPTIONS])) if options else None
    found = [one for one in found if one.kind == found[0].kind][: _MAX_OPTIONS - 1]
    if not found or sum(one.choice.share for one in found) < ASKS * readings[0].share:
        return None
    words, value = _ASKED[context.language], found[0].value
    asked = words["one"] if value is None else words["value"].format(value)
    options = _options(readings[0], found, labels)
    return Clarification(found[0].kind, asked, _cut(options)) if len(options) > 1 else None


def _options(best: Choice, found: Sequence[ReadingDifference], labels: PartLabels) -> list[Option]:
    """Return the readings, each by what it says otherwise; of those that words do not tell apart the likeliest."""
    told = [(labels.joined(found[0].best), best), *((labels.joined(one.other), one.choice) for one in found)]
    first = {label: choice for label, choice in reversed(told) if label}
    return [_option(label, choice) for label, choice in told if first.get(label) is choice]


def _option(label: str, choice: Choice) -> Option:
    assert choice.rows is not None
    return Option(label, choice.candidate.sql, choice.rows.columns, tuple(choice.rows.rows))


def _cut(options: Sequence[Option]) -> tuple[Option, ...]:
    return tuple(replace(option, rows=option.rows[:_MAX_ROWS]) for option in options)


def _name_of(context: DatabaseContext, table: str, column: str | None) -> str | None:
    try:
        return context.items.items[context.items.find(table, column)].name
    except KeyError:
        return None
