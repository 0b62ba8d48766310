"""Delexicalises queries: their constants become slots for the question's values, and virtual columns.

It is the inverse of `expansions.column_meanings`: `v.day >= '2024-04-01'` becomes `v.day > '{text0}'`, «after March».

    WHERE strftime('%Y', v.day) = '2024'                WHERE v.day = '{text0}'        «in 2024»
    WHERE v.day >= '2024-04-01'                         WHERE v.day > '{text0}'        «after March 2024»
    SELECT SUBSTR(v.day, 1, 7), COUNT(*) … GROUP BY …   SELECT v.month, COUNT(*) …     «per month»
    ORDER BY v.price LIMIT 1 OFFSET 2                   … LIMIT 3                      «the third cheapest»
    WHERE m.vip = 'Y'      AVG(CAST(v.price AS REAL))   WHERE m.vip = '{text1}'        AVG(v.price)

Conditions on times are read (`meaning.reading`) and compared with the periods of the question. Flags, numbers in texts
and virtual columns are recognised by the expressions that the decoder would write for them.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from sqlglot import exp

from ...data.errors import QueryError
from ...data.parsing import parse
from ...data.sql.sources import Stored
from ...data.values.slots import quoted
from ...meaning.flag_cells import is_set
from ...meaning.number_texts import number_of
from ...meaning.profile import ColumnProfile, FlagCells
from ...meaning.reading import Interval, Recurring, TimeCondition, pattern_tree, profiled_by, rewrite_times, time_part
from ...meaning.sql import rounded, sortable
from ...ner.index import FoundValue
from ...ner.language.question import QuestionText
from ...ner.spans.periods import TimeSpan
from ..normal_form import NormalForm, ShortForm
from ..normal_form.words import Words
from ..reader.context import DatabaseContext
from ..reader.formula_items import FormulaItems, offered
from ..reader.items import column_kind
from ..reader.virtual_columns import VirtualColumn, virtual_columns
from .expansions.column_meanings import in_unit_of, interval_of, is_stored_year, numbers_of

_SIGNS = {"=": exp.EQ, ">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE}
_NATURAL = {"in": "=", "after": ">", "since": ">=", "before": "<", "until": "<="}
_CALLS = (exp.TimeToStr, exp.Substring, exp.Anonymous, exp.StrPosition, exp.Extract, exp.Date)


@dataclass(frozen=True)
class DelexicalisedQuery:
    """A query whose constants are slots for the values of its question.

    Attributes:
        sql: the query on the database with its virtual columns.
        whole: whether no call remains that extracts parts of times.
        plain: the database.
        items: the database with the virtual columns that the question adds, None if it adds none.
    """

    sql: str
    whole: bool
    plain: DatabaseContext
    items: FormulaItems | None

    @property
    def context(self) -> DatabaseContext:
        """Return the database whose vocabulary has the words."""
        return self.plain if self.items is None else self.items.context

    def words(self) -> Words:
        """Return the words of the query in short form.

        Raises:
            QuerentError: the query has no normal form.
        """
        return _words(self.plain.short if self.items is None else ShortForm(self.items.grammar()), self.sql)


@lru_cache(8)  # a query's wordings are read one after another
def _words(short: ShortForm, sql: str) -> Words:
    return short.words(NormalForm(short.grammar).of(sql))


def delexicalise(
    sql: str, question: QuestionText, context: DatabaseContext, values: Sequence[FoundValue]
) -> Iterator[DelexicalisedQuery]:
    """Yield the query with as many slots and virtual columns of its question as possible, then with less and less.

    The fallbacks are needed where the vocabulary lacks a word: a second use of a table has no virtual columns. A column
    without a profile keeps its conditions unchanged.

    Args:
        sql: a query in the dialect of the context.
        context: the context of the database, with its profile.
        values: the values of the question, in the order of the slots' numbers.
    """
    items = offered(context, (), virtual=virtual_columns(context, question, values))
    dialect = context.grammar.dialect
    tree = parse(sql, dialect)
    if tree is None:  # the normal form will say what is wrong with it
        yield DelexicalisedQuery(sql, True, context, items)
        return
    ranked, seen = _with_ordinals(tree, values), set[str]()
    for own in (None,) if items is None else (items, None):
        writer = _Delexicaliser(tree, context, values, own)
        found = writer.rewritten()
        for now, changed in ((found, ranked or writer.count > 0), (tree, ranked)):
            text = now.sql(dialect) if changed else sql
            if text not in seen:
                seen.add(text)
                yield DelexicalisedQuery(text, not writer.takes_times_apart(now), context, items)


def _with_ordinals(tree: exp.Expr, values: Sequence[FoundValue]) -> bool:
    """Replace LIMIT 1 OFFSET n-1 by LIMIT n where the question names the n-th; return whether that happened."""
    ordinals, replaced = {value.value for value in values if value.ordinal}, False
    for query in tree.find_all(exp.Select):
        limit, offset = query.args.get("limit"), query.args.get("offset")
        skipped = offset.expression.name if offset is not None else ""
        if limit is None or limit.expression != exp.Literal.number(1) or not skipped.isdecimal():
            continue
        if (place := str(int(skipped) + 1)) in ordinals:
            limit.set("expression", exp.Literal.number(place))
            query.set("offset", None)
            replaced = True
    return replaced


@dataclass(frozen=True)
class _UsedColumn:
    """A reference of a query to a profiled column."""

    ref: exp.Column
    table: str
    column: str
    profile: ColumnProfile
    kind: str

    def compared(self, sign: type[exp.Expr], value: exp.Expr) -> exp.Expr:
        """Return a comparison of the column."""
        return sign(this=self.ref.copy(), expression=value.copy())

    def slot(self, number: int, value: FoundValue) -> exp.Expr:
        """Return the slot, or the number, that a comparison of the column with a value of the question has."""
        if self.kind == value.kind == "number":
            return exp.Literal.number(value.value)
        return _text_slot(number)


def _text_slot(number: int) -> exp.Expr:
    return exp.Literal.string(f"{{text{number}}}")


def _uses(tree: exp.Expr, context: DatabaseContext, stored: Stored) -> Iterator[_UsedColumn]:
    """Yield the distinct column references of a query whose columns have a profile."""
    for column in dict.fromkeys(tree.find_all(exp.Column)):
        places = stored.of(column)
        profile = context.profile.column(*places[0][1:]) if len(places) == 1 else None
        if profile is not None:
            table, name = places[0][1:]
            kind = column_kind(context.grammar.schema.table(table).column(name).type)
            yield _UsedColumn(column, table, name, profile, kind)


class _Delexicaliser:
    """Delexicalises one query; ``count`` is the number of replacements so far.

    Args:
        tree: the tree of the query, which is not changed.
        context: the context of the database, with its profile.
        values: the values of the question.
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
        self._virtual = {item.expression: item.column for item in offers if isinstance(item.expression, VirtualColumn)}
        self._forms = dict(self._expressions())

    def rewritten(self) -> exp.Expr:
        """Return the delexicalised query."""
        if not self._uses:
            return self._tree
        return rewrite_times(self._tree.copy(), self._profiled, self._dialect, self._condition, self._value)

    def takes_times_apart(self, tree: exp.Expr) -> bool:
        """Does a query still call functions that extract parts of times?"""
        times = {use.ref for use in self._uses.values() if use.profile.time is not None}
        return any(column in times for call in tree.find_all(*_CALLS) for column in call.find_all(exp.Column))

    def _value(self, node: exp.Expr) -> exp.Expr | None:
        """Return the replacement of an expression that is no condition on a time, None if it has none."""
        new = self._forms.get(node)
        if new is None and self._virtual and isinstance(node, exp.Func | exp.Binary):
            part = None if isinstance(node, exp.Predicate) else time_part(node, self._profiled, self._dialect)
            use = None if part is None else self._uses.get(part[0])
            parts = {(one.table, one.column, one.part): name for one, name in self._virtual.items()}
            name = parts.get((use.table, use.column, part[1])) if part and use else None
            new = None if name is None or use is None else exp.column(name, use.ref.table or None, quoted=True)
        self.count += new is not None
        return None if new is None else new.copy()

    def _condition(self, condition: TimeCondition) -> exp.Expr | None:
        """Return the comparison with a value of the question that is equivalent to a condition on a time."""
        use = self._uses.get(condition.column)
        storage = None if use is None else use.profile.time
        if use is None or storage is None:
            return None
        for number, value in reversed(self._values):
            if value.span is None or is_stored_year(storage, value.span, value):
                continue
            compared = self._recurring if isinstance(condition, Recurring) else self._interval
            if (new := compared(condition, use, use.slot(number, value), value.span)) is not None:
                self.count += 1
                return new
        return None

    def _recurring(self, test: TimeCondition, use: _UsedColumn, slot: exp.Expr, span: TimeSpan) -> exp.Expr | None:
        if not isinstance(test, Recurring) or span.part is None:
            return None
        part, numbers = span.part, [*numbers_of(span)]
        if part == "quarter":
            part, numbers = "month", [3 * quarter - 2 + month for quarter in numbers for month in range(3)]
        return use.compared(exp.EQ, slot) if (part, tuple(sorted(numbers))) == (test.part, test.numbers) else None

    def _interval(self, test: TimeCondition, use: _UsedColumn, slot: exp.Expr, span: TimeSpan) -> exp.Expr | None:
        storage = use.profile.time
        if not isinstance(test, Interval) or storage is None or span.part is not None:
            return None
        for number, value in self._values:
            last = value.span
            later = last is not None and last.part is None and span.start and last.start and span.start < last.start
            if last is not None and later and rounded(storage, span.start, last.end) == (test.start, test.end):
                return exp.Between(this=use.ref.copy(), low=slot, high=_text_slot(number))
        for sign in sorted(_SIGNS, key=lambda sign: sign != _NATURAL[span.bound]):
            interval = interval_of(span, sign)
            if interval != (None, None) and rounded(storage, *interval) == (test.start, test.end):
                return use.compared(_SIGNS[sign], slot)
        return None

    def _expressions(self) -> Iterator[tuple[exp.Expr, exp.Expr]]:
        """Yield the expressions of flags, numbers and virtual columns, each with its replacement."""
        for column, name in self._virtual.items():
            yield from self._virtual_forms(column, name)
        for use in self._uses.values():
            number, storage = use.profile.number, use.profile.time
            with suppress(QueryError):
                for form in [] if number is None else [number, replace(number, whole=False)]:
                    yield self._filled(number_of("c", form, self._dialect), use.ref), use.ref
                if storage is not None and not storage.sorts:
                    yield self._filled(sortable("c", storage, self._dialect), use.ref), use.ref
            for place, value in self._values:
                slot = use.slot(place, value)
                if value.yes is not None and (use.table, use.column) in value.columns:
                    for test, yes in _flag_texts(use.profile.flag, self._dialect):
                        yield self._filled(test, use.ref), use.compared(exp.EQ if yes == value.yes else exp.NEQ, slot)
                if use.kind == "number" and number is None and (scaled := in_unit_of(value, use.profile)) is not None:
                    for sign in _SIGNS.values():
                        yield use.compared(sign, exp.Literal.number(scaled)), use.compared(sign, slot)

    def _virtual_forms(self, column: VirtualColumn, name: str) -> Iterator[tuple[exp.Expr, exp.Expr]]:
        """Yield the expressions of a virtual column for each alias of its table, each with the column in its place."""
        uses = [use for use in self._uses.values() if use.table == column.table]
        for text, called in product((column.text, *column.spellings), dict.fromkeys(use.ref.table for use in uses)):
            refs = {use.column: use.ref for use in uses if use.ref.table == called}
            tree = pattern_tree(text, self._dialect)
            if all(node.name in refs for node in tree.find_all(exp.Column)):
                own = tree.transform(
                    lambda node, of=refs: of[node.name].copy() if isinstance(node, exp.Column) else node
                )
                yield own, exp.column(name, called or None, quoted=True)

    def _filled(self, text: str, ref: exp.Column) -> exp.Expr:
        """Return the tree of an expression over a column ``c``, with ``c`` replaced by another column."""
        tree = pattern_tree(text, self._dialect)
        return tree.transform(lambda node: ref.copy() if isinstance(node, exp.Column) else node)


def _flag_texts(flag: FlagCells | None, dialect: str) -> Iterator[tuple[str, bool]]:
    """Yield conditions on a flag column ``c``, each with whether it tests for yes."""
    yield from ((is_set("c", flag, dialect, yes), yes) for yes in (True, False))
    for cell, yes in () if flag is None or flag.form == "boolean" else ((flag.yes, True), (flag.no, False)):
        if cell is not None:
            for literal in (quoted(cell), *([cell] if cell.removeprefix("-").isdecimal() else [])):
                yield f"c = {literal}", yes
                yield f"c <> {literal}", not yes
