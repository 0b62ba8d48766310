"""Formulas as words of the decoder: where the network writes one, the constraint is led through all that it stands for.

    SELECT plants.name, fin.EBIT FROM …            SELECT plants.name, ( fin.revenue - fin.costs ) FROM …
    WHERE workers.age = 'minor'                    WHERE ( workers.age < 18 )
    SELECT plants.region, AVG ( fin.margin ) …     SELECT plants.region, ( SUM ( … ) / SUM ( … ) ) …

So what the constraint promises of a query holds of it with its formulas written out: a word is allowed only where
every word of its expression is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np

from ....grammar.decoding.state import Mask
from ...normal_form import ShortState
from .formula_words import FormulaWords, Outline
from .meaning_state import MeaningState, led_through

__all__ = ["FormulaState"]

_Inner: TypeAlias = ShortState | MeaningState


class FormulaState:
    """A prefix of a query in which formulas are words; never changes.

    Args:
        of: the formulas.
        inner: the query so far, formulas written out.
        back: the prefix before the last word, None at the beginning.
        word: the last word.
        due: words that must come next, and write nothing: the bracket of an aggregate that was left out, what makes
            of a condition's column a comparison.
    """

    __slots__ = ("_led", "_mask", "back", "due", "inner", "of", "outline", "word")

    def __init__(
        self,
        of: FormulaWords,
        inner: _Inner,
        back: FormulaState | None = None,
        word: int = -1,
        due: tuple[frozenset[int], ...] = (),
    ) -> None:
        self.of, self.inner, self.back, self.word, self.due = of, inner, back, word, due
        self.outline = Outline() if back is None else back.outline.after(word, *of.told(word))
        self._mask: Mask | None = None
        self._led: dict[int, FormulaState | None] = {}

    @property
    def sql_words(self) -> tuple[int, ...]:
        """Return the words of the full query so far."""
        return self.inner.sql_words

    def allowed(self) -> Mask:
        """Return the words of the extended vocabulary that may come next."""
        if self._mask is None:
            mask = np.zeros(self.of.size_with, np.bool_)
            if self.due:
                mask[list(self.due[0])] = True
            else:
                mask[: self.of.size] = self.inner.allowed()
                self._group(mask)
                for word in (*self.of.columns, *self.of.conditions, *self._meant()):
                    mask[word] = self._led_to(word) is not None
                self._part(mask)
                if not mask.any():  # rather what makes little sense than nothing
                    mask[: self.of.size] = self.inner.allowed()
            self._mask = mask
        return self._mask

    def advance(self, token_id: int) -> FormulaState:
        """Return the prefix after one more word.

        Raises:
            ConstraintError: the word may not come here.
        """
        if self.due and token_id in self.due[0]:
            return FormulaState(self.of, self._signed(token_id), self, token_id, self.due[1:])
        special = token_id >= self.of.size or token_id in self._meant()
        led = self._led_to(token_id) if special else None
        if self.outline.due and token_id in self.of.marks.behind_groups:
            grouped = self._grouped()
            if grouped is not None and grouped.inner.admits(token_id):
                return grouped.advance(token_id)
        return led or FormulaState(self.of, self.inner.advance(token_id), self, token_id)

    def _group(self, mask: Mask) -> None:
        """Let what comes behind GROUP BY come where it is implied, and none come where rows are shown one by one."""
        if self.outline.due:
            behind, grouped = list(self.of.marks.behind_groups), self._grouped()
            mask[behind] = False if grouped is None else grouped.inner.allowed()[behind]
        if self.outline.outermost and self.outline.by_row:
            mask[self.of.marks["GROUP"]] = False

    def _part(self, mask: Mask) -> None:
        """Keep a formula that parts its rows from being asked of one part alone: a share wants both sides."""
        if self.of.tested and not self.outline.depth and (tested := self._tested()):
            mask[list(tested)] = False
            mask[self.of.marks["WHERE"]] &= not self.of.unfiltered

    def _tested(self) -> frozenset[int]:
        """Return the columns on which the formulas so far part their rows."""
        before = frozenset[int]() if self.back is None else self.back._tested()
        return before | self.of.tested.get(self.word, frozenset())

    def _grouped(self) -> FormulaState | None:
        """Return the prefix behind a GROUP BY of the columns that are shown, None where it cannot be written."""
        of, columns = self.of, self.outline.columns
        listed = [i for column in dict.fromkeys(columns) for i in (column, of.marks[","])][:-1]
        prefix: FormulaState = self
        for word in (*of.marks.several("GROUP", "BY"), *listed):
            if word >= of.size:
                led = prefix._led_to(word)
                if led is None:
                    return None
                prefix = led
            elif not prefix.inner.admits(word):
                return None
            else:
                prefix = FormulaState(of, prefix.inner.advance(word), prefix, word)
        return prefix

    def explain(self, token_id: int) -> str:
        """Say in one line why a word may or may not come next."""
        if token_id >= self.of.size or self.due:
            return "its formula may come next" if self.allowed()[token_id] else "its formula has no place here"
        return self.inner.explain(token_id)

    def _signed(self, word: int) -> _Inner:
        """Return the query behind a word that is due: a condition is written with its sign."""
        of, column = self.of, self.word
        if column not in of.conditions:
            return self.inner
        way = of.conditions[column]
        led = led_through(self.inner, (of.marks["NOT"], *way) if word in of.unequal else way)
        assert led is not None  # it was tried before the column was allowed
        return led

    def _led_to(self, word: int) -> FormulaState | None:
        if word not in self._led:
            made = self._condition if word in self.of.conditions else self._column
            self._led[word] = self._part_compared(word) if word < self.of.size else made(word)
        return self._led[word]

    def _meant(self) -> Collection[int]:
        """Return the values that mean something beside the part of a time that was compared last."""
        inner = self.inner
        if not isinstance(inner, MeaningState) or self.word not in inner.of.signs or self.back is None:
            return ()
        return inner.of.meanings.value_of if self.of.virtual.get(self._left().word) is not None else ()

    def _left(self) -> FormulaState:
        """Return the prefix behind what a sign compares; the sign was written last."""
        assert self.back is not None
        denied = self.back.word == self.of.marks["NOT"] and self.back.back is not None
        return self.back.back if denied and self.back.back is not None else self.back

    def _part_compared(self, word: int) -> FormulaState | None:
        """Return the prefix behind a part of a time and a value: as if the time were compared with it."""
        left = self._left()
        column, before = self.of.virtual[left.word], left.back
        signs = (self.word,) if left is self.back else (self.of.marks["NOT"], self.word)
        assert column is not None and before is not None
        inner = led_through(before.inner, (column, *signs, word))
        return None if inner is None else FormulaState(self.of, inner, self, word)

    def _condition(self, word: int) -> FormulaState | None:
        """Return the prefix behind the column of a condition, None where it cannot be written."""
        of, way = self.of, self.of.conditions[word]
        signs = [
            signs
            for signs, words in ((of.equal, way), (of.unequal, (of.marks["NOT"], *way)))
            if led_through(self.inner, words)
        ]
        if not signs or self._in_outputs():
            return None
        return FormulaState(of, self.inner, self, word, (frozenset().union(*signs), frozenset({of.cells[word]})))

    def _column(self, word: int) -> FormulaState | None:
        """Return the prefix behind a calculation or union, None where it cannot be written."""
        of, ways = self.of, self.of.columns.get(word)
        if ways is None:
            return None
        if word in of.single and self._of_several(word):
            return None
        if word not in of.virtual and not self.outline.orders_by(of.told(word)[1]):
            return self._ordered(word)
        side = (ways.side_by_side,) if ways.side_by_side and self._lists() else ()
        led = (inner for way in (*side, *ways.values) if (inner := led_through(self.inner, way)) is not None)
        if self.word == of.marks["("]:  # of a whole sum that could overflow its bracket is never closed
            led = iter(sorted(led, key=lambda inner: not inner.admits(of.marks[")"])))
        if (first := next(led, None)) is not None:
            return FormulaState(of, first, self, word)
        if word not in of.aggregates or (before := self._before_mean()) is None:
            return None
        inner = _first_through(before.inner, ways.values)
        return None if inner is None else FormulaState(of, inner, self, word, (frozenset({of.marks[")"]}),))

    def _of_several(self, word: int) -> bool:
        """Does the query show things of which one may have several of the rows that an aggregate is of?"""
        outline, several = self.outline, self.of.several.get(word, frozenset())
        if outline.depth or outline.clause not in ("SELECT", "ORDER"):
            return False
        words = self.of.constraint.vocabulary.words
        return any(words[column].table in several for column in outline.columns if column < self.of.size)

    def _ordered(self, word: int) -> FormulaState | None:
        """Return the prefix behind ORDER BY and a formula of many rows, with the GROUP BY that it implies."""
        of, outline = self.of, self.outline
        before = self.back.back if self.back is not None else None
        if before is None or outline.by_row or outline.grouped or of.told(word)[1] != "aggregate":
            return None
        if word in of.also_by_row and not self._of_several(word):
            return None
        grouped = before._grouped() if before.outline.columns else None
        inner = None if grouped is None else led_through(grouped.inner, of.marks.several("ORDER", "BY"))
        led = None if inner is None else _first_through(inner, of.columns[word].values)
        return None if led is None or grouped is None else FormulaState(of, led, self, word)

    def _before_mean(self) -> FormulaState | None:
        """Return the prefix before «AVG (» or «SUM (», None where nothing such was written last."""
        if self.word != self.of.marks["("] or self.back is None or self.back.word not in self.of.marks.means:
            return None
        return self.back.back

    def _lists(self) -> bool:
        """Say whether an output of a SELECT begins here, which may be several."""
        return bool(self.sql_words) and self.sql_words[-1] in self.of.marks.lists and self._in_outputs()

    def _in_outputs(self) -> bool:
        clauses = self.of.marks.clauses
        return next((clauses[i] for i in reversed(self.sql_words) if i in clauses), "") == "SELECT"


def _first_through(state: _Inner, ways: Sequence[tuple[int, ...]]) -> _Inner | None:
    return next((led for way in ways if (led := led_through(state, way)) is not None), None)
