"""Expands comparisons of typed columns: the network writes `trip.day > '{text0}'`, the query has an interval.

    WHERE visit.day LIKE '{text0}%' …   WHERE visit.day >= '2024-02-01' AND visit.day < '2024-03-01' …

When the network writes the value, the comparison is rewritten from before its column on. Where that is impossible,
the value is forbidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial

from ...normal_form import ShortConstraint
from .column_meanings import ColumnMeanings
from .query_state import QueryState, StateT, Way, Ways, advance_all, forbidden

__all__ = ["MeaningLayer"]

_SIGNS = ("=", "<>", "!=", "<", "<=", ">", ">=", "LIKE", "IN", "BETWEEN")
_BEFORE_NUMBERS = ("+", "-", "*", "/", "<", "<=", ">", ">=")
_OPENING = ("WHERE", "AND", "OR", "NOT", "HAVING", "ON", "WHEN", "(")
_AGGREGATES = ("SUM", "AVG", "MIN", "MAX", "TOTAL")
_CLAUSES = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT")


class MeaningLayer:
    """The expansions of the comparisons, columns and ordinals of one question.

    Args:
        constraint: the constraint on the words of the database.
        meanings: the expansions of the question's values for each column.
    """

    def __init__(self, constraint: ShortConstraint, meanings: ColumnMeanings) -> None:
        self.meanings = meanings
        self._words = constraint.vocabulary.words
        self.size = len(self._words)
        fixed = [i for i, word in enumerate(self._words) if word.kind in ("keyword", "operator", "function")]
        self._text: Mapping[int, str] = {i: self._words[i].text for i in fixed}
        self._number = {self._words[i].text: i for i in reversed(fixed)}
        self.signs: Mapping[int, str] = {i: text for i, text in self._text.items() if text in _SIGNS}
        """The signs of comparisons, by their words."""

    @cached_property
    def _of_numbers(self) -> frozenset[int]:
        """Return the operators that need a numeric or sortable operand."""
        signs = (*_BEFORE_NUMBERS, "IS", "BETWEEN")
        return frozenset(i for i, text in self._text.items() if text in signs)

    @cached_property
    def _no_text(self) -> frozenset[int]:
        """Return the words that may follow = and are no texts of the question: numbers, columns, a bracket."""
        return frozenset(
            i
            for i, word in enumerate(self._words)
            if word.kind in {"column", "constant"}
            or (word.kind == "slot" and word.terminal == "WHOLE")
            or word.text == "("
        )

    def expansions(self, state: QueryState) -> Ways:
        """Return the words that have an expansion after a prefix."""
        return {**self._numbers(state), **self._like(state), **self._compared(state), **self._nth(state)}

    def _text_of(self, state: QueryState | None) -> str:
        """Return the text of the last word, empty where it is no keyword, operator or function."""
        return "" if state is None else self._text.get(state.word, "")

    def _comparison(self, state: QueryState) -> tuple[QueryState, int, str, bool] | None:
        """Return the prefix before a comparison, its column, its sign, and whether it is negated; None without one.

        The last word is the sign.
        """
        sign, column, denied = self.signs.get(state.word), state.back, False
        if sign is None or column is None:
            return None
        if self._text_of(column) == "NOT" and column.back is not None:
            column, denied = column.back, True
        before = column.back
        if before is None or self._text_of(before) not in _OPENING:
            return None
        if sign in ("<>", "!="):
            sign, denied = "=", True
        return before, column.word, sign, denied

    def _compared(self, state: QueryState) -> Ways:
        """Return the expansions of values after a column and a sign."""
        if state.word not in self.signs:
            return self._listed(state)
        if (comparison := self._comparison(state)) is None:
            return {}
        before, column, sign, negated = comparison
        ways: dict[int, Way] = {}
        for word, value in self.meanings.value_of.items():
            if (words := self.meanings.compared(column, sign, value)) is None:
                continue
            if not negated and self._contradicts(before, column, sign, value):
                ways[word] = forbidden
            elif sign == "BETWEEN":
                ways[word] = partial(_if_any, state.extended(state.beneath, word, due=self._conjunction))
            else:
                ways[word] = partial(self._written, state, before, words, negated, word)
        return ways

    def _conjunction(self, first: QueryState) -> Ways:
        """Require AND after the first value of BETWEEN, and then a value that may be its second."""
        word = self._number["AND"]
        return {word: partial(_if_any, first.extended(first.beneath, word, due=self._ends))}

    def _ends(self, state: QueryState) -> Ways:
        """Return the values that may end a BETWEEN, after its first value and AND."""
        first = state.back
        assert first is not None and first.back is not None
        comparison, start = self._comparison(first.back), self.meanings.value_of[first.word]
        assert comparison is not None
        before, column, sign, negated = comparison
        ways: dict[int, Way] = {}
        for word, value in self.meanings.value_of.items():
            if (words := self.meanings.compared(column, sign, start, value)) is not None:
                ways[word] = partial(self._written, state, before, words, negated, word)
        return ways

    def _contradicts(self, before: QueryState, column: int, sign: str, value: int) -> bool:
        """Does a comparison contradict the one before AND: same column, but no time in common?"""
        earlier = before.back if self._text_of(before) == "AND" else None
        comparison = self._comparison(earlier.back) if earlier is not None and earlier.back is not None else None
        if earlier is None or comparison is None or earlier.word not in self.meanings.value_of:
            return False
        start, compared, first, denied = comparison
        if compared != column or denied or self._text_of(start) == "NOT":
            return False
        return self.meanings.disjoint(column, (first, self.meanings.value_of[earlier.word]), (sign, value))

    def _listed(self, state: QueryState) -> Ways:
        """Forbid values that need an expansion in a list of IN: «in 2022 and 2024» needs two comparisons."""
        sign = state.back if self._text_of(state) == "(" else None
        if sign is None or self._text_of(sign) != "IN" or (test := self._comparison(sign)) is None:
            return {}
        values = self.meanings.value_of.items()
        return {word: forbidden for word, value in values if self.meanings.compared(test[1], "IN", value) is not None}

    def _written(
        self, state: QueryState, before: QueryState, words: Sequence[int], negated: bool, word: int
    ) -> QueryState | None:
        """Return the prefix after a comparison that is rewritten from before its column on."""
        no = self._number["NOT"]
        way = (no, *words) if negated else words if before.word == no else words[1:-1]
        inner = advance_all(before.beneath, way) if words else None
        return None if inner is None else state.extended(inner, word)

    def _like(self, state: QueryState) -> Ways:
        """Allow LIKE after a column whose type forbids it, where a value has an expansion there."""
        like = self._number["LIKE"]
        column = state.back if self._text_of(state) == "NOT" else state
        if column is None or column.word not in self.meanings.columns or state.beneath.admits(like):
            return {}
        return {like: partial(_if_any, state.extended(state.beneath, like, due=self._compared))}

    def _nth(self, state: QueryState) -> Ways:
        """Make an ordinal after LIMIT select one row: «third» is the third row, not three rows."""
        if self._text_of(state) != "LIMIT":
            return {}
        ways = self.meanings.nth.items()
        return {
            word: partial(_after, state, state.beneath, words, word) if words else forbidden for word, words in ways
        }

    def _numbers(self, state: QueryState) -> Ways:
        """Return the expansions of columns that must sort or add up here but do not, and of words after them."""
        forms = self.meanings.forms
        refused: Ways = {}
        if self._within(state, "SUM", "AVG", "TOTAL"):
            kept_out = self.meanings.no_sum if self._within(state, "SUM", "TOTAL") else self.meanings.no_mean
            refused = dict.fromkeys(kept_out, forbidden)
        if not forms:
            return refused
        column = state.back
        if self._reckons(state):
            own = self.meanings.real if self._within(state, "SUM", "TOTAL") else forms
            ways = {word: partial(_after, state, state.beneath, form, word) for word, form in own.items()}
            return {**refused, **ways}
        if state.word in forms and column is not None:
            form = forms[state.word]
            return {word: partial(_after, state, column.beneath, (*form, word), word) for word in self._of_numbers}
        equal = self.signs.get(state.word) in ("=", "<>", "!=")
        if equal and column is not None and column.word in forms and column.back is not None:
            start, words = column.back.beneath, (*forms[column.word], state.word)
            return {word: partial(_equal, state, start, (*words, word), word) for word in self._no_text}
        return {}

    def _reckons(self, state: QueryState) -> bool:
        """Must the next operand sort or add up: in an aggregate, in ORDER BY, after an arithmetic or order operator?"""
        text = self._text_of(state)
        if text in _BEFORE_NUMBERS or self._within(state, *_AGGREGATES):
            return True
        return text in ("BY", ",") and self._clause(state) == "ORDER"

    def _within(self, state: QueryState, *names: str) -> bool:
        """Is the next word the first in one of these aggregates, after its bracket or DISTINCT?"""
        if self._text_of(state) not in ("(", "DISTINCT"):
            return False
        before = state.back
        if before is not None and self._text_of(state) == "DISTINCT":
            before = before.back
        return self._text_of(before) in names

    def _clause(self, state: QueryState | None) -> str:
        """Return the clause that the prefix ends in, "" inside brackets."""
        depth = 0
        while state is not None:
            text = self._text_of(state)
            depth += (text == ")") - (text == "(")
            if depth < 0:
                return ""
            if not depth and text in _CLAUSES:
                return text
            state = state.back
        return ""


def _after(state: QueryState, start: StateT, words: Sequence[int], word: int) -> QueryState | None:
    """Return the prefix after a word whose expansion begins at a start."""
    inner = advance_all(start, words)
    return None if inner is None else state.extended(inner, word)


def _equal(state: QueryState, start: StateT, words: Sequence[int], word: int) -> QueryState | None:
    """Return the prefix after a number that a column equals, if it may also be compared with the column's text."""
    return _after(state, start, words, word) if state.beneath.admits(word) else None


def _if_any(state: QueryState) -> QueryState | None:
    """Return the prefix if any of its required next words may come, else None."""
    return state if any(state.expanded(word) is not None for word in state.ways) else None
