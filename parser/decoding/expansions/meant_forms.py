"""All that a question's values and virtual columns could be written as beside the columns of a gold query.

As `decoding.expansions.column_meanings` would write it: `v.day >= '2024-04-01'` is `v.day > '{text0}'`, «after March».
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sqlglot import exp

from ....data.errors import QueryError
from ....data.profiles.column_profile import ColumnProfile, TimeStorage
from ....data.profiles.meaning_sql import is_set, number_of, recurring, sortable, within
from ....data.sql.parsing import read_tree
from ....data.sql.sources import Stored
from ....ner.index import FoundValue
from ....ner.spans.time_span import TimeSpan
from ...reader.columns.formula_items import Offered
from ...reader.columns.virtual_columns import VirtualColumn
from ...reader.context import DatabaseContext
from ...reader.schema.items import column_kind
from .counted_numbers import counted
from .said_intervals import SIDES, Interval, as_it_stands, interval_of, numbers_of

__all__ = ["MeantForms", "UsedColumn", "forms_beside", "used_columns"]

_SIGNS = {"=": exp.EQ, ">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE}
_NATURAL = {"in": "=", "after": ">", "since": ">=", "before": "<", "until": "<="}

_Form = tuple[tuple[str, ...], exp.Expr]
MeantForms = dict[tuple[str, ...], exp.Expr]
"""The conjuncts of what is written, as SQL, and what the network writes."""


@dataclass(frozen=True)
class UsedColumn:
    """A column where a query of a dialect names it."""

    dialect: str
    ref: exp.Column
    table: str
    column: str
    profile: ColumnProfile
    kind: str

    @property
    def text(self) -> str:
        return self.ref.sql(self.dialect)


def used_columns(tree: exp.Expr, context: DatabaseContext, stored: Stored) -> Iterator[UsedColumn]:
    """Yield the columns that a query names and whose cells are known, each as it is written once."""
    seen, dialect = set[str](), context.grammar.dialect
    for column in tree.find_all(exp.Column):
        places, text = stored.of(column), column.sql(dialect)
        profile = context.profile.column(*places[0][1:]) if len(places) == 1 else None
        if profile is not None and text not in seen:
            seen.add(text)
            table, name = places[0][1:]
            kind = column_kind(context.grammar.schema.table(table).column(name).type)
            yield UsedColumn(dialect, column, table, name, profile, kind)


def forms_beside(uses: Sequence[UsedColumn], values: Sequence[FoundValue], offers: Sequence[Offered]) -> MeantForms:
    """Return all that may be written beside the columns of a query."""
    found: MeantForms = {}
    for one in offers:
        if isinstance(one.expression, VirtualColumn):
            found |= dict(_virtual(one.expression, one.column, uses))
    for use in uses:
        number, storage = use.profile.number, use.profile.time
        if number is not None:
            for whole in (number.whole, False):
                text = number_of(use.text, replace(number, whole=whole), use.dialect)
                found[_conjuncts(text, use.dialect)] = use.ref
        if storage is not None and not storage.sorts:
            with suppress(QueryError):
                found[_conjuncts(sortable(use.text, storage, use.dialect), use.dialect)] = use.ref
        for i, value in enumerate(values):
            found |= dict(_beside(use, i, value, values))
    return found


def _beside(use: UsedColumn, number: int, value: FoundValue, values: Sequence[FoundValue]) -> Iterator[_Form]:
    """Yield what a value may be written as beside a column, what is nearest to its words last."""
    span, storage = value.span, use.profile.time
    slot = exp.Literal.number(value.value) if use.kind == value.kind == "number" else _slot(number)
    equal = exp.EQ(this=use.ref.copy(), expression=slot)
    if value.yes is not None and (use.table, use.column) in value.columns:
        unequal = exp.NEQ(this=use.ref.copy(), expression=slot)
        for yes in (True, False):
            text = is_set(use.text, use.profile.flag, use.dialect, yes)
            yield _conjuncts(text, use.dialect), equal if yes == value.yes else unequal
    if use.kind == "number" and use.profile.number is None and (told := counted(value, use.profile)) is not None:
        for sign, compared in _SIGNS.items():
            yield (f"{use.text} {sign} {told}",), compared(this=use.ref.copy(), expression=slot)
    if span is None or storage is None or as_it_stands(storage, span, value):
        return
    if span.part is not None:
        if numbers := numbers_of(span):
            with suppress(QueryError):
                text = recurring(use.text, storage, use.dialect, span.part, numbers)
                yield _conjuncts(text, use.dialect), equal
        return
    for sign in sorted(("=", *SIDES), key=lambda sign: sign == _NATURAL[span.bound]):
        compared = _SIGNS[sign](this=use.ref.copy(), expression=slot)
        yield from _interval(use, storage, interval_of(span, sign), compared)
    for i, other in enumerate(values):
        if other.span is not None and other.span.part is None and _earlier(span, other.span):
            between = exp.Between(this=use.ref.copy(), low=slot, high=_slot(i))
            yield from _interval(use, storage, (span.start, other.span.end), between)


def _earlier(one: TimeSpan, other: TimeSpan) -> bool:
    return one.start is not None and other.start is not None and one.start < other.start


def _interval(use: UsedColumn, storage: TimeStorage, interval: Interval, told: exp.Expr) -> Iterator[_Form]:
    if interval != (None, None):
        with suppress(QueryError):
            yield _conjuncts(within(use.text, storage, use.dialect, *interval), use.dialect), told


def _virtual(column: VirtualColumn, name: str, uses: Sequence[UsedColumn]) -> Iterator[_Form]:
    """Yield what a virtual column is where its columns are named, under each name of their table."""
    if not uses:
        return
    dialect = uses[0].dialect
    tree = read_tree(f"SELECT {column.text}", dialect).expressions[0]
    for called in dict.fromkeys(use.ref.table for use in uses if use.table == column.table):
        refs = {use.column: use.ref for use in uses if use.table == column.table and use.ref.table == called}
        own = tree.copy()
        for node in list(own.find_all(exp.Column)):
            if node.name in refs:
                node.replace(refs[node.name].copy())
        if all(node.name in refs for node in own.find_all(exp.Column)):
            yield (own.sql(dialect),), exp.column(name, called or None, quoted=True)


def _slot(number: int) -> exp.Literal:
    return exp.Literal.string(f"{{text{number}}}")


def _conjuncts(text: str, dialect: str) -> tuple[str, ...]:
    """Return the conditions of an expression that hold together, as sqlglot writes them."""
    tree = read_tree(f"SELECT {text}", dialect).expressions[0]
    parts = tree.flatten() if isinstance(tree, exp.And) else [tree]
    return tuple(part.sql(dialect) for part in parts)
