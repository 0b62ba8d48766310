"""The query of a solved question as a template: every word as it stands, but for the values that its question names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.domains.examples import SLOT
from ...data.errors import QueryError
from ...data.sql.compared import compared_columns
from ...grammar import EOS
from ...ner.index import FoundValue
from ..normal_form import NormalForm
from ..reader.context import DatabaseContext

__all__ = ["AlongTemplate", "Hole", "Literal", "QueryTemplate", "QueryTemplates"]

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
class Hole:
    """A value of a query that its question names.

    Attributes:
        words: slots of its kind, (vocabulary,).
        column: (table, column) that it is compared with; None where nobody knows.
    """

    words: Mask
    column: tuple[str, str] | None

    def takes(self, found: FoundValue) -> bool:
        """May a value stand here? No constant, and no cell of other columns alone."""
        if found.how == "constant":
            return False
        return found.kind != "cell" or self.column is None or self.column in found.columns


@dataclass(frozen=True)
class QueryTemplate:
    """What a query may be.

    Attributes:
        key: its words, slots alike; equal of queries that differ in their questions' values alone.
        places: each word's: the one of the vocabulary, a literal, or a hole for a value; the end is last.
    """

    key: tuple[str, ...]
    places: tuple[int | Literal | Hole, ...]

    @property
    def literals(self) -> list[Literal]:
        """Return the literals in it."""
        return [place for place in self.places if isinstance(place, Literal)]


@dataclass(frozen=True)
class AlongTemplate:
    """The step processor that leaves what a template has at its place; never changes.

    Attributes:
        masks: the words that may stand at each place of the template.
        at: the place.
    """

    masks: Sequence[Mask]
    at: int = 0

    def allowed(self) -> Mask:
        """Return the words of the vocabulary that may come next."""
        return self.masks[self.at]

    def advance(self, token_id: int) -> AlongTemplate:
        """Return the state after one more word."""
        return AlongTemplate(self.masks, self.at + 1)


class QueryTemplates:
    """Makes templates of queries on one database.

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

    def of(self, slotted: str) -> QueryTemplate | None:
        """Return the template of a query with slots; None if it cannot be one here: a name or a word is unknown."""
        grammar = self._context.grammar
        try:
            words = self._context.short.words(self._form.of(slotted))
        except QueryError:
            return None
        compared = compared_columns(slotted, grammar.schema, grammar.dialect)
        columns = {slot[0]: (table, column) for value, table, column in compared if (slot := SLOT.search(value))}
        places = [self._place(text, terminal, columns) for text, terminal in words]
        if any(place is None for place in places):
            return None
        key = tuple(_kind(text, terminal) for text, terminal in words)
        return QueryTemplate(key, (*(place for place in places if place is not None), EOS))

    def masks(self, template: QueryTemplate, slots: Mapping[str, FoundValue]) -> list[Mask]:
        """Return the words that may stand at each place of a template.

        Args:
            slots: what each slot of a question stands for, see `slots_of`.
        """
        return [self._words(place, slots) for place in template.places]

    def _place(self, text: str, terminal: str, columns: Mapping[str, tuple[str, str]]) -> int | Literal | Hole | None:
        slot = SLOT.search(text)
        if slot and terminal in ("STRING", *_NUMBERS):
            words = self._texts.get(_form(text)) if terminal == "STRING" else self._numbers
            return None if words is None else Hole(words, columns.get(slot[0]))
        if terminal == "STRING":
            return Literal(_core(text), _form(text))
        try:
            return self._context.vocabulary.index(text, terminal)
        except KeyError:
            return Literal(text, "{}") if terminal in _NUMBERS else None

    def _words(self, place: int | Literal | Hole, slots: Mapping[str, FoundValue]) -> Mask:
        if isinstance(place, int):
            return self._only([place])
        if isinstance(place, Literal):
            written = [place.form.format("{" + slot + "}") for slot, one in slots.items() if one.value == place.value]
            return self._only(self._slots[text] for text in written if text in self._slots)
        words = self._context.vocabulary.words
        taken = {slot for slot, found in slots.items() if place.takes(found)}
        return self._only(i for i in np.flatnonzero(place.words).tolist() if words[i].slot in taken)

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
    if SLOT.search(text) is None:
        return text
    return _form(text) if terminal == "STRING" else "{}"
