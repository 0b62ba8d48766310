"""Functions of templates that become SQL by what a column's profile knows: times, flags and numbers in texts.

WITHIN(t0.c0, :v0)      t0.c0 >= '2024-03-01' AND t0.c0 < '2024-04-01'
PART(t0.c0, 'month')    STRFTIME('%Y-%m', t0.c0)
IS_SET(t0.c1)           t0.c1 = 'Y'
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias, TypeVar, cast

from sqlglot import exp

from ..data.parsing import read_tree
from ..meaning.flag_cells import is_set
from ..meaning.number_texts import number_of
from ..meaning.profile import TimeStorage
from ..meaning.sql import DurationUnit, TimePart, age, elapsed, part_of, recurring, sortable, within
from .facts.facts import ColumnFacts
from .frame import NothingToDraw
from .spans import Span

_T = TypeVar("_T")

Columns: TypeAlias = Mapping[str, ColumnFacts]

_ENDS: Mapping[str, Callable[[Span], tuple[datetime | None, datetime | None]]] = {
    "WITHIN": lambda span: (span.start, span.end),
    "SINCE": lambda span: (span.start, None),
    "AFTER": lambda span: (span.end, None),
    "BEFORE": lambda span: (None, span.start),
    "UNTIL": lambda span: (None, span.end),
}
_SHOWN = (exp.Select, exp.Count, exp.Distinct, exp.Is, exp.Group)
"""What a number in a text stands in as it is."""


def with_functions(query: exp.Expr, columns: Columns, values: Mapping[str, Any], now: datetime | None) -> exp.Expr:
    """Return a copy of a template's query without functions; names stay slots.

    Raises:
        NothingToDraw: a column's cells do not have what a function needs.
    """
    tree = query.copy()
    for call in list(tree.find_all(exp.Anonymous)):
        call.replace(_bracketed(read_tree(_written(call, columns, values, now), "sqlite")))
    for column in list(tree.find_all(exp.Column)):
        facts = columns.get(column.name)
        said = facts.profile.number if facts is not None and facts.role == "number" else None
        above = column.parent
        shown = isinstance(above, _SHOWN) and not isinstance(above.parent, exp.Subquery)  # which is compared with
        if said is not None and not shown:
            summed = isinstance(column.parent, exp.Sum | exp.Avg)
            text = number_of(column.sql("sqlite"), replace(said, whole=False) if summed else said, "sqlite")
            column.replace(read_tree(text, "sqlite"))
    return tree


def _written(call: exp.Anonymous, columns: Columns, values: Mapping[str, Any], now: datetime | None) -> str:
    name, (column, *others) = call.name.upper(), cast("list[exp.Expr]", call.expressions)
    facts, ref = columns[column.name], column.sql("sqlite")
    if name in ("IS_SET", "NOT_SET"):
        return is_set(ref, _there(facts.profile.flag), "sqlite", name == "IS_SET")
    return _of_time(name, ref, _there(facts.profile.time), others, (columns, values, now))


def _of_time(
    name: str, ref: str, storage: TimeStorage, others: Sequence[exp.Expr], known: tuple[Columns, Mapping[str, Any], Any]
) -> str:
    columns, values, now = known
    if name == "AGE":
        return age(ref, storage, "sqlite", _there(now))
    if name == "SORTED":
        return sortable(ref, storage, "sqlite")
    (other,) = others
    if name == "PART":
        return part_of(ref, storage, "sqlite", cast("TimePart", other.name))
    if name in ("DAYS", "HOURS"):
        unit = cast("DurationUnit", name.lower())
        return elapsed(ref, storage, other.sql("sqlite"), _there(columns[other.name].profile.time), "sqlite", unit)
    span = values[other.name]
    if name == "RECURS":
        return recurring(ref, storage, "sqlite", span.part, span.numbers)
    return within(ref, storage, "sqlite", *_ENDS[name](span))


def _there(found: _T | None) -> _T:
    if found is None:
        raise NothingToDraw
    return found


def _bracketed(tree: exp.Expr) -> exp.Expr:
    return exp.paren(tree, copy=False) if isinstance(tree, exp.Binary | exp.Between) else tree
