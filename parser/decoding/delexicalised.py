"""Queries in the words that a network writes: what their conditions mean becomes values and virtual columns.

As `expansions.column_meanings` would write it: `v.day >= '2024-04-01'` is `v.day > '{text0}'`, «after March».

    WHERE strftime('%Y', v.day) = '2024'                WHERE v.day = '{text0}'        «in 2024»
    WHERE v.day >= '2024-04-01'                         WHERE v.day > '{text0}'        «after March 2024»
    SELECT SUBSTR(v.day, 1, 7), COUNT(*) … GROUP BY …   SELECT v.month, COUNT(*) …     «per month»
    ORDER BY v.price LIMIT 1 OFFSET 2                   … LIMIT 3                      «the third cheapest»
    WHERE m.vip = 'Y'      AVG(CAST(v.price AS REAL))   WHERE m.vip = '{text1}'        AVG(v.price)

Conditions on times are read (`meaning.reading`) and compared with the periods of the question; of flags, numbers in
texts and virtual columns the expressions that would be written are looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from sqlglot import exp

from ...data.errors import QueryError
from ...data.parsing import PARSE_ERRORS, read_tree
from ...data.schema.enumerations import quoted
from ...data.sql.sources import Stored
from ...meaning.profile import ColumnProfile, FlagCells
from ...meaning.reading import Interval, Recurring, TimeCondition, pattern_tree, profiled_by, rewrite_times, time_part
from ...meaning.sql import is_set, number_of, rounded, sortable
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ...ner.spans.periods import TimeSpan
from ..normal_form import NormalForm, ShortForm
from ..normal_form.keys import Words
from ..reader.context import DatabaseContext
from ..reader.formula_items import FormulaItems, offered
from ..reader.items import column_kind
from ..reader.virtual_columns import VirtualColumn, virtual_columns
from .expansions.column_meanings import as_it_stands, counted, interval_of, numbers_of

__all__ = ["DelexicalisedQuery", "as_the_question_says", "delexicalise"]

_SIGNS = {"=": exp.EQ, ">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE}
_NATURAL = {"in": "=", "after": ">", "since": ">=", "before": "<", "until": "<="}
_CALLS = (exp.TimeToStr, exp.Substring, exp.Anonymous, exp.StrPosition, exp.Extract, exp.Date)


@dataclass(frozen=True)
class DelexicalisedQuery:
    """A query with what it means in the question's words.

    Attributes:
        sql: of the database with its virtual columns.
        changed: was anything put in other words?
        whole: are no calls left that take times apart?
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


def as_the_question_says(
    sql: str, question: QuestionText, context: DatabaseContext, values: Sequence[FoundValue]
) -> DelexicalisedQuery:
    """Return a query with the values and virtual columns of its question in place of what they mean.

    Where nothing is known of what columns hold, it stays as it is.

    Args:
        sql: in the dialect of the context.
        context: of the database, with its profile.
        values: of the question, as they are numbered in slots.
    """
    return next(delexicalise(sql, question, context, values))


def delexicalise(
    sql: str, question: QuestionText, context: DatabaseContext, values: Sequence[FoundValue]
) -> Iterator[DelexicalisedQuery]:
    """Yield the query as `as_the_question_says` has it, then with less and less of it replaced.

    Not all that means something has a word: a second use of a table has no virtual columns.
    """
    items = offered(context, (), virtual=virtual_columns(context, question, values))
    dialect = context.grammar.dialect
    try:
        tree = read_tree(sql, dialect)
    except PARSE_ERRORS:  # the normal form will say what is wrong with it
        yield DelexicalisedQuery(sql, False, True, context, items)
        return
    ranked = _with_ordinals(tree, values)
    seen = set[str]()
    for own in (items, None) if items is not None else (None,):
        for replacing in (True, False):
            writer = _Delexicaliser(tree, context, values, own)
            found = writer.rewritten() if replacing else tree
            changed = ranked or writer.count > 0
            text = found.sql(dialect) if changed else sql
            if text not in seen:
                seen.add(text)
                yield DelexicalisedQuery(text, changed, not writer.takes_times_apart(found), context, items)


def _with_ordinals(tree: exp.Expr, values: Sequence[FoundValue]) -> bool:
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


