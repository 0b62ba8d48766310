"""The state of a query in the network's words, some of which have an expansion into other words.

A layer says which words have an expansion after a prefix (comparisons of typed columns, formulas). It expands into the
words of the layer beneath, and the lowest layer into those of the constraint. So the guarantees of the constraint hold
for the expanded query: a word is allowed only where the constraint allows its whole expansion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

from ....data.errors import QueryError
from ....grammar import Vocabulary
from ....grammar.decoding.state import Mask
from ...normal_form import ShortConstraint, ShortState

Words = tuple[int, ...]

Way: TypeAlias = "Callable[[], QueryState | None]"
"""Advances the constraint through a word's expansion: returns the prefix after it, None where it is not allowed."""

Ways: TypeAlias = Mapping[int, Way]
"""The words that have an expansion, each with its way, which is tried when the word is looked at."""

Due: TypeAlias = "Callable[[QueryState], Ways]"
"""Returns the words that are required next after a prefix."""

AnyState: TypeAlias = "ShortState | QueryState"
"""The state of a prefix of a query, with or without words that are expanded."""


class Layer(Protocol):
    """A layer of expansions.

    Attributes:
        size: the size of its vocabulary, whose first words are those of the layer beneath.
    """

    size: int

    def expansions(self, state: QueryState) -> Ways:
        """Return the words that have an expansion after a prefix."""
        ...


class QueryState:
    """An immutable prefix of a query, which searches may share.

    Args:
        layer: the expansions of its words.
        beneath: the same query in the words of the layer beneath.
        back: the prefix before the last word, None at the beginning.
        word: the last word.
        due: the words that are required next, if the last words are incomplete without them.
    """

    __slots__ = ("_expanded", "_mask", "_ways", "back", "beneath", "due", "layer", "word")

    def __init__(
        self, layer: Layer, beneath: AnyState, back: QueryState | None = None, word: int = -1, due: Due | None = None
    ) -> None:
        self.layer, self.beneath, self.back, self.word, self.due = layer, beneath, back, word, due
        self._mask: Mask | None = None
        self._ways: Ways | None = None
        self._expanded: dict[int, QueryState | None] = {}

    @property
    def sql_words(self) -> Words:
        """Return the words of the full query so far."""
        return self.beneath.sql_words

    @property
    def ways(self) -> Ways:
        """Return the words that have an expansion here."""
        if self._ways is None:
            self._ways = (self.due or self.layer.expansions)(self)
        return self._ways

    def allowed(self) -> Mask:
        """Return a mask of the words that may come next, (layer.size,), which is never empty.

        Where no sensible word is left, the words of the layer beneath may come without an expansion.
        """
        if self._mask is None:
            plain = self.beneath.allowed()
            mask = np.zeros(self.layer.size, np.bool_)
            if self.due is None:
                mask[: len(plain)] = plain
            for word in self.ways:
                mask[word] = self.expanded(word) is not None
            if not mask.any():
                mask[: len(plain)] = plain
            self._mask = mask
        return self._mask

    def admits(self, word: int) -> bool:
        """Say whether a word may come next, without computing the whole mask of `allowed`."""
        if self._mask is None:
            if word in self.ways:
                if self.expanded(word) is not None:
                    return True
            elif self.due is None:
                return self.beneath.admits(word)
        return bool(self.allowed()[word])

    def advance(self, token_id: int) -> QueryState:
        """Return the prefix after one more word.

        Raises:
            ConstraintError: the word may not come here.
        """
        plain = self.expanded(token_id)
        return plain or QueryState(self.layer, self.beneath.advance(token_id), self, token_id)

    def extended(self, beneath: AnyState | None, word: int, due: Due | None = None) -> QueryState | None:
        """Return the prefix after a word, given the prefix of the layer beneath after its expansion.

        Returns:
            None without that prefix, and where none of the words that are due may come.
        """
        if beneath is None:
            return None
        state = QueryState(self.layer, beneath, self, word, due)
        return state if due is None or any(state.expanded(next_word) is not None for next_word in state.ways) else None

    def through(self, word: int, words: Sequence[int], start: AnyState | None = None) -> Way:
        """Return the way of a word that stands for others, written after a prefix, by default after this one."""
        return lambda: self.extended(advance_all(start or self.beneath, words), word)

    def expanded(self, word: int) -> QueryState | None:
        """Return the prefix after the expansion of a word, None if it has none or the constraint forbids it."""
        if word not in self._expanded:
            way = self.ways.get(word)
            self._expanded[word] = None if way is None else way()
        return self._expanded[word]

    def explain(self, token_id: int) -> str:
        """Say in one line why a word may or may not come next."""
        if token_id not in self.ways and token_id < len(self.beneath.allowed()) and self.due is None:
            return self.beneath.explain(token_id)
        if self.allowed()[token_id]:
            return "what it stands for may come next"
        return "not allowed here: what it stands for cannot be written"


