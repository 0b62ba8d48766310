"""Formulas as decoder words: where the network writes one, the constraint advances through the words of its expansion.

    SELECT plants.name, fin.EBIT FROM …            SELECT plants.name, ( fin.revenue - fin.costs ) FROM …
    WHERE workers.age = 'minor'                    WHERE ( workers.age < 18 )
    SELECT plants.region, AVG ( fin.margin ) …     SELECT plants.region, ( SUM ( … ) / SUM ( … ) ) …

An aggregate formula next to a plain column implies GROUP BY, which is inserted where the network omits it. Without it
SQLite would return the value of an arbitrary row, and the other engines an error. The network may omit it because a
formula looks like a column to it, unlike SUM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

from ...normal_form import ShortState
from .formula_words import FormulaWord, FormulaWords, Outline
from .meaning_layer import MeaningLayer
from .query_state import QueryState, StateT, Way, Ways, advance_all, forbidden, require_silently

__all__ = ["FormulaLayer"]


class FormulaLayer:
    """The expansions of the formulas and virtual columns of one question.

    Args:
        words: the words of the formulas.
        meanings: the layer beneath, which expands values, None if all values are literal.
    """

    def __init__(self, words: FormulaWords, meanings: MeaningLayer | None) -> None:
        self.words = words
        self.size = words.size_with
        self._meanings = meanings

    def expansions(self, state: QueryState) -> Ways:
        """Return the words that have an expansion after a prefix."""
        of, outline = self.words, self._outline(state)
        ways: dict[int, Way] = {}
        if outline.due:
            grouped = cache(partial(self._grouped, state))
            ways |= {word: partial(_after_groups, grouped, word) for word in of.marks.behind_groups}
        if outline.outermost and outline.by_row:
            ways[of.marks["GROUP"]] = forbidden
        for word, formula in of.words.items():
            condition = formula.cell is not None
            ways[word] = (
                partial(self._condition, state, word) if condition else partial(self._column, state, outline, word)
            )
        ways |= self._parts_compared(state)
        if not outline.depth and (tested := self._tested(state)):
            ways |= dict.fromkeys(tested, forbidden)  # a share needs the rows of both sides
            if of.unfiltered:
                ways[of.marks["WHERE"]] = forbidden
        return ways

    def _outline(self, state: QueryState) -> Outline:
        """Return the outermost SELECT so far."""
        outline = Outline()
        for prefix in reversed([*_prefixes(state)]):
            outline = outline.after(prefix.word, *self.words.text_and_sort(prefix.word))
        return outline

    def _tested(self, state: QueryState) -> frozenset[int]:
        """Return the columns that the formulas so far have conditions on."""
        words = self.words.words
        return frozenset[int]().union(*(words[p.word].tested for p in _prefixes(state) if p.word in words))

    def _grouped(self, state: QueryState) -> QueryState | None:
        """Return the prefix after a GROUP BY of the output columns, None where it cannot be written."""
        of, columns = self.words, dict.fromkeys(self._outline(state).columns)
        listed = [word for column in columns for word in (of.marks[","], column)][1:]
        for word in (of.marks["GROUP"], of.marks["BY"], *listed):
            if word >= of.size:
                after = state.expanded(word)
            else:
                after = state.extended(state.beneath.advance(word), word) if state.beneath.admits(word) else None
            if after is None:
                return None
            state = after
        return state

    def _condition(self, state: QueryState, word: int) -> QueryState | None:
        """Return the prefix after a condition's column, which requires its sign and cell next, or None."""
        marks, way, cell = self.words.marks, self.words.words[word].values[0], self.words.words[word].cell
        if self._in_outputs(state):
            return None
        signs: dict[int, ShortState | QueryState] = {}
        for equal, words in ((marks.operators["="], way), (marks.operators["<>"], (marks["NOT"], *way))):
            if (inner := advance_all(state.beneath, words)) is not None:
                signs |= dict.fromkeys(equal, inner)

        def sign(column: QueryState) -> Ways:
            due = require_silently(() if cell is None else (cell,))
            return {sign_word: partial(column.extended, inner, sign_word, due) for sign_word, inner in signs.items()}

        return state.extended(state.beneath, word, sign) if signs else None

    def _column(self, state: QueryState, outline: Outline, word: int) -> QueryState | None:
        """Return the prefix after a calculation or union, None where it cannot be written."""
        of, formula = self.words, self.words.words[word]
        if formula.both == "one" and self._of_several(outline, formula):
            return None
        if formula.sort != "column" and not outline.orders_by(formula.sort):
            return self._ordered(state, outline, word)
        side = (formula.side_by_side,) if formula.side_by_side and self._lists(state) else ()
        led = (inner for way in (*side, *formula.values) if (inner := advance_all(state.beneath, way)) is not None)
        if state.word == of.marks["("]:  # the bracket after an integer sum that could overflow is never closed
            led = iter(sorted(led, key=lambda inner: not inner.admits(of.marks[")"])))
        if (first := next(led, None)) is not None:
            return state.extended(first, word)
        if formula.sort != "aggregate" or (before := self._before_mean(state)) is None:
            return None
        inner = _first_through(before.beneath, formula.values)
        return None if inner is None else state.extended(inner, word, require_silently((of.marks[")"],)))

    def _of_several(self, outline: Outline, formula: FormulaWord) -> bool:
        """Does the query output columns of tables whose rows may each join several of an aggregate's rows?"""
        if outline.depth or outline.clause not in ("SELECT", "ORDER"):
            return False
        words = self.words.constraint.vocabulary.words
        return any(words[column].table in formula.several for column in outline.columns if column < self.words.size)

    def _ordered(self, state: QueryState, outline: Outline, word: int) -> QueryState | None:
        """Return the prefix after ORDER BY and an aggregate formula, with the GROUP BY that it implies."""
        of, formula = self.words, self.words.words[word]
        before = state.back.back if state.back is not None else None
        if before is None or outline.by_row or outline.grouped or formula.sort != "aggregate":
            return None
        if formula.both == "many" and not self._of_several(outline, formula):
            return None
        grouped = self._grouped(before) if self._outline(before).columns else None
        inner = None if grouped is None else advance_all(grouped.beneath, (of.marks["ORDER"], of.marks["BY"]))
        led = None if inner is None else _first_through(inner, formula.values)
        return None if led is None else state.extended(led, word)

    def _before_mean(self, state: QueryState) -> QueryState | None:
        """Return the prefix before «AVG (» or «SUM (», None if neither was written last."""
        if state.word != self.words.marks["("] or state.back is None or state.back.word not in self.words.marks.means:
            return None
        return state.back.back

    def _parts_compared(self, state: QueryState) -> Ways:
        """Return the expansions of values compared with a part of a time, which compare the time itself."""
        of, sign = self.words, state.back
        if self._meanings is None or sign is None or state.word not in self._meanings.signs:
            return {}
        denied = sign.word == of.marks["NOT"] and sign.back is not None
        part = sign.back if denied and sign.back is not None else sign
        column = of.words[part.word].part_of if part.word in of.words else None
        signs = (of.marks["NOT"], state.word) if denied else (state.word,)
        if column is None or part.back is None:
            return {}
        start = part.back.beneath

        def way(value: int) -> QueryState | None:
            inner = advance_all(start, (column, *signs, value))
            return None if inner is None else state.extended(inner, value)

        return {value: partial(way, value) for value in self._meanings.meanings.value_of}

    def _lists(self, state: QueryState) -> bool:
        """Say whether an output of a SELECT begins here, where several columns may come."""
        words = state.sql_words
        return bool(words) and words[-1] in self.words.marks.lists and self._in_outputs(state)

    def _in_outputs(self, state: QueryState) -> bool:
        clauses = self.words.marks.clauses
        return next((clauses[i] for i in reversed(state.sql_words) if i in clauses), "") == "SELECT"


def _prefixes(state: QueryState) -> Iterator[QueryState]:
    """Yield a prefix and all shorter ones, the longest first, without the empty one."""
    while state.back is not None:
        yield state
        state = state.back


def _first_through(state: StateT, ways: Sequence[tuple[int, ...]]) -> StateT | None:
    return next((led for way in ways if (led := advance_all(state, way)) is not None), None)


def _after_groups(grouped: Callable[[], QueryState | None], word: int) -> QueryState | None:
    """Return the prefix after the implied GROUP BY and the word that follows it."""
    state = grouped()
    return state.advance(word) if state is not None and state.beneath.admits(word) else None
