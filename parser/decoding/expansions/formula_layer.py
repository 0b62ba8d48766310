"""Formulas as decoder words: where the network writes one, the constraint advances through the words of its expansion.

    SELECT plants.name, fin.EBIT FROM …            SELECT plants.name, ( fin.revenue - fin.costs ) FROM …
    WHERE workers.age = 'minor'                    WHERE ( workers.age < 18 )
    SELECT plants.region, AVG ( fin.margin ) …     SELECT plants.region, ( SUM ( … ) / SUM ( … ) ) …

An aggregate formula next to a plain column implies GROUP BY, which is inserted where the network omits it. Without it
SQLite would return the value of an arbitrary row, and the other engines an error. The network may omit it because a
formula looks like a column to it, unlike SUM.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from ....grammar import EOS
from .formula_words import FormulaWord, FormulaWords, Sort
from .meaning_layer import MeaningLayer
from .query_state import FixedWords, QueryState, StateT, Way, Ways, Words, advance_all, forbidden, require_silently

_CLAUSES = ("SELECT", "FROM", "WHERE", "HAVING", "BY", "ON", "(")
_LISTS = ("SELECT", "DISTINCT", ",")
_BEHIND = ("HAVING", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT")
_GROUPED_CLAUSES = frozenset({"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"})


@dataclass
class Outline:
    """The outline of the outermost SELECT so far.

    Attributes:
        depth: the number of open brackets.
        clause: the clause that began last.
        columns: the words of the outputs that are plain columns.
        by_row: whether a formula over a single row is among the outputs.
        aggregate: whether an aggregate formula is among the outputs.
        grouped: whether GROUP BY was written.
    """

    depth: int = 0
    clause: str = ""
    columns: list[int] = field(default_factory=list[int])
    by_row: bool = False
    aggregate: bool = False
    grouped: bool = False

    def add(self, word: int, text: str, sort: Sort) -> None:
        """Add one more word."""
        self.depth += (text == "(") - (text == ")")
        if self.depth or text == ")":
            return
        if text in _GROUPED_CLAUSES:
            self.clause = text
            if text == "SELECT":
                self.columns, self.by_row, self.aggregate = [], False, False
            self.grouped = text == "GROUP" or (self.grouped and text != "SELECT")
        elif self.clause == "SELECT":
            self.columns += [word] * (sort == "column")
            self.by_row |= sort == "row"
            self.aggregate |= sort == "aggregate"

    @property
    def outermost(self) -> bool:
        """Say whether the next word belongs to the outermost SELECT, after its outputs."""
        return not self.depth and self.clause not in ("", "SELECT")

    @property
    def due(self) -> bool:
        """Say whether GROUP BY is implied before the next clause, or the end."""
        return self.outermost and bool(self.columns) and self.aggregate and not self.grouped

    def orders_by(self, sort: Sort) -> bool:
        """Say whether rows may be ordered by a formula; an aggregate formula requires groups."""
        if self.depth or self.clause != "ORDER" or not (self.columns or self.by_row):
            return True
        return self.grouped == (sort == "aggregate")


class FormulaLayer:
    """The expansions of the formulas and virtual columns of one question.

    Args:
        formulas: the formulas by their words.
        meanings: the layer beneath, which expands values, None if all values are literal.
    """

    def __init__(self, formulas: FormulaWords, meanings: MeaningLayer | None) -> None:
        self.formulas, self.size, self._meanings = formulas, formulas.size, meanings
        self._fixed = FixedWords(formulas.vocabulary)
        self._signs = self._fixed.those("=", "<>", "!=", "<", "<=", ">", ">=", "LIKE", "IN", "BETWEEN")
        self._behind_groups = self._fixed.those(*_BEHIND) | {EOS}
        self._clauses = {self._fixed[text]: text for text in _CLAUSES}
        """The words that begin a clause, with their texts."""

    def expansions(self, state: QueryState) -> Ways:
        """Return the words that have an expansion after a prefix."""
        outline = self._outline(state)
        ways: dict[int, Way] = {}
        if outline.due:
            grouped = cache(partial(self._grouped, state))
            ways |= {word: partial(_after_groups, grouped, word) for word in self._behind_groups}
        if outline.outermost and outline.by_row:
            ways[self._fixed["GROUP"]] = forbidden
        for word, formula in self.formulas.items():
            ways[word] = partial(self._column if formula.cell is None else self._condition, state, outline, word)
        if self._meanings is not None and self._compares_part(state):  # the time itself is to be compared
            ways |= dict.fromkeys(self._meanings.meanings.value_of, forbidden)
        if not outline.depth and (tested := self._tested(state)):
            ways |= dict.fromkeys(tested, forbidden)  # a share needs the rows of both sides
            if self.formulas.unfiltered:
                ways[self._fixed["WHERE"]] = forbidden
        return ways

    def _outline(self, state: QueryState) -> Outline:
        """Return the outermost SELECT so far."""
        outline = Outline()
        for prefix in reversed([*_prefixes(state)]):
            outline.add(prefix.word, *self.formulas.text_and_sort(prefix.word))
        return outline

    def _tested(self, state: QueryState) -> frozenset[int]:
        """Return the columns that the formulas so far have conditions on."""
        written = (self.formulas.get(prefix.word) for prefix in _prefixes(state))
        return frozenset[int]().union(*(formula.tested for formula in written if formula is not None))

    def _grouped(self, state: QueryState) -> QueryState | None:
        """Return the prefix after a GROUP BY of the output columns, None where it cannot be written."""
        columns, after = dict.fromkeys(self._outline(state).columns), state
        listed = [word for column in columns for word in (self._fixed[","], column)][1:]
        for word in (self._fixed["GROUP"], self._fixed["BY"], *listed):
            plain = word < len(self.formulas.vocabulary)
            after = after.extended(advance_all(after.beneath, (word,)), word) if plain else after.expanded(word)
            if after is None:
                return None
        return after

    def _condition(self, state: QueryState, outline: Outline, word: int) -> QueryState | None:
        """Return the prefix after a condition's column, which requires its sign and cell next, or None."""
        way, cell = self.formulas[word].values[0], self.formulas[word].cell
        if self._in_outputs(state) or cell is None:
            return None
        signs = {self._fixed["="]: way, self._fixed["<>"]: (self._fixed["NOT"], *way)}
        due = require_silently((cell,))

        def sign(column: QueryState) -> Ways:
            led = {sign: advance_all(state.beneath, words) for sign, words in signs.items()}
            return {sign: partial(column.extended, inner, sign, due) for sign, inner in led.items()}

        return state.extended(state.beneath, word, sign)

    def _column(self, state: QueryState, outline: Outline, word: int) -> QueryState | None:
        """Return the prefix after a calculation or union, None where it cannot be written."""
        formula = self.formulas[word]
        if formula.both == "one" and self._of_several(outline, formula):
            return None
        if formula.sort != "column" and not outline.orders_by(formula.sort):
            return self._ordered(state, outline, word)
        side = (formula.side_by_side,) if formula.side_by_side and self._lists(state) else ()
        led = (inner for way in (*side, *formula.values) if (inner := advance_all(state.beneath, way)) is not None)
        if state.word == self._fixed["("]:  # the bracket after an integer sum that could overflow is never closed
            led = iter(sorted(led, key=lambda inner: not inner.admits(self._fixed[")"])))
        if (first := next(led, None)) is not None:
            return state.extended(first, word)
        before = state.back
        if formula.sort != "aggregate" or before is None or state.word != self._fixed["("]:
            return None
        if before.back is None or before.word not in self._fixed.those("SUM", "AVG"):
            return None
        inner = _first_through(before.back.beneath, formula.values)  # in place of «AVG (» or «SUM (»
        return state.extended(inner, word, require_silently((self._fixed[")"],)))

    def _of_several(self, outline: Outline, formula: FormulaWord) -> bool:
        """Does the query output columns of tables whose rows may each join several of an aggregate's rows?"""
        if outline.depth or outline.clause not in ("SELECT", "ORDER"):
            return False
        words = self.formulas.vocabulary.words
        return any(words[column].table in formula.several for column in outline.columns if column < len(words))

    def _ordered(self, state: QueryState, outline: Outline, word: int) -> QueryState | None:
        """Return the prefix after ORDER BY and an aggregate formula, with the GROUP BY that it implies."""
        formula, before = self.formulas[word], state.back.back if state.back is not None else None
        if before is None or outline.by_row or outline.grouped or formula.sort != "aggregate":
            return None
        if formula.both == "many" and not self._of_several(outline, formula):
            return None
        grouped = self._grouped(before) if self._outline(before).columns else None
        inner = grouped and advance_all(grouped.beneath, (self._fixed["ORDER"], self._fixed["BY"]))
        return state.extended(inner and _first_through(inner, formula.values), word)

    def _compares_part(self, state: QueryState) -> bool:
        """Is the last word the sign of a comparison with a part of a time?"""
        column = state.back
        if column is not None and column.word == self._fixed["NOT"]:
            column = column.back
        formula = None if column is None or state.word not in self._signs else self.formulas.get(column.word)
        return formula is not None and formula.is_part

    def _lists(self, state: QueryState) -> bool:
        """Say whether an output of a SELECT begins here, where several columns may come."""
        words = state.sql_words
        return bool(words) and words[-1] in self._fixed.those(*_LISTS) and self._in_outputs(state)

    def _in_outputs(self, state: QueryState) -> bool:
        return next((self._clauses[i] for i in reversed(state.sql_words) if i in self._clauses), "") == "SELECT"


def _prefixes(state: QueryState) -> Iterator[QueryState]:
    """Yield a prefix and all shorter ones, the longest first, without the empty one."""
    while state.back is not None:
        yield state
        state = state.back


def _first_through(state: StateT, ways: Sequence[Words]) -> StateT | None:
    return next((led for way in ways if (led := advance_all(state, way)) is not None), None)


def _after_groups(grouped: Callable[[], QueryState | None], word: int) -> QueryState | None:
    """Return the prefix after the implied GROUP BY and the word that follows it."""
    state = grouped()
    return state.advance(word) if state is not None and state.beneath.admits(word) else None
