"""The constraint led through what a comparison means: the network writes `trip.day > '{text0}'`, the query an interval.

    WHERE visit.day LIKE '{text0}%' …   WHERE visit.day >= '2024-02-01' AND visit.day < '2024-03-01' …

The comparison is written where its value is, back from before its column; so what the constraint promises holds of the
query as it is. Where that cannot be written, the value may not come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from ....grammar.decoding.state import Mask
from ...normal_form import ShortState
from ..prefix import StepProcessor
from .meaning_words import BEFORE_NUMBERS, MeaningWords

__all__ = ["MeaningState", "led_through"]

StateT = TypeVar("StateT", bound=StepProcessor)

_OPENING = ("WHERE", "AND", "OR", "NOT", "HAVING", "ON", "WHEN", "(")
_AGGREGATES = ("SUM", "AVG", "MIN", "MAX", "TOTAL")
_CLAUSES = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT")


class MeaningState:
    """A prefix of a query whose comparisons are written as they are meant; never changes.

    Args:
        of: the words.
        inner: the query so far, comparisons written out.
        back: the prefix before the last word, None at the beginning.
        word: the last word.
        pending: what must come next, behind words that stand in no query until it does: a ``value`` of LIKE, where
            the column's type has no LIKE; behind the first value of BETWEEN ``and``, and the ``last`` value.
    """

    __slots__ = ("_led", "_mask", "back", "inner", "of", "pending", "word")

    def __init__(
        self,
        of: MeaningWords,
        inner: ShortState,
        back: MeaningState | None = None,
        word: int = -1,
        pending: Literal["", "value", "and", "last"] = "",
    ) -> None:
        self.of, self.inner, self.back, self.word, self.pending = of, inner, back, word, pending
        self._mask: Mask | None = None
        self._led: Mapping[int, MeaningState | None] | None = None

    @property
    def sql_words(self) -> tuple[int, ...]:
        """Return the words of the full query so far."""
        return self.inner.sql_words

    def allowed(self) -> Mask:
        """Return the words of the vocabulary that may come next, never none."""
        if self._mask is None:
            mask, led = self.inner.allowed(), self._elsewise()
            if self.pending:
                mask = mask & False
            if led:
                mask = mask.copy()
                for word, state in led.items():
                    mask[word] = state is not None
                if not mask.any():  # rather what makes little sense than nothing
                    mask, self._led = self.inner.allowed(), {}
            self._mask = mask
        return self._mask

    def advance(self, token_id: int) -> MeaningState:
        """Return the prefix after one more word.

        Raises:
            ConstraintError: the word may not come here.
        """
        self.allowed()
        led = self._elsewise().get(token_id)
        return led or MeaningState(self.of, self.inner.advance(token_id), self, token_id)

    def explain(self, token_id: int) -> str:
        """Say in one line why a word may or may not come next."""
        if self._elsewise().get(token_id, self) is None:
            return f"{self.of.text.get(token_id, 'the value')!r} is not allowed here: what it means cannot be written"
        return self.inner.explain(token_id)

    def _elsewise(self) -> Mapping[int, MeaningState | None]:
        """Return the words that are written in other words here, each with the prefix behind it; None: it cannot be."""
        if self._led is None:
            self._led = self._pending() if self.pending else {**self._numbers(), **self._alike(), **self._compared()}
        return self._led

    def _pending(self) -> Mapping[int, MeaningState | None]:
        """Return what must come next."""
        if self.pending == "value":
            return self._compared()
        if self.pending == "and":
            conjunction = self.of.number["AND"]
            return {conjunction: MeaningState(self.of, self.inner, self, conjunction, "last")}
        return {} if self.back is None else self.back._ends(self)

    def _alike(self) -> dict[int, MeaningState | None]:
        """Let LIKE come behind a column whose type has none, where a value means something there."""
        of, like = self.of, self.of.number["LIKE"]
        behind = self.back if self.of.text.get(self.word) == "NOT" else self
        if behind is None or behind.word not in of.meanings.columns or self.inner.allowed()[like]:
            return {}
        pending = MeaningState(of, self.inner, self, like, "value")
        return {like: pending} if any(pending._compared().values()) else {}

    def _compared(self) -> dict[int, MeaningState | None]:
        """Return what becomes of values behind a column and a sign."""
        of = self.of
        if self.word not in of.signs:
            return self._listed()
        if (told := self._comparison()) is None:
            return {}
        before, column, sign, negated = told
        found: dict[int, MeaningState | None] = {}
        for word, value in of.meanings.value_of.items():
            if (words := of.meanings.compared(column, sign, value)) is None:
                continue
            if sign == "BETWEEN":
                pending = MeaningState(of, self.inner, self, word, "and")
                found[word] = pending if any(pending._ends().values()) else None
            else:
                found[word] = self._behind(before, words, negated, word)
        return found

    def _listed(self) -> dict[int, MeaningState | None]:
        """Refuse values of a meaning in a list: «in 2022 and 2024» are two comparisons."""
        behind = self.back if self.of.text.get(self.word) == "(" else None
        if behind is None or self.of.signs.get(behind.word) != "IN" or (told := behind._comparison()) is None:
            return {}
        values = self.of.meanings.value_of.items()
        return {word: None for word, value in values if self.of.meanings.compared(told[1], "IN", value) is not None}

    def _ends(self, after: MeaningState | None = None) -> dict[int, MeaningState | None]:
        """Return the values that may end a BETWEEN whose first value was the last word."""
        of, told = self.of, self.back._comparison() if self.back is not None else None
        assert told is not None
        before, column, sign, negated = told
        first = of.meanings.value_of[self.word]
        found: dict[int, MeaningState | None] = {}
        for word, value in of.meanings.value_of.items():
            words = of.meanings.compared(column, sign, first, value)
            if words is not None:
                found[word] = self._behind(before, words, negated, word, after)
        return found

    def _behind(
        self, before: MeaningState, words: Sequence[int], negated: bool, word: int, after: MeaningState | None = None
    ) -> MeaningState | None:
        """Return the prefix behind a comparison that is written from before its column on."""
        denied = before.word == self.of.number["NOT"]
        way = (self.of.number["NOT"], *words) if negated else words if denied else words[1:-1]
        inner = led_through(before.inner, way) if words else None
        return None if inner is None else MeaningState(self.of, inner, after or self, word)

    def _comparison(self) -> tuple[MeaningState, int, str, bool] | None:
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

    def _numbers(self) -> dict[int, MeaningState | None]:
        """Return what becomes of columns whose cells neither sort nor add up, where they have to, and behind them."""
        of, forms = self.of, self.of.meanings.forms
        refused: dict[int, MeaningState | None] = {}
        if self.of.text.get(self.word) in ("(", "DISTINCT"):
            kept_out = of.meanings.no_sum if self._within("SUM", "TOTAL") else of.meanings.no_mean
            refused = dict.fromkeys(kept_out) if self._within("SUM", "AVG", "TOTAL") else {}
        if not forms:
            return refused
        if self._reckons():
            own = of.meanings.real if self._within("SUM", "TOTAL") else forms
            return refused | {word: self._after(self.inner, form, word) for word, form in own.items()}
        column = self.back
        if self.word in forms and column is not None:
            form = forms[self.word]
            return {word: self._after(column.inner, (*form, word), word) for word in of.of_numbers}
        if of.signs.get(self.word) in ("=", "<>", "!=") and column is not None and column.word in forms and column.back:
            form = forms[column.word]
            words = [word for word in self.inner.allowed().nonzero()[0].tolist() if word in of.no_text]
            return {word: self._after(column.back.inner, (*form, self.word, word), word) for word in words}
        return {}

    def _after(self, start: ShortState, words: Sequence[int], word: int) -> MeaningState | None:
        inner = led_through(start, words)
        return None if inner is None else MeaningState(self.of, inner, self, word)

    def _reckons(self) -> bool:
        """Does what comes next have to sort or add up: in an aggregate, in ORDER BY, beside a sign of numbers?"""
        text = self.of.text.get(self.word, "")
        if text in BEFORE_NUMBERS:
            return True
        if text in ("(", "DISTINCT"):
            return self._within(*_AGGREGATES)
        return text in ("BY", ",") and self._clause() == "ORDER"

    def _within(self, *names: str) -> bool:
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


def led_through(state: StateT, words: Sequence[int]) -> StateT | None:
    """Return the state behind several words, None where one of them may not come."""
    for word in words:
        if not state.allowed()[word]:
            return None
        state = state.advance(word)
    return state