@dataclass(frozen=True)
class _UsedColumn:
    """A column where a query names it."""

    ref: exp.Column
    table: str
    column: str
    profile: ColumnProfile
    kind: str

    def compared(self, sign: type[exp.Expr], value: exp.Expr) -> exp.Expr:
        """Return a comparison of the column."""
        return sign(this=self.ref.copy(), expression=value.copy())

    def slot(self, number: int, value: FoundValue) -> exp.Expr:
        """Return what stands for a value of the question beside the column."""
        if self.kind == value.kind == "number":
            return exp.Literal.number(value.value)
        return _text_slot(number)


def _text_slot(number: int) -> exp.Expr:
    return exp.Literal.string(f"{{text{number}}}")


def _uses(tree: exp.Expr, context: DatabaseContext, stored: Stored) -> Iterator[_UsedColumn]:
    """Yield the columns that a query names and whose cells are known, each as it is written once."""
    for column in dict.fromkeys(tree.find_all(exp.Column)):
        places = stored.of(column)
        profile = context.profile.column(*places[0][1:]) if len(places) == 1 else None
        if profile is not None:
            table, name = places[0][1:]
            kind = column_kind(context.grammar.schema.table(table).column(name).type)
            yield _UsedColumn(column, table, name, profile, kind)


class _Delexicaliser:
    """Writes one query in the words of its question; ``count`` says how often it has put something in other words.

    Args:
        tree: of the query; is not changed.
        context: of the database, with its profile.
        values: of the question.
        items: the database with the virtual columns of the question.
    """

    def __init__(
        self, tree: exp.Expr, context: DatabaseContext, values: Sequence[FoundValue], items: FormulaItems | None
    ) -> None:
        self.count = 0
        self._tree = tree
        self._values = [*enumerate(values)]
        self._dialect = context.grammar.dialect
        stored = Stored(context.grammar.schema)
        self._profiled = profiled_by(context.profile, stored)
        self._uses = {use.ref: use for use in _uses(tree, context, stored)}
        offers = () if items is None else items.offers
        self._virtual = {one.expression: one.column for one in offers if isinstance(one.expression, VirtualColumn)}
        self._forms = dict(self._expressions())

    def rewritten(self) -> exp.Expr:
        """Return the query in the words of the question."""
        if not self._uses:
            return self._tree
        return rewrite_times(self._tree.copy(), self._profiled, self._dialect, self._condition, self._value)

    def takes_times_apart(self, tree: exp.Expr) -> bool:
        """Are there calls left in a query that take times apart?"""
        times = {use.ref for use in self._uses.values() if use.profile.time is not None}
        return any(column in times for call in tree.find_all(*_CALLS) for column in call.find_all(exp.Column))

    def _value(self, node: exp.Expr) -> exp.Expr | None:
        """Return what becomes of an expression that is no condition on a time."""
        new = self._forms.get(node)
        if new is None and self._virtual and isinstance(node, exp.Func | exp.Binary):
            new = self._part(node)
        self.count += new is not None
        return None if new is None else new.copy()

    def _part(self, node: exp.Expr) -> exp.Expr | None:
        """Return the virtual column that a part of a time is."""
        found = None if isinstance(node, exp.Predicate) else time_part(node, self._profiled, self._dialect)
        use = None if found is None else self._uses.get(found[0])
        for one, name in self._virtual.items():
            if found and use and (one.table, one.column, one.part) == (use.table, use.column, found[1]):
                return exp.column(name, use.ref.table or None, quoted=True)
        return None

    def _condition(self, meant: TimeCondition) -> exp.Expr | None:
        """Return the comparison with a value of the question that means the same."""
        use = self._uses.get(meant.column)
        storage = None if use is None else use.profile.time
        if use is None or storage is None:
            return None
        for number, value in reversed(self._values):
            if value.span is None or as_it_stands(storage, value.span, value):
                continue
            compared = self._recurring if isinstance(meant, Recurring) else self._interval
            if (new := compared(meant, use, use.slot(number, value), value.span)) is not None:
                self.count += 1
                return new
        return None

    def _recurring(self, meant: TimeCondition, use: _UsedColumn, slot: exp.Expr, span: TimeSpan) -> exp.Expr | None:
        if not isinstance(meant, Recurring) or span.part is None:
            return None
        part, numbers = span.part, [*numbers_of(span)]
        if part == "quarter":
            part, numbers = "month", [3 * quarter - 2 + month for quarter in numbers for month in range(3)]
        return use.compared(exp.EQ, slot) if (part, tuple(sorted(numbers))) == (meant.part, meant.numbers) else None

    def _interval(self, meant: TimeCondition, use: _UsedColumn, slot: exp.Expr, span: TimeSpan) -> exp.Expr | None:
        storage = use.profile.time
        if not isinstance(meant, Interval) or storage is None or span.part is not None:
            return None
        for number, value in self._values:
            last = value.span
            later = last is not None and last.part is None and span.start and last.start and span.start < last.start
            if last is not None and later and rounded(storage, span.start, last.end) == (meant.start, meant.end):
                return exp.Between(this=use.ref.copy(), low=slot, high=_text_slot(number))
        for sign in sorted(_SIGNS, key=lambda sign: sign != _NATURAL[span.bound]):
            interval = interval_of(span, sign)
            if interval != (None, None) and rounded(storage, *interval) == (meant.start, meant.end):
                return use.compared(_SIGNS[sign], slot)
        return None

    def _expressions(self) -> Iterator[tuple[exp.Expr, exp.Expr]]:
        """Yield what flags, numbers and virtual columns may be written as, each with its new words."""
        for column, name in self._virtual.items():
            yield from self._virtual_forms(column, name)
        for use in self._uses.values():
            number, storage = use.profile.number, use.profile.time
            numbers = [] if number is None else [number, replace(number, whole=False)]
            with suppress(QueryError):
                for one in numbers:
                    yield self._filled(number_of("c", one, self._dialect), use.ref), use.ref
                if storage is not None and not storage.sorts:
                    yield self._filled(sortable("c", storage, self._dialect), use.ref), use.ref
            for place, value in self._values:
                slot = use.slot(place, value)
                if value.yes is not None and (use.table, use.column) in value.columns:
                    for said, yes in _flag_texts(use.profile.flag, self._dialect):
                        sign = exp.EQ if yes == value.yes else exp.NEQ
                        yield self._filled(said, use.ref), use.compared(sign, slot)
                if use.kind == "number" and number is None and (scaled := counted(value, use.profile)) is not None:
                    for sign in _SIGNS.values():
                        yield use.compared(sign, exp.Literal.number(scaled)), use.compared(sign, slot)

    def _virtual_forms(self, column: VirtualColumn, name: str) -> Iterator[tuple[exp.Expr, exp.Expr]]:
        """Yield what a virtual column is where its columns are named, under each name of their table."""
        uses = [use for use in self._uses.values() if use.table == column.table]
        for text, called in product((column.text, *column.spellings), dict.fromkeys(use.ref.table for use in uses)):
            refs = {use.column: use.ref for use in uses if use.ref.table == called}
            tree = pattern_tree(text, self._dialect).copy()
            named = list(tree.find_all(exp.Column))
            if all(node.name in refs for node in named):
                for node in named:
                    node.replace(refs[node.name].copy())
                yield tree, exp.column(name, called or None, quoted=True)

    def _filled(self, text: str, ref: exp.Column) -> exp.Expr:
        """Return an expression of a column ``c`` as a tree, with another column in its place."""
        tree = pattern_tree(text, self._dialect)
        return tree.transform(lambda node: ref.copy() if isinstance(node, exp.Column) else node)


def _flag_texts(flag: FlagCells | None, dialect: str) -> Iterator[tuple[str, bool]]:
    """Yield conditions that a flag ``c`` says yes or no, each with which of them."""
    for yes in (True, False):
        yield is_set("c", flag, dialect, yes), yes
    for cell, yes in () if flag is None or flag.form == "boolean" else ((flag.yes, True), (flag.no, False)):
        for literal in (
            () if cell is None else (quoted(cell), cell) if cell.removeprefix("-").isdecimal() else (quoted(cell),)
        ):
            yield f"c = {literal}", yes
            yield f"c <> {literal}", not yes
