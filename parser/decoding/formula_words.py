"""Formulas as words of the decoder: where the network writes one, the constraint is led through all that it stands for.

    SELECT plants.name, fin.EBIT FROM …            SELECT plants.name, ( fin.revenue - fin.costs ) FROM …
    WHERE workers.age = 'minor'                    WHERE ( workers.age < 18 )
    SELECT plants.region, AVG ( fin.margin ) …     SELECT plants.region, ( SUM ( … ) / SUM ( … ) ) …

So what the constraint promises of a query holds of it with its formulas written out: a word is allowed only where
every word of its expression is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...data.errors import QueryError
from ...grammar import EOS
from ...grammar.decoding.state import Mask
from ...knowledge.needed import Needed
from ..normal_form import ShortConstraint, ShortState
from ..reader.formula_items import FormulaItems, Offered
from ..reader.question import Question
from .outline import Outline, Sort

__all__ = ["FormulaPrefix", "FormulaWords", "Spare"]


@dataclass(frozen=True)
class Ways:
    """The words that a formula may be written with.

    Attributes:
        side_by_side: the columns of a union; none of other formulas.
        values: one value; the first that the constraint admits is taken.
    """

    side_by_side: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]


@dataclass
class Spare:
    """Slots that no value of the question has, for the constants of formulas."""

    texts: list[str]
    numbers: list[str]
    filled: dict[str, str]

    @classmethod
    def of(cls, question: Question, most: int) -> Spare:
        """Return the slots that a question leaves free, of ``most``."""
        free = range(len(question.values), most)
        return cls([f"text{i}" for i in free], [f"number{i}" for i in free], {})

    def slot(self, value: str, kind: str) -> str | None:
        """Return a slot that holds a value from now on, None if none is left."""
        for slot, held in self.filled.items():
            if held == value and slot.startswith(kind):
                return slot
        free = self.texts if kind == "text" else self.numbers
        if not free:
            return None
        slot = free.pop()
        self.filled[slot] = value
        return slot


class FormulaWords:
    """The formulas of one question, as words of one constraint.

    Args:
        constraint: on the vocabulary of the database alone.
        items: the database with its formulas.
        question: as it was read, with the conditions among its values.
        most: slots of a kind that the vocabulary has.
    """

    def __init__(self, constraint: ShortConstraint, items: FormulaItems, question: Question, most: int) -> None:
        self.constraint = constraint
        self.size = len(constraint.vocabulary)
        spare = Spare.of(question, most)
        self.columns: dict[int, Ways] = {}
        """Of a formula's word: the ways to write it."""
        self.conditions: dict[int, tuple[int, ...]] = {}
        """Of the word that is a condition's column: the condition."""
        self.cells: dict[int, int] = {}
        """Of that column, the word that writes the condition as its cell."""
        self.aggregates: set[int] = set()
        self.twofold: set[int] = set()
        """Those aggregates that are something of one row, too."""
        self._needed: dict[int, Needed] = {}
        self.closed: Mask = np.zeros(self.size, np.bool_)
        slots = {node.found: f"text{i}" for i, node in enumerate(question.values)}
        for one in items.offers:
            self._add(one, spare, slots.get(one.value) if one.value is not None else None)
        self.slots: Mapping[str, str] = spare.filled
        self.needed: Mask = np.zeros(self.size, np.bool_)
        """All words that formulas are written with."""
        for ways in self.columns.values():
            for way in (ways.side_by_side, *ways.values):
                self.needed[list(way)] = True
        for way in self.conditions.values():
            self.needed[list(way)] = True
        words = constraint.vocabulary.words
        self.equal = {i for i, word in enumerate(words) if word.text == "=" and word.kind == "operator"}
        self.unequal = {i for i, word in enumerate(words) if word.text == "<>" and word.kind == "operator"}
        fixed = {word.text: i for i, word in enumerate(words) if word.kind in {"keyword", "operator"}}
        self.opening, self.closing, self.negation = fixed["("], fixed[")"], fixed["NOT"]
        self.means = {i for i, word in enumerate(words) if word.kind == "function" and word.text in ("SUM", "AVG")}
        self.lists = {fixed[text] for text in ("SELECT", "DISTINCT", ",") if text in fixed}
        clauses = ("SELECT", "FROM", "WHERE", "HAVING", "BY", "ON", "(")
        self.clauses = {fixed[text]: text for text in clauses if text in fixed}
        behind = ("HAVING", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT")
        self.behind = {fixed[text] for text in behind if text in fixed} | {EOS}
        self.grouping, self.ordering = (fixed["GROUP"], fixed["BY"]), (fixed["ORDER"], fixed["BY"])
        self.comma = fixed[","]
        self.size_with = len(items.context.vocabulary)

    def start(self, available: Mask, values: Mapping[str, str]) -> FormulaPrefix:
        """Return the empty query; arguments as those of `ShortConstraint.start`."""
        own = (available[: self.size] & ~self.closed) | self.needed
        return FormulaPrefix(self, self.constraint.start(own, values={**values, **self.slots}))

    def told(self, word: int) -> tuple[str, Sort]:
        """Return the text and the sort of a word."""
        if word >= self.size:
            return "", "aggregate" if word in self.aggregates else "row"
        one = self.constraint.vocabulary.words[word]
        return one.text, "column" if one.kind == "column" else "other"

    def written(self, words: Sequence[int]) -> tuple[Needed, ...]:
        """Return the formulas that stand in a query."""
        return tuple(dict.fromkeys(self._needed[word] for word in words if word in self._needed))

    def _add(self, one: Offered, spare: Spare, slot: str | None) -> None:
        parts = self._parts(one, spare)
        if not parts:
            return
        self._needed[one.word] = one.needed
        if one.value is None:
            self.columns[one.word] = self._all_ways(one, spare)
            self.aggregates |= {one.word} if one.grounded.formula.expression.aggregate else set()
            if one.by_row is not None:
                self.twofold.add(one.word)
                self.columns[one.by_row] = self._all_ways(one, spare, by_row=True)
                self._needed[one.by_row] = one.needed
        elif slot is not None:
            words, ids = self.constraint.vocabulary.words, self.constraint.vocabulary.slots.get(slot, ())
            self.closed[list(ids)] = True
            self.conditions[one.word] = parts[0]
            self.cells[one.word] = next(i for i in ids if words[i].text == "'{" + slot + "}'")

    def _all_ways(self, one: Offered, spare: Spare, *, by_row: bool = False) -> Ways:
        """Return the ways to write a formula, side by side where it may, and in whole numbers, before others."""
        plain, real = (self._parts(one, spare, by_row=by_row, real=real) for real in (False, True))
        return Ways(self._side_by_side(plain), tuple(self._together(parts) for parts in (plain, real) if parts))

    def _parts(self, one: Offered, spare: Spare, *, by_row: bool = False, real: bool = False) -> list[tuple[int, ...]]:
        """Return the words of a formula's expressions; none where the vocabulary has not all of them."""
        texts = one.grounded.sql(self._dialect, by_row=by_row, real=real)
        parts = [ids for text in texts if (ids := self._ids(text, one, spare)) is not None]
        return parts if len(parts) == len(texts) else []

    def _side_by_side(self, parts: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """Return the columns of a union with commas between them, nothing of what has one part."""
        comma = self.constraint.numbers[",", "COMMA"]
        return tuple(i for part in parts for i in (*part[1:-1], comma))[:-1] if len(parts) > 1 else ()

    def _together(self, parts: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """Return a formula in brackets; of a union the sum of its parts."""
        if len(parts) == 1:
            return parts[0]
        number = self.constraint.numbers
        opening, closing, plus = number["(", "LPAR"], number[")", "RPAR"], number["+", "PLUS"]
        return (opening, *[i for part in parts for i in (*part[1:-1], plus)][:-1], closing)

    def _ids(self, text: str, one: Offered, spare: Spare) -> tuple[int, ...] | None:
        """Return the words of an expression in brackets; None where the vocabulary has not all of them."""
        grammar = self.constraint.constraint.grammar
        table = grammar.quoting.write(one.grounded.tables[0])
        try:
            tokens = grammar.tokenize(f"SELECT ( {text} ) FROM {table}")[1:-2]
        except QueryError:
            return None
        found: list[int] = []
        for token in tokens:
            number = self.constraint.numbers.get((token.text, token.terminal))
            if number is None:
                number = self._constant(token.text, token.terminal, spare)
            if number is None:
                return None
            found.append(number)
        return tuple(found)

    def _constant(self, text: str, terminal: str, spare: Spare) -> int | None:
        if terminal == "STRING":
            slot = spare.slot(text[1:-1].replace("''", "'"), "text")
            return None if slot is None else self.constraint.numbers.get(("'{" + slot + "}'", "STRING"))
        if terminal in ("WHOLE", "NUMBER"):
            slot = spare.slot(text, "number")
            return None if slot is None else self.constraint.numbers.get(("{" + slot + "}", "WHOLE"))
        return None

    @property
    def _dialect(self) -> str:
        return self.constraint.constraint.grammar.dialect


class FormulaPrefix:
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
        inner: ShortState,
        back: FormulaPrefix | None = None,
        word: int = -1,
        due: tuple[frozenset[int], ...] = (),
    ) -> None:
        self.of, self.inner, self.back, self.word, self.due = of, inner, back, word, due
        self.outline = Outline() if back is None else back.outline.after(word, *of.told(word))
        self._mask: Mask | None = None
        self._led: dict[int, FormulaPrefix | None] = {}

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
                for word in (*self.of.columns, *self.of.conditions):
                    mask[word] = self._led_to(word) is not None
                if not mask.any():  # rather what makes little sense than nothing
                    mask[: self.of.size] = self.inner.allowed()
            self._mask = mask
        return self._mask

    def advance(self, token_id: int) -> FormulaPrefix:
        """Return the prefix after one more word.

        Raises:
            ConstraintError: the word may not come here.
        """
        if self.due and token_id in self.due[0]:
            return FormulaPrefix(self.of, self._settled(token_id), self, token_id, self.due[1:])
        led = self._led_to(token_id) if token_id >= self.of.size else None
        if self.outline.due and token_id in self.of.behind:
            grouped = self._grouped()
            if grouped is not None and grouped.inner.allowed()[token_id]:
                return grouped.advance(token_id)
        return led or FormulaPrefix(self.of, self.inner.advance(token_id), self, token_id)

    def _group(self, mask: Mask) -> None:
        """Let what comes behind GROUP BY come where it is implied, and none come where rows are shown one by one."""
        if self.outline.due:
            behind, grouped = list(self.of.behind), self._grouped()
            mask[behind] = False if grouped is None else grouped.inner.allowed()[behind]
        if self.outline.outermost and self.outline.by_row:
            mask[self.of.grouping[0]] = False

    def _grouped(self) -> FormulaPrefix | None:
        """Return the prefix behind a GROUP BY of the columns that are shown, None where it cannot be written."""
        of, columns = self.of, self.outline.columns
        listed = [i for column in dict.fromkeys(columns) for i in (column, of.comma)][:-1]
        prefix: FormulaPrefix = self
        for word in (*of.grouping, *listed):
            if not prefix.inner.allowed()[word]:
                return None
            prefix = FormulaPrefix(of, prefix.inner.advance(word), prefix, word)
        return prefix

    def explain(self, token_id: int) -> str:
        """Say in one line why a word may or may not come next."""
        if token_id >= self.of.size or self.due:
            return "its formula may come next" if self.allowed()[token_id] else "its formula has no place here"
        return self.inner.explain(token_id)

    def _settled(self, word: int) -> ShortState:
        """Return the query behind a word that is due: a condition is written with its sign."""
        of, column = self.of, self.word
        if column not in of.conditions:
            return self.inner
        way = of.conditions[column]
        led = _through(self.inner, (of.negation, *way) if word in of.unequal else way)
        assert led is not None  # it was tried before the column was allowed
        return led

    def _led_to(self, word: int) -> FormulaPrefix | None:
        if word not in self._led:
            self._led[word] = self._condition(word) if word in self.of.conditions else self._column(word)
        return self._led[word]

    def _condition(self, word: int) -> FormulaPrefix | None:
        """Return the prefix behind the column of a condition, None where it cannot be written."""
        of, way = self.of, self.of.conditions[word]
        signs = [
            signs
            for signs, words in ((of.equal, way), (of.unequal, (of.negation, *way)))
            if _through(self.inner, words)
        ]
        if not signs or self._in_outputs():
            return None
        return FormulaPrefix(of, self.inner, self, word, (frozenset().union(*signs), frozenset({of.cells[word]})))

    def _column(self, word: int) -> FormulaPrefix | None:
        """Return the prefix behind a calculation or union, None where it cannot be written."""
        of, ways = self.of, self.of.columns.get(word)
        if ways is None:
            return None
        if not self.outline.orders_by(of.told(word)[1]):
            return self._ordered(word)
        side = (ways.side_by_side,) if ways.side_by_side and self._lists() else ()
        led = [inner for way in (*side, *ways.values) if (inner := _through(self.inner, way)) is not None]
        if self.word == of.opening:  # of a whole sum that could overflow its bracket is never closed
            led.sort(key=lambda inner: not inner.allowed()[of.closing])
        if led:
            return FormulaPrefix(of, led[0], self, word)
        if word not in of.aggregates or (before := self._before_mean()) is None:
            return None
        inner = _first_through(before.inner, ways.values)
        return None if inner is None else FormulaPrefix(of, inner, self, word, (frozenset({of.closing}),))

    def _ordered(self, word: int) -> FormulaPrefix | None:
        """Return the prefix behind ORDER BY and a formula of many rows, with the GROUP BY that it implies."""
        of, outline = self.of, self.outline
        before = self.back.back if self.back is not None else None
        if before is None or outline.by_row or outline.grouped or of.told(word)[1] != "aggregate" or word in of.twofold:
            return None
        grouped = before._grouped() if before.outline.columns else None
        inner = None if grouped is None else _through(grouped.inner, of.ordering)
        led = None if inner is None else _first_through(inner, of.columns[word].values)
        return None if led is None or grouped is None else FormulaPrefix(of, led, self, word)

    def _before_mean(self) -> FormulaPrefix | None:
        """Return the prefix before «AVG (» or «SUM (», None where nothing such was written last."""
        if self.word != self.of.opening or self.back is None or self.back.word not in self.of.means:
            return None
        return self.back.back

    def _lists(self) -> bool:
        """Say whether an output of a SELECT begins here, which may be several."""
        return bool(self.sql_words) and self.sql_words[-1] in self.of.lists and self._in_outputs()

    def _in_outputs(self) -> bool:
        clauses = self.of.clauses
        return next((clauses[i] for i in reversed(self.sql_words) if i in clauses), "") == "SELECT"


def _first_through(state: ShortState, ways: Sequence[tuple[int, ...]]) -> ShortState | None:
    return next((led for way in ways if (led := _through(state, way)) is not None), None)


def _through(state: ShortState, words: Sequence[int]) -> ShortState | None:
    for word in words:
        if not state.allowed()[word]:
            return None
        state = state.advance(word)
    return state
