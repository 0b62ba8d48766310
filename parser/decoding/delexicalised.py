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

from sqlglot import exp

from ...data.errors import QueryError
from ...data.parsing import PARSE_ERRORS, read_tree
from ...data.sql.sources import Stored
from ...meaning.profile import ColumnProfile
from ...meaning.reading import Recurring, TimeCondition, pattern_tree, profiled_by, rewrite_times, time_part
from ...meaning.sql import is_set, number_of, rounded, sortable
from ...ner.index import FoundValue
from ...ner.spans.periods import TimeSpan
from ..normal_form import NormalForm, ShortForm
from ..normal_form.keys import Words
from ..reader.context import DatabaseContext
from ..reader.formula_items import FormulaItems, offered
from ..reader.items import column_kind
from ..reader.virtual_columns import VirtualColumn, virtual_columns
from .expansions.column_meanings import SIDES, as_it_stands, counted, interval_of, numbers_of

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
    sql: str, question: str, context: DatabaseContext, values: Sequence[FoundValue]
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
    sql: str, question: str, context: DatabaseContext, values: Sequence[FoundValue]
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
            writer = _Writer(tree, context, values, own)
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
class _Use:
    """A column where a query names it."""

    ref: exp.Column
    table: str
    column: str
    profile: ColumnProfile
    kind: str