def forbidden() -> None:
    """Return no prefix: this is the way of a word that makes no sense here."""


def require_silently(words: Iterable[int]) -> Due:
    """Require one of some words next, which has no SQL words of its own."""
    return lambda state: {word: lambda word=word: state.extended(state.beneath, word) for word in words}


StateT = TypeVar("StateT", ShortState, QueryState, ShortState | QueryState)


def advance_all(state: StateT, words: Sequence[int]) -> StateT | None:
    """Return the state after several words, None where the constraint forbids one of them."""
    for word in words:
        if not state.admits(word):
            return None
        state = state.advance(word)
    return state


class FixedWords(dict[str, int]):
    """The keywords, operators and functions of a vocabulary by their texts, and their texts by their numbers."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        words = enumerate(vocabulary.words)
        self.texts = {i: word.text for i, word in words if word.kind in ("keyword", "operator", "function")}
        super().__init__((text, i) for i, text in reversed(self.texts.items()))

    def those(self, *texts: str) -> frozenset[int]:
        """Return the words with some texts, without those that the dialect lacks."""
        return frozenset(self[text] for text in texts if text in self)


TOO_MANY = "it has more constants than a query may have beside those of the question"


class Unwritable(Exception):
    """Raised, with a one-line reason, if the vocabulary lacks a word of an expression."""


class ExpressionWords:
    """Turns SQL expressions into words of a vocabulary; constants that it lacks get slots that no value has.

    Args:
        constraint: the constraint on the vocabulary of the database alone.
        slots: the numbers of the free slots of each kind.

    Attributes:
        filled: the constants by their slots.
    """

    def __init__(self, constraint: ShortConstraint, slots: range) -> None:
        self.constraint, self.grammar = constraint, constraint.constraint.grammar
        self.filled: dict[str, str] = {}
        self._free = {kind: [f"{kind}{i}" for i in slots] for kind in ("text", "number")}

    def ids(self, text: str, table: str) -> Words:
        """Return the words of an expression, in brackets.

        Args:
            table: a table that it reads.

        Raises:
            Unwritable: the vocabulary lacks one of them.
        """
        source = self.grammar.quoting.write(self.grammar.schema.table(table))
        try:
            tokens = self.grammar.tokenize(f"SELECT ( {text} ) FROM {source}")[1:-2]
        except QueryError as error:
            raise Unwritable(str(error)) from error
        return tuple([self.word(token.text, token.terminal) for token in tokens])

    def word(self, text: str, terminal: str) -> int:
        """Return the word of a token, or of the slot that it is assigned to if it is a constant.

        Raises:
            Unwritable: the vocabulary lacks it, or no slot is free.
        """
        numbers = self.constraint.numbers
        if (text, terminal) in numbers:
            return numbers[text, terminal]
        if terminal == "STRING":
            return numbers["'{" + self._slot(text[1:-1].replace("''", "'"), "text") + "}'", "STRING"]
        if terminal in ("WHOLE", "NUMBER"):
            return numbers["{" + self._slot(text, "number") + "}", "WHOLE"]
        raise Unwritable(f"the constraint has no word for {text}")

    def _slot(self, value: str, kind: str) -> str:
        """Assign a value to a free slot, and return the slot."""
        slot = next((slot for slot, held in self.filled.items() if held == value and slot.startswith(kind)), None)
        if slot is None:
            if not self._free[kind]:
                raise Unwritable(TOO_MANY)
            slot = self._free[kind].pop()
            self.filled[slot] = value
        return slot
