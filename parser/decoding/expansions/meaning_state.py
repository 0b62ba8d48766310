"""The constraint led through what a comparison means: the network writes `trip.day > '{text0}'`, the query an interval.

    WHERE visit.day LIKE '{text0}%' …   WHERE visit.day >= '2024-02-01' AND visit.day < '2024-03-01' …

The comparison is written where its value is, back from before its column; so what the constraint promises holds of the
query as it is. Where that cannot be written, the value may not come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Literal, Protocol, Self, TypeAlias, TypeVar

from ....grammar.decoding.state import Mask
from ...normal_form import ShortConstraint, ShortState
from .column_meanings import ColumnMeanings

__all__ = ["MeaningState", "MeaningWords", "led_through"]

SIGNS = ("=", "<>", "!=", "<", "<=", ">", ">=", "LIKE", "IN", "BETWEEN")
BEFORE_NUMBERS = ("+", "-", "*", "/", "<", "<=", ">", ">=")


class MeaningWords:
    """The words of one vocabulary that a comparison is read from, and what they mean to one question."""

    def __init__(self, constraint: ShortConstraint, meanings: ColumnMeanings) -> None:
        self.meanings = meanings
        self._words = constraint.vocabulary.words
        fixed = [i for i, word in enumerate(self._words) if word.kind in ("keyword", "operator", "function")]
        self.text: Mapping[int, str] = {i: self._words[i].text for i in fixed}
        """The texts of keywords, operators and functions."""
        self.number = {self._words[i].text: i for i in reversed(fixed)}

    @cached_property
    def signs(self) -> Mapping[int, str]:
        """The words of comparisons."""
        return {i: text for i, text in self.text.items() if text in SIGNS}

    @cached_property
    def of_numbers(self) -> frozenset[int]:
        """What a number, or what sorts, stands beside."""
        return frozenset(i for i, text in self.text.items() if text in BEFORE_NUMBERS or text in ("IS", "BETWEEN"))

    @cached_property
    def no_text(self) -> frozenset[int]:
        """What may stand behind = and is no text of the question: numbers, columns, a bracket."""
        kinds = {"column", "constant"}
        return frozenset(
            i
            for i, word in enumerate(self._words)
            if word.kind in kinds or (word.kind == "slot" and word.terminal == "WHOLE") or word.text == "("
        )


_OPENING = ("WHERE", "AND", "OR", "NOT", "HAVING", "ON", "WHEN", "(")
_AGGREGATES = ("SUM", "AVG", "MIN", "MAX", "TOTAL")
_CLAUSES = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT")


class LinkedWords:
    """The words of a query so far; never changes.

    Args:
        of: the words.
        back: those before the last, None at the beginning.
        word: the last.
    """

    __slots__ = ("back", "of", "word")

    def __init__(self, of: MeaningWords, back: Self | None, word: int) -> None:
        self.of, self.back, self.word = of, back, word

    def comparison(self) -> tuple[Self, int, str, bool] | None:
        """Return the prefix before a comparison, its column and sign, and whether it is denied; None if there is none.

        The sign was written last.
        """
        sign, column, denied = self.of.signs.get(self.word), self.back, False
        if sign is None or column is None:
            return None
        if self.of.text.get(column.word) == "NOT" and column.back is not None:
            column, denied = column.back, True
        before = column.back
        if before is None or self.of.text.get(before.word) not in _OPENING:
            return None
        if sign in ("<>", "!="):
            sign, denied = "=", True
        return before, column.word, sign, denied

    def reckons(self) -> bool:
        """Does what comes next have to sort or add up: in an aggregate, in ORDER BY, beside a sign of numbers?"""
        text = self.of.text.get(self.word, "")
        if text in BEFORE_NUMBERS:
            return True
        if text in ("(", "DISTINCT"):
            return self.within(*_AGGREGATES)
        return text in ("BY", ",") and self._clause() == "ORDER"

    def within(self, *names: str) -> bool:
        """Does what comes next stand in one of these aggregates? Its bracket, or DISTINCT, was written last."""
        before = self.back
        if before is not None and self.of.text.get(self.word) == "DISTINCT":
            before = before.back
        return before is not None and self.of.text.get(before.word) in names

    def _clause(self) -> str:
        """Return the clause that stands open, "" within brackets of its own."""
        depth, state = 0, self
        while state.back is not None:
            text = self.of.text.get(state.word, "")
            depth += (text == ")") - (text == "(")
            if depth < 0:
                return ""
            if not depth and text in _CLAUSES:
                return text
            state = state.back
        return ""


Way: TypeAlias = "Callable[[], MeaningState | None]"
"""Leads through what a word is written in, when it is asked for: the prefix behind it, None where it cannot be."""


class _Led(Protocol):
    """A prefix that tells of one word without working out the others."""

    def admits(self, word: int) -> bool: ...

    def advance(self, token_id: int) -> Self: ...


StateT = TypeVar("StateT", bound=_Led)


class MeaningState(LinkedWords):
    """A prefix of a query whose comparisons are written as they are meant; never changes.

    Args:
        of: the words.
        inner: the query so far, comparisons written out.
        back: the prefix before the last word, None at the beginning.
        word: the last word.
        pending: what must come next, behind words that stand in no query until it does: a ``value`` of LIKE, where
            the column's type has no LIKE; behind the first value of BETWEEN ``and``, and the ``last`` value.
    """

    __slots__ = ("_led", "_mask", "_stuck", "_ways", "inner", "pending")

    def __init__(
        self,
        of: MeaningWords,
        inner: ShortState,
        back: Self | None = None,
        word: int = -1,
        pending: Literal["", "value", "and", "last"] = "",
    ) -> None:
        super().__init__(of, back, word)
        self.inner, self.pending = inner, pending
        self._mask: Mask | None = None
        self._ways: Mapping[int, Way] | None = None
        self._led: dict[int, MeaningState | None] = {}
        self._stuck: bool | None = None

    @property
    def sql_words(self) -> tuple[int, ...]:
        """Return the words of the full query so far."""
        return self.inner.sql_words

    def allowed(self) -> Mask:
        """Return the words of the vocabulary that may come next, never none."""
        if self._mask is None:
            mask = self.inner.allowed()
            if self.elsewise and not self.stuck:
                mask = mask & (not self.pending)
                for word in self.elsewise:
                    mask[word] = self._led_to(word) is not None
            self._mask = mask
        return self._mask

    def admits(self, word: int) -> bool:
        """Say whether a word may come next, as `allowed` does, without working out the others."""
        if self._mask is not None:
            return bool(self._mask[word])
        if word in self.elsewise:
            return self._led_to(word) is not None or (self.stuck and self.inner.admits(word))
        return self.inner.admits(word) and (not self.pending or self.stuck)

    def advance(self, token_id: int) -> MeaningState:
        """Return the prefix after one more word.

        Raises:
            ConstraintError: the word may not come here.
        """
        return self._led_to(token_id) or MeaningState(self.of, self.inner.advance(token_id), self, token_id)

    def explain(self, token_id: int) -> str:
        """Say in one line why a word may or may not come next."""
        if token_id in self.elsewise and self._led_to(token_id) is None and not self.stuck:
            return f"{self.of.text.get(token_id, 'the value')!r} is not allowed here: what it means cannot be written"
        return self.inner.explain(token_id)

    @property
    def elsewise(self) -> Mapping[int, Way]:
        """Return the words that stand for others here, each with what writes these."""
        if self._ways is None:
            self._ways = (
                self._pending()
                if self.pending
                else {**self._numbers(), **self._alike(), **self._compared(), **self._nth()}
            )
        return self._ways

    @property
    def stuck(self) -> bool:
        """Say whether no sensible word may come next; the caller then allows words that make little sense."""
        if self._stuck is None:
            as_it_is = self.inner.allowed() & (not self.pending)
            as_it_is[list(self.elsewise)] = False
            self._stuck = not as_it_is.any() and all(self._led_to(word) is None for word in self.elsewise)
        return self._stuck

    def _led_to(self, word: int) -> MeaningState | None:
        """Return the prefix behind a word that is written in other words, None where there is none."""
        if word not in self._led:
            way = self.elsewise.get(word)
            self._led[word] = None if way is None else way()
        return self._led[word]

    def _pending(self) -> Mapping[int, Way]:
        """Return what must come next."""
        if self.pending == "value":
            return self._compared()
        if self.pending == "and":
            conjunction = self.of.number["AND"]
            return {conjunction: lambda: MeaningState(self.of, self.inner, self, conjunction, "last")}
        return {} if self.back is None else self.back.ends(self)

    def _nth(self) -> dict[int, Way]:
        """Have «third» behind LIMIT take the third row, and not three."""
        if self.of.text.get(self.word) != "LIMIT":
            return {}
        ways = self.of.meanings.nth.items()
        return {word: partial(self._after, self.inner, words, word) if words else _never for word, words in ways}

    def _alike(self) -> dict[int, Way]:
        """Let LIKE come behind a column whose type has none, where a value means something there."""
        of, like = self.of, self.of.number["LIKE"]
        behind = self.back if self.of.text.get(self.word) == "NOT" else self
        if behind is None or behind.word not in of.meanings.columns or self.inner.admits(like):
            return {}
        return {like: partial(_if_any, MeaningState(of, self.inner, self, like, "value"))}

    def _compared(self) -> dict[int, Way]:
        """Return what becomes of values behind a column and a sign."""
        of = self.of
        if self.word not in of.signs:
            return self._listed()
        if (told := self.comparison()) is None:
            return {}
        before, column, sign, negated = told
        found: dict[int, Way] = {}
        for word, value in of.meanings.value_of.items():
            if (words := of.meanings.compared(column, sign, value)) is None:
                continue
            if not negated and self._no_time_in_both(before, column, sign, value):
                found[word] = _never
            elif sign == "BETWEEN":
                found[word] = partial(_if_any, MeaningState(of, self.inner, self, word, "and"))
            else:
                found[word] = partial(self._behind, before, words, negated, word)
        return found

    def _no_time_in_both(self, before: MeaningState, column: int, sign: str, value: int) -> bool:
        """Is a comparison joined by AND with another of the same column, so that no time is in both?"""
        other = before.back if self.of.text.get(before.word) == "AND" else None
        told = other.back.comparison() if other is not None and other.back is not None else None
        if other is None or told is None or other.word not in self.of.meanings.value_of:
            return False
        start, compared, first, denied = told
        if compared != column or denied or self.of.text.get(start.word) == "NOT":
            return False
        return self.of.meanings.apart(column, (first, self.of.meanings.value_of[other.word]), (sign, value))

    def _listed(self) -> dict[int, Way]:
        """Refuse values of a meaning in a list: «in 2022 and 2024» are two comparisons."""
        behind = self.back if self.of.text.get(self.word) == "(" else None
        if behind is None or self.of.signs.get(behind.word) != "IN" or (told := behind.comparison()) is None:
            return {}
        values = self.of.meanings.value_of.items()
        return {word: _never for word, value in values if self.of.meanings.compared(told[1], "IN", value) is not None}

    def ends(self, after: MeaningState | None = None) -> dict[int, Way]:
        """Return the values that may end a BETWEEN whose first value was the last word."""
        of, told = self.of, self.back.comparison() if self.back is not None else None
        assert told is not None
        before, column, sign, negated = told
        first = of.meanings.value_of[self.word]
        found: dict[int, Way] = {}
        for word, value in of.meanings.value_of.items():
            words = of.meanings.compared(column, sign, first, value)
            if words is not None:
                found[word] = partial(self._behind, before, words, negated, word, after)
        return found

    def _behind(
        self, before: MeaningState, words: Sequence[int], negated: bool, word: int, after: MeaningState | None = None
    ) -> MeaningState | None:
        """Return the prefix behind a comparison that is written from before its column on."""
        denied = before.word == self.of.number["NOT"]
        way = (self.of.number["NOT"], *words) if negated else words if denied else words[1:-1]
        inner = led_through(before.inner, way) if words else None
        return None if inner is None else MeaningState(self.of, inner, after or self, word)

    def _numbers(self) -> dict[int, Way]:
        """Return what becomes of columns whose cells neither sort nor add up, where they have to, and behind them."""
        of, forms = self.of, self.of.meanings.forms
        refused: dict[int, Way] = {}
        if self.of.text.get(self.word) in ("(", "DISTINCT"):
            kept_out = of.meanings.no_sum if self.within("SUM", "TOTAL") else of.meanings.no_mean
            refused = dict.fromkeys(kept_out, _never) if self.within("SUM", "AVG", "TOTAL") else {}
        if not forms:
            return refused
        if self.reckons():
            own = of.meanings.real if self.within("SUM", "TOTAL") else forms
            return refused | {word: partial(self._after, self.inner, form, word) for word, form in own.items()}
        column = self.back
        if self.word in forms and column is not None:
            form = forms[self.word]
            return {word: partial(self._after, column.inner, (*form, word), word) for word in of.of_numbers}
        if of.signs.get(self.word) in ("=", "<>", "!=") and column is not None and column.word in forms and column.back:
            start, form = column.back.inner, forms[column.word]
            return {word: partial(self._equal, start, (*form, self.word, word), word) for word in of.no_text}
        return {}

    def _equal(self, start: ShortState, words: Sequence[int], word: int) -> MeaningState | None:
        """Return the prefix behind a number that a column is equal to, where it could stand beside its text, too."""
        return self._after(start, words, word) if self.inner.admits(word) else None

    def _after(self, start: ShortState, words: Sequence[int], word: int) -> MeaningState | None:
        inner = led_through(start, words)
        return None if inner is None else MeaningState(self.of, inner, self, word)


def _never() -> None:
    """Return no prefix: what a word means makes no sense here."""


def _if_any(pending: MeaningState) -> MeaningState | None:
    """Return a prefix where something may come behind it."""
    ways = pending.elsewise if pending.pending == "value" else pending.ends()
    return pending if any(way() for way in ways.values()) else None


def led_through(state: StateT, words: Sequence[int]) -> StateT | None:
    """Return the state behind several words, None where one of them may not come."""
    for word in words:
        if not state.admits(word):
            return None
        state = state.advance(word)
    return state
