"""Gold queries in the words that a network writes: what columns mean is the constraint's to write.

As `decoding.expansions.column_meanings` would write it: `v.day >= '2024-04-01'` is `v.day > '{text0}'`, «after March».

    WHERE strftime('%Y', v.day) = '2024'                WHERE v.day = '{text0}'        «in 2024»
    WHERE v.day >= '2024-04-01'                         WHERE v.day > '{text0}'        «after March 2024»
    SELECT SUBSTR(v.day, 1, 7), COUNT(*) … GROUP BY …   SELECT v.month, COUNT(*) …     «per month»
    ORDER BY v.price LIMIT 1 OFFSET 2                   … LIMIT 3                      «the third cheapest»
    WHERE m.vip = 'Y'      AVG(CAST(v.price AS REAL))   WHERE m.vip = '{text1}'        AVG(v.price)

What could be written there, `meant_forms` tells; it is looked for, first as the query stands, then with its meanings
said in one way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from sqlglot import exp

from ....data.errors import QueryError
from ....data.parsing import PARSE_ERRORS, read_tree
from ....data.sql.sources import Stored
from ....meaning.profile import ColumnProfile, TimeStorage
from ....meaning.queries.meant import Profiled
from ....meaning.queries.reading import profiled_by, said_one_way
from ....meaning.sql import is_set, number_of, recurring, sortable, within
from ....ner.index import FoundValue
from ....ner.spans.periods import TimeSpan
from ...normal_form import NormalForm, ShortForm
from ...normal_form.keys import Words
from ...reader.context import DatabaseContext
from ...reader.formula_items import FormulaItems, Offered, offered
from ...reader.items import column_kind
from ...reader.virtual_columns import VirtualColumn, virtual_columns
from .column_meanings import SIDES, Interval, as_it_stands, counted, interval_of, numbers_of

__all__ = ["MeantQuery", "as_the_question_says", "ways_to_say"]

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


_CALLS = (exp.TimeToStr, exp.Substring, exp.Anonymous, exp.StrPosition, exp.Extract, exp.Date)

# what is never one value or condition, and so never replaced whole
_CLAUSES = (exp.Query, exp.From, exp.Join, exp.Where, exp.Having, exp.Group, exp.Order, exp.Ordered)
_NAMES = (exp.Table, exp.Identifier, exp.Literal)


@dataclass(frozen=True)
class MeantQuery:
    """A query with what it means in the question's words.

    Attributes:
        sql: of the database with its virtual columns.
        changed: was there anything?
        whole: was all of it said? If not, there are calls in it that take times apart.
        plain: the database.
        items: it with the virtual columns that the question adds, None of none.
    """

    sql: str
    changed: bool
    whole: bool
    plain: DatabaseContext
    items: FormulaItems | None

    @property
    def context(self) -> DatabaseContext:
        """Return the database whose vocabulary has the words."""
        return self.plain if self.items is None else self.items.context

    def words(self) -> Words:
        """Return its words, in short form.

        Raises:
            QuerentError: it has no normal form.
        """
        return _words(self.plain.short if self.items is None else ShortForm(self.items.grammar()), self.sql)


@lru_cache(8)  # a query's wordings are read one after another
def _words(short: ShortForm, sql: str) -> Words:
    return short.words(NormalForm(short.grammar).of(sql))


def as_the_question_says(sql: str, question: str, context: DatabaseContext, values: Sequence[FoundValue]) -> MeantQuery:
    """Return a query with the values and virtual columns of its question in place of what they mean.

    Where nothing is known of what columns hold, it stays as it is.

    Args:
        sql: in the dialect of the context.
        context: of the database, with its profile.
        values: of the question, as they are numbered in slots.
    """
    return next(ways_to_say(sql, question, context, values))


def ways_to_say(
    sql: str, question: str, context: DatabaseContext, values: Sequence[FoundValue]
) -> Iterator[MeantQuery]:
    """Yield the query as `as_the_question_says` has it, then with less and less of it replaced.

    Not all that is said so has a word: a second use of a table has no virtual columns.
    """
    items = offered(context, (), virtual=virtual_columns(context, question, values))
    dialect = context.grammar.dialect
    try:
        tree = read_tree(sql, dialect)
    except PARSE_ERRORS:  # the normal form will say what is wrong with it
        yield MeantQuery(sql, False, True, context, items)
        return
    ranked = _as_ordinals(tree, values)
    stored = Stored(context.grammar.schema)
    uses = list(used_columns(tree, context, stored))
    times = {use.text for use in uses if use.profile.time is not None}
    virtual = () if items is None else items.offers
    seen = set[str]()
    for offers in (virtual, ()) if virtual else ((),):
        forms = forms_beside(uses, values, offers)
        for best, changed in _replaced(tree, forms, profiled_by(context.profile, stored), dialect):
            left = (column.sql(dialect) for call in best.find_all(*_CALLS) for column in call.find_all(exp.Column))
            told = best.sql(dialect) if changed or ranked else sql
            if told not in seen:
                seen.add(told)
                yield MeantQuery(told, changed or ranked, times.isdisjoint(left), context, items)


def _as_ordinals(tree: exp.Expr, values: Sequence[FoundValue]) -> bool:
    """Have LIMIT say which row is taken, where the question says it so; return whether there was one."""
    ordinals = {value.value for value in values if value.ordinal}
    found = False
    for query in tree.find_all(exp.Select):
        limit, offset = query.args.get("limit"), query.args.get("offset")
        if limit is None or offset is None or limit.expression != exp.Literal.number(1):
            continue
        skipped = offset.expression.name
        if skipped.isdecimal() and (place := str(int(skipped) + 1)) in ordinals:
            limit.set("expression", exp.Literal.number(place))
            query.set("offset", None)
            found = True
    return found


def _replaced(tree: exp.Expr, forms: MeantForms, profiled: Profiled, dialect: str) -> Iterator[tuple[exp.Expr, bool]]:
    """Yield a query with forms replaced, and whether there were any: in what it means, then as it is written."""
    as_written, as_meant = _Replacing(forms, dialect), _Replacing(forms, dialect)
    told = as_written.of(tree.copy()) if forms else tree
    said, found = said_one_way(told, profiled, dialect) if forms else (told, [])
    if found:
        said = as_meant.of(said)
        if as_meant.count:
            yield said, True
    yield told, bool(as_written.count)


class _Replacing:
    """Puts the question's words in the place of what they mean; ``count`` says how often."""

    def __init__(self, forms: Mapping[tuple[str, ...], exp.Expr], dialect: str) -> None:
        self._forms = forms
        self._dialect = dialect
        self._several = [parts for parts in forms if len(parts) > 1]
        self.count = 0

    def of(self, node: exp.Expr) -> exp.Expr:
        """Return an expression with what of it the forms have replaced, the widest first."""
        told = None if isinstance(node, (*_CLAUSES, *_NAMES)) else self._forms.get((node.sql(self._dialect),))
        if told is not None:
            self.count += 1
            return told.copy()
        if isinstance(node, exp.And):
            node = self._together(node)
        for child in list(node.iter_expressions()):
            new = self.of(child)
            if new is not child:
                child.replace(new)
        return node

    def _together(self, node: exp.And) -> exp.Expr:
        parts = {part.sql(self._dialect): part for part in node.flatten()}
        for several in self._several:
            if all(one in parts for one in several):
                self.count += 1
                first, *others = several
                parts[first] = self._forms[several].copy()
                for one in others:
                    del parts[one]
        return exp.and_(*parts.values(), copy=False) if len(parts) < len(list(node.flatten())) else node
