"""The state of a query in the network's words, some of which have an expansion into other words.

A layer says which words have an expansion after a prefix (comparisons of typed columns, formulas). It expands into the
words of the layer beneath, and the lowest layer into those of the constraint. So the guarantees of the constraint hold
for the expanded query: a word is allowed only where the constraint allows its whole expansion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

from ....grammar.decoding.state import Mask
from ...normal_form import ShortState

__all__ = ["Layer", "QueryState", "StateT", "Way", "Ways", "advance_all", "forbidden", "require_silently"]

Way: TypeAlias = "Callable[[], QueryState | None]"
"""Advances the constraint through a word's expansion: returns the prefix after it, None where it is not allowed."""

Ways: TypeAlias = Mapping[int, Way]
"""The words that have an expansion, each with its way, which is tried when the word is looked at."""

Due: TypeAlias = "Callable[[QueryState], Ways]"
"""Returns the words that are required next after a prefix."""


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
        self,
        layer: Layer,
        beneath: ShortState | QueryState,
        back: QueryState | None = None,
        word: int = -1,
        due: Due | None = None,
    ) -> None:
        self.layer, self.beneath, self.back, self.word, self.due = layer, beneath, back, word, due
        self._mask: Mask | None = None
        self._ways: Ways | None = None
        self._expanded: dict[int, QueryState | None] = {}

    @property
    def sql_words(self) -> tuple[int, ...]:
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
        return self.expanded(token_id) or self.extended(self.beneath.advance(token_id), token_id)

    def extended(self, beneath: ShortState | QueryState, word: int, due: Due | None = None) -> QueryState:
        """Return the prefix after a word, given the prefix of the layer beneath after its expansion."""
        return QueryState(self.layer, beneath, self, word, due)

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


def require_silently(words: Iterable[int], then: Due | None = None) -> Due:
    """Require one of some words next, which has no SQL words of its own, and then what ``then`` requires."""
    return lambda state: {word: lambda word=word: state.extended(state.beneath, word, then) for word in words}


StateT = TypeVar("StateT", ShortState, QueryState, ShortState | QueryState)


def advance_all(state: StateT, words: Sequence[int]) -> StateT | None:
    """Return the state after several words, None where the constraint forbids one of them."""
    for word in words:
        if not state.admits(word):
            return None
        state = state.advance(word)
    return state