class _Writer:
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
        self._values = values
        self._dialect = context.grammar.dialect
        stored = Stored(context.grammar.schema)
        self._profiled = profiled_by(context.profile, stored)
        self._uses = {use.ref: use for use in _uses(tree, context, stored)}
        self._virtual = [one for one in (items.offers if items else ()) if isinstance(one.expression, VirtualColumn)]
        self._forms = dict(self._written())

    def rewritten(self) -> exp.Expr:
        """Return the query in the words of the question."""
        if not self._uses:
            return self._tree
        return rewrite_times(self._tree.copy(), self._profiled, self._dialect, self._condition, self._value)

    def takes_times_apart(self, tree: exp.Expr) -> bool:
        """Are there calls left in a query that take times apart?"""
        times = {use.ref for use in self._uses.values() if use.profile.time is not None}
        return any(column in times for call in tree.find_all(*_CALLS) for column in call.find_all(exp.Column))

    def _counted(self, new: exp.Expr | None) -> exp.Expr | None:
        self.count += new is not None
        return None if new is None else new.copy()

    def _value(self, node: exp.Expr) -> exp.Expr | None:
        """Return what becomes of an expression that is no condition on a time."""
        if (new := self._forms.get(node)) is not None:
            return self._counted(new)
        if not self._virtual or isinstance(node, exp.Predicate) or not isinstance(node, exp.Func | exp.Binary):
            return None
        found = time_part(node, self._profiled, self._dialect)
        if found is None:
            return None
        use = self._uses.get(found[0])
        for one in self._virtual:
            expression = one.expression
            assert isinstance(expression, VirtualColumn)
            if use and (expression.table, expression.column, expression.part) == (use.table, use.column, found[1]):
                return self._counted(exp.column(one.column, use.ref.table or None, quoted=True))
        return None

    def _condition(self, meant: TimeCondition) -> exp.Expr | None:
        """Return the comparison with a value of the question that means the same."""
        use = self._uses.get(meant.column)
        if use is None or use.profile.time is None:
            return None
        for number, value in reversed([*enumerate(self._values)]):
            if value.span is None or as_it_stands(use.profile.time, value.span, value):
                continue
            if (new := self._compared(meant, use, number, value, value.span)) is not None:
                return self._counted(new)
        return None

    def _compared(
        self, meant: TimeCondition, use: _Use, number: int, value: FoundValue, span: TimeSpan
    ) -> exp.Expr | None:
        storage, slot = use.profile.time, _slot(use, number, value)
        assert storage is not None
        if isinstance(meant, Recurring):
            numbers = _months(span) if span.part == "quarter" else numbers_of(span) if span.part else ()
            part = "month" if span.part == "quarter" else span.part
            same = (part, tuple(sorted(numbers))) == (meant.part, meant.numbers)
            return exp.EQ(this=use.ref.copy(), expression=slot) if same else None
        if span.part is not None:
            return None
        whole = meant.start, meant.end
        for i, other in enumerate(self._values):
            last = other.span
            later = last is not None and last.part is None and span.start and last.start and span.start < last.start
            if last is not None and later and rounded(storage, span.start, last.end) == whole:
                return exp.Between(this=use.ref.copy(), low=slot, high=_slot(use, i, None))
        for sign in sorted(("=", *SIDES), key=lambda sign: sign != _NATURAL[span.bound]):
            interval = interval_of(span, sign)
            if interval != (None, None) and rounded(storage, *interval) == whole:
                return _SIGNS[sign](this=use.ref.copy(), expression=slot)
        return None

    def _written(self) -> Iterator[tuple[exp.Expr, exp.Expr]]:
        """Yield what may be written beside the columns of the query but for conditions on times, and its new words."""
        for one in self._virtual:
            assert isinstance(one.expression, VirtualColumn)
            yield from self._virtual_forms(one.expression, one.column)
        for use in self._uses.values():
            number, storage = use.profile.number, use.profile.time
            if number is not None:
                for whole in (number.whole, False):
                    with suppress(QueryError):
                        yield (
                            self._filled(number_of("c", replace(number, whole=whole), self._dialect), use.ref),
                            use.ref,
                        )
            if storage is not None and not storage.sorts:
                with suppress(QueryError):
                    yield self._filled(sortable("c", storage, self._dialect), use.ref), use.ref
            for i, value in enumerate(self._values):
                yield from self._beside(use, i, value)

    def _beside(self, use: _Use, number: int, value: FoundValue) -> Iterator[tuple[exp.Expr, exp.Expr]]:
        """Yield what a flag or a number may be written as beside a column."""
        slot = _slot(use, number, value)
        if value.yes is not None and (use.table, use.column) in value.columns:
            for said, yes in self._flag_forms(use):
                yield said, (exp.EQ if yes == value.yes else exp.NEQ)(this=use.ref.copy(), expression=slot)
        if use.kind == "number" and use.profile.number is None and (told := counted(value, use.profile)) is not None:
            for compared in _SIGNS.values():
                said = compared(this=use.ref.copy(), expression=exp.Literal.number(told))
                yield said, compared(this=use.ref.copy(), expression=slot)

    def _flag_forms(self, use: _Use) -> Iterator[tuple[exp.Expr, bool]]:
        """Yield the conditions that a flag says yes or no, each with which of them."""
        flag = use.profile.flag
        for yes in (True, False):
            yield self._filled(is_set("c", flag, self._dialect, yes), use.ref), yes
        if flag is None or flag.form == "boolean":
            return
        for text, yes in ((flag.yes, True), (flag.no, False)):
            for literal in (
                (exp.Literal.string(text), exp.Literal(this=text, is_string=False)) if text is not None else ()
            ):
                yield exp.EQ(this=use.ref.copy(), expression=literal), yes
                yield exp.NEQ(this=use.ref.copy(), expression=literal.copy()), not yes

    def _virtual_forms(self, column: VirtualColumn, name: str) -> Iterator[tuple[exp.Expr, exp.Expr]]:
        """Yield what a virtual column is where its columns are named, under each name of their table."""
        uses = [use for use in self._uses.values() if use.table == column.table]
        for text in (column.text, *column.spellings):
            for called in dict.fromkeys(use.ref.table for use in uses):
                refs = {use.column: use.ref for use in uses if use.ref.table == called}
                tree = pattern_tree(text, self._dialect).copy()
                named = list(tree.find_all(exp.Column))
                if all(node.name in refs for node in named):
                    for node in named:
                        node.replace(refs[node.name].copy())
                    yield tree, exp.column(name, called or None, quoted=True)

    def _filled(self, text: str, ref: exp.Column) -> exp.Expr:
        """Return an expression of a column ``c`` as a tree, with another column in its place."""
        return pattern_tree(text, self._dialect).transform(
            lambda node: ref.copy() if isinstance(node, exp.Column) else node
        )


def _uses(tree: exp.Expr, context: DatabaseContext, stored: Stored) -> Iterator[_Use]:
    """Yield the columns that a query names and whose cells are known, each as it is written once."""
    for column in dict.fromkeys(tree.find_all(exp.Column)):
        places = stored.of(column)
        profile = context.profile.column(*places[0][1:]) if len(places) == 1 else None
        if profile is not None:
            table, name = places[0][1:]
            kind = column_kind(context.grammar.schema.table(table).column(name).type)
            yield _Use(column, table, name, profile, kind)


def _months(span: TimeSpan) -> list[int]:
    """Return the months of quarters."""
    return [month for quarter in numbers_of(span) for month in (3 * quarter - 2, 3 * quarter - 1, 3 * quarter)]


def _slot(use: _Use, number: int, value: FoundValue | None) -> exp.Literal:
    if value is not None and use.kind == value.kind == "number":
        return exp.Literal(this=value.value, is_string=False)
    return exp.Literal.string(f"{{text{number}}}")
