"""The query of a solved question as a pattern: every word as it stands, but for the values that its question names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.errors import QueryError
from ...grammar import EOS
from ...ner.index import FoundValue
from ..normal_form import NormalForm, ShortState
from ..reader.context import DatabaseContext

__all__ = ["Literal", "Pattern", "PatternPrefix", "Patterns"]

Mask = NDArray[np.bool_]

_NUMBERS = ("WHOLE", "NUMBER")


@dataclass(frozen=True)
class Literal:
    """A value of a query that its question does not name.

    Attributes:
        value: as `FoundValue.value`.
        form: of a string, how it stands in quotes: ``'{}'``, or with % at an end; of a number ``{}``.
    """

    value: str
    form: str

    @property
    def found(self) -> FoundValue:
        """Return it as a value that no question says."""
        kind = "number" if self.form == "{}" else "cell"
        return FoundValue(0, 0, "", self.value, kind, "constant", (), 0.0)


@dataclass(frozen=True)
class Pattern:
    """What a query may be.

    Attributes:
        key: its words, slots alike; equal of queries that differ in their questions' values alone.
        places: for each word those of the vocabulary that may stand there, or the literal that must; the end is last.
    """

    key: tuple[str, ...]
    places: tuple[Mask | Literal, ...]

    @property
    def literals(self) -> list[Literal]:
        """Return the literals in it."""
        return [place for place in self.places if isinstance(place, Literal)]


class PatternPrefix:
    """A prefix of a query under the local constraint that follows a pattern, too; never changes.

    Args:
        inner: under the local constraint.
        masks: the words that may stand at each place of the pattern.
        at: the place.
    """

    def __init__(self, inner: ShortState, masks: Sequence[Mask], at: int = 0) -> None:
        self._inner, self._masks, self._at = inner, masks, at

    @property
    def sql_words(self) -> tuple[int, ...]:
        """Return the words of the full query so far."""
        return self._inner.sql_words

    def allowed(self) -> Mask:
        """Return the words of the vocabulary that may come next; none where the pattern cannot be followed here."""
        return self._inner.allowed() & self._masks[self._at]

    def advance(self, token_id: int) -> PatternPrefix:
        """Return the prefix after one more word."""
        return PatternPrefix(self._inner.advance(token_id), self._masks, self._at + 1)


class Patterns:
    """Makes patterns of queries on one database.

    Args:
        context: of the database, with the vocabulary.
    """

    def __init__(self, context: DatabaseContext) -> None:
        self._context = context
        self._form = NormalForm(context.grammar)
        words = context.vocabulary.words
        slots = [(i, word) for i, word in enumerate(words) if word.slot is not None]
        self._slots = {word.text: i for i, word in slots}
        self._numbers = self._only(i for i, word in slots if word.terminal != "STRING")
        strings = [(i, _form(word.text)) for i, word in slots if word.terminal == "STRING"]
        self._texts = {form: self._only(i for i, other in strings if other == form) for _, form in strings}

    def of(self, slotted: str) -> Pattern | None:
        """Return the pattern of a query with slots; None if it cannot be one here: a name or a word is unknown."""
        try:
            words = self._context.short.words(self._form.of(slotted))
        except QueryError:
            return None
        places = [self._place(text, terminal) for text, terminal in words]
        if any(place is None for place in places):
            return None
        key = tuple(_kind(text, terminal) for text, terminal in words)
        return Pattern(key, (*(place for place in places if place is not None), self._only([EOS])))

    def masks(self, pattern: Pattern, values: Mapping[str, str], unsaid: Collection[str] = ()) -> list[Mask]:
        """Return the words that may stand at each place of a pattern.

        Args:
            values: what fills each slot of a question, by the slot's name.
            unsaid: slots of constants, which are none of the question's values.
        """
        words = self._context.vocabulary.words
        said = ~self._only(i for i in self._slots.values() if words[i].slot in unsaid)
        return [self._slots_of(one, values) if isinstance(one, Literal) else one & said for one in pattern.places]

    def _place(self, text: str, terminal: str) -> Mask | Literal | None:
        if terminal == "STRING":
            form = _form(text)
            return self._texts.get(form) if "{" in text else Literal(_core(text), form)
        if terminal in _NUMBERS and "{" in text:
            return self._numbers
        try:
            return self._only([self._context.vocabulary.index(text, terminal)])
        except KeyError:
            return Literal(text, "{}") if terminal in _NUMBERS else None

    def _slots_of(self, literal: Literal, values: Mapping[str, str]) -> Mask:
        """Return the slots that stand for a literal."""
        written = (literal.form.format("{" + slot + "}") for slot, value in values.items() if value == literal.value)
        return self._only(self._slots[text] for text in written if text in self._slots)

    def _only(self, words: Iterable[int]) -> Mask:
        mask = np.zeros(len(self._context.vocabulary.words), bool)
        mask[list(words)] = True
        return mask


def _form(text: str) -> str:
    """Return how a string stands in its quotes: with the % of LIKE at its ends."""
    return "'" + "%" * text.startswith("'%") + "{}" + "%" * (text.endswith("%'") and len(text) > 3) + "'"


def _core(text: str) -> str:
    """Return what a string says, without quotes and the % of LIKE at its ends."""
    return text[1:-1].strip("%").replace("''", "'")


def _kind(text: str, terminal: str) -> str:
    if "{" not in text:
        return text
    return _form(text) if terminal == "STRING" else "{}"
