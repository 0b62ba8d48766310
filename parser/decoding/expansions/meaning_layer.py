"""Expands comparisons of typed columns: the network writes `trip.day > '{text0}'`, the query has an interval.

    WHERE visit.day LIKE '{text0}%' …   WHERE visit.day >= '2024-02-01' AND visit.day < '2024-03-01' …

When the network writes the value, the comparison is rewritten from before its column on. Where that is impossible,
the value is forbidden.
"""

from functools import cached_property
from typing import NamedTuple

from ...normal_form import ShortConstraint
from .column_meanings import ColumnMeanings
from .query_state import FixedWords, QueryState, Way, Ways, Words, forbidden

_SIGNS = ("=", "<>", "!=", "<", "<=", ">", ">=", "LIKE", "IN", "BETWEEN")
_BEFORE_NUMBERS = ("+", "-", "*", "/", "<", "<=", ">", ">=")
_OPENING = ("WHERE", "AND", "OR", "NOT", "HAVING", "ON", "WHEN", "(")
_AGGREGATES = ("SUM", "AVG", "MIN", "MAX", "TOTAL")
_CLAUSES = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT")


class _Begun(NamedTuple):
    """A comparison up to its sign: the prefix before it, its column, its sign, and whether it is negated."""

    before: QueryState
    column: int
    sign: str
    negated: bool


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
        self._fixed = FixedWords(constraint.vocabulary)
        self._of_numbers = self._fixed.those(*_BEFORE_NUMBERS, "IS", "BETWEEN")
        """The operators that need a numeric or sortable operand."""

    @cached_property
    def _no_text(self) -> list[int]:
        """Return the words that may follow = and are no texts of the question: numbers, columns, a bracket."""
        kinds = [(i, word, word.kind == "slot" and word.terminal == "WHOLE") for i, word in enumerate(self._words)]
        return [i for i, word, number in kinds if number or word.kind in {"column", "constant"} or word.text == "("]

    def expansions(self, state: QueryState) -> Ways:
        """Return the words that have an expansion after a prefix."""
        text = self._text(state)
        if text in _SIGNS:
            return {**self._numbers(state, text), **self._compared(state)}
        if text == "LIMIT":  # «third» is the third row, not three rows
            return {word: state.through(word, row) if row else forbidden for word, row in self.meanings.nth.items()}
        return {**self._numbers(state, text), **self._like(state, text), **self._listed(state, text)}

    def _text(self, state: QueryState | None) -> str:
        """Return the text of the last word, empty where it is no keyword, operator or function."""
        return "" if state is None else self._fixed.texts.get(state.word, "")

    def _begun(self, state: QueryState | None) -> _Begun | None:
        """Return the comparison that a prefix ends in; None where its last word is not the sign of one."""
        sign, column, negated = self._text(state), state and state.back, False
        if sign not in _SIGNS or column is None:
            return None
        if self._text(column) == "NOT" and column.back is not None:
            column, negated = column.back, True
        if column.back is None or self._text(column.back) not in _OPENING:
            return None
        denied = sign in ("<>", "!=")
        return _Begun(column.back, column.word, "=" if denied else sign, negated or denied)

    def _compared(self, state: QueryState) -> Ways:
        """Return the expansions of values after a column and a sign."""
        if (begun := self._begun(state)) is None:
            return {}
        ways: dict[int, Way] = {}
        for word, value in self.meanings.value_of.items():
            if (words := self.meanings.compared(begun.column, begun.sign, value)) is None:
                continue
            if begun.sign == "BETWEEN":
                ways[word] = lambda word=word: state.extended(state.beneath, word, self._conjunction)
            else:
                ways[word] = self._rewritten(state, begun, words, word)
        return ways

    def _conjunction(self, first: QueryState) -> Ways:
        """Require AND after the first value of BETWEEN, and then a value that may be its second."""
        word = self._fixed["AND"]
        return {word: lambda: first.extended(first.beneath, word, self._ends)}

    def _ends(self, state: QueryState) -> Ways:
        """Return the values that may end a BETWEEN, after its first value and AND."""
        first = state.back
        begun = self._begun(first and first.back)
        assert first is not None and begun is not None
        start, values = self.meanings.value_of[first.word], self.meanings.value_of.items()
        made = ((word, self.meanings.compared(begun.column, begun.sign, start, value)) for word, value in values)
        return {word: self._rewritten(state, begun, words, word) for word, words in made if words is not None}

    def _listed(self, state: QueryState, text: str) -> Ways:
        """Forbid values that need an expansion in a list of IN: «in 2022 and 2024» needs two comparisons."""
        begun = self._begun(state.back) if text == "(" and self._text(state.back) == "IN" else None
        values = self.meanings.value_of.items() if begun is not None else ()
        return {word: forbidden for word, value in values
                if begun and self.meanings.compared(begun.column, "IN", value) is not None}  # fmt: skip

    def _rewritten(self, state: QueryState, begun: _Begun, words: Words, word: int) -> Way:
        """Return the way of a value: the comparison is rewritten from before its column on."""
        no = self._fixed["NOT"]
        way = (no, *words) if begun.negated else words if begun.before.word == no else words[1:-1]
        return state.through(word, way, begun.before.beneath) if words else forbidden

    def _like(self, state: QueryState, text: str) -> Ways:
        """Allow LIKE after a column whose type forbids it, where a value has an expansion there."""
        like = self._fixed["LIKE"]
        column = state.back if text == "NOT" else state
        if column is None or column.word not in self.meanings.columns or state.beneath.admits(like):
            return {}
        return {like: lambda: state.extended(state.beneath, like, self._compared)}

    def _numbers(self, state: QueryState, text: str) -> Ways:
        """Return the expansions of columns that must sort or add up here but do not, and of words after them."""
        forms, column, name = self.meanings.forms, state.back, self._aggregate(state, text)
        adds = name in ("SUM", "TOTAL")
        refused = self.meanings.no_sum if adds else self.meanings.no_mean if name == "AVG" else ()
        ways: dict[int, Way] = dict.fromkeys(refused, forbidden)
        if not forms:
            return ways
        if text in _BEFORE_NUMBERS or name in _AGGREGATES or (text in ("BY", ",") and self._clause(state) == "ORDER"):
            own = self.meanings.real if adds else forms
            return ways | {word: state.through(word, form) for word, form in own.items()}
        if state.word in forms and column is not None:
            words, start = forms[state.word], column.beneath
            return {word: state.through(word, (*words, word), start) for word in self._of_numbers}
        if text in ("=", "<>", "!=") and column is not None and column.word in forms and column.back is not None:
            # a column may equal a number if it may also be compared with the column's text
            words, start, plain = (*forms[column.word], state.word), column.back.beneath, state.beneath.allowed()
            return {word: state.through(word, (*words, word), start) for word in self._no_text if plain[word]}
        return {}

    def _aggregate(self, state: QueryState, text: str) -> str:
        """Return the function in which the next word is the first, after its bracket or DISTINCT, else ""."""
        before = state.back if text in ("(", "DISTINCT") else None
        return self._text(before.back if before is not None and text == "DISTINCT" else before)

    def _clause(self, state: QueryState | None) -> str:
        """Return the clause that the prefix ends in, "" inside brackets."""
        depth = 0
        while state is not None:
            text = self._text(state)
            depth += (text == ")") - (text == "(")
            if depth < 0:
                return ""
            if not depth and text in _CLAUSES:
                return text
            state = state.back
        return ""
