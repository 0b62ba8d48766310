"""A query so far in the words that a network writes, some of which stand for others.

One class holds it all: a layer says which words stand for others behind a prefix (what values mean beside columns,
formulas), and each layer writes in the words of the one beneath, the lowest in those of the constraint. So what the
constraint promises holds of the query as it is written: a word is allowed only where all that it stands for is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

from ....grammar.decoding.state import Mask
from ...normal_form import ShortState

__all__ = ["Layer", "QueryState", "StateT", "Way", "Ways", "forbidden", "led_through", "silent"]

Way: TypeAlias = "Callable[[], QueryState | None]"
"""Leads the constraint through what a word stands for: returns the prefix behind it, None where it cannot be."""

Ways: TypeAlias = Mapping[int, Way]
"""Words that stand for others, each with its way, which is tried when somebody wants to know of the word."""

Due: TypeAlias = "Callable[[QueryState], Ways]"
"""Returns what must come next behind a prefix."""


class Layer(Protocol):
    """What words stand for.

    Attributes:
        size: of the vocabulary; its first words are those of the layer beneath.
    """

    size: int

    def expansions(self, state: QueryState) -> Ways:
        """Return the words that stand for others behind a prefix."""
        ...


class QueryState:
    """A prefix of a query; never changes, so that searches may share it.

    Args:
        layer: what its words stand for.
        beneath: the same query in the words of the layer beneath.
        back: the prefix before the last word, None at the beginning.
        word: the last word.
        due: what must come next, where the last words stand in no query until it does.
    """

    __slots__ = ("_led", "_mask", "_ways", "back", "beneath", "due", "layer", "word")

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
        self._led: dict[int, QueryState | None] = {}

    @property
    def sql_words(self) -> tuple[int, ...]:
        """Return the words of the full query so far."""
        return self.beneath.sql_words

    @property
    def ways(self) -> Ways:
        """Return the words that stand for others here."""
        if self._ways is None:
            self._ways = (self.due or self.layer.expansions)(self)
        return self._ways

    def allowed(self) -> Mask:
        """Return the words of the vocabulary that may come next, (layer.size,), never none.

        Where nothing is left that makes sense, words that make little sense may come.
        """
        if self._mask is None:
            plain = self.beneath.allowed()
            mask = np.zeros(self.layer.size, np.bool_)
            if self.due is None:
                mask[: len(plain)] = plain
            for word in self.ways:
                mask[word] = self.led(word) is not None
            if not mask.any():
                mask[: len(plain)] = plain
            self._mask = mask
        return self._mask

    def admits(self, word: int) -> bool:
        """Say whether a word may come next, as `allowed` does, without working out the others."""
        if self._mask is None:
            if word in self.ways:
                if self.led(word) is not None:
                    return True
            elif self.due is None:
                return self.beneath.admits(word)
        return bool(self.allowed()[word])

    def advance(self, token_id: int) -> QueryState:
        """Return the prefix after one more word.

        Raises:
            ConstraintError: the word may not come here.
        """
        return self.led(token_id) or self.behind(self.beneath.advance(token_id), token_id)

    def behind(self, beneath: ShortState | QueryState, word: int, due: Due | None = None) -> QueryState:
        """Return the prefix behind a word that is written as a prefix of the layer beneath."""
        return QueryState(self.layer, beneath, self, word, due)

    def led(self, word: int) -> QueryState | None:
        """Return the prefix behind a word that stands for others, None where it is none, or cannot be written."""
        if word not in self._led:
            way = self.ways.get(word)
            self._led[word] = None if way is None else way()
        return self._led[word]

    def explain(self, token_id: int) -> str:
        """Say in one line why a word may or may not come next."""
        if token_id not in self.ways and token_id < len(self.beneath.allowed()) and self.due is None:
            return self.beneath.explain(token_id)
        if self.allowed()[token_id]:
            return "what it stands for may come next"
        return "not allowed here: what it stands for cannot be written"


def forbidden() -> None:
    """Return no prefix: a word makes no sense here."""


def silent(words: Iterable[int], then: Due | None = None) -> Due:
    """Have one of some words come next, which writes nothing, and behind it what ``then`` says."""
    return lambda state: {word: lambda word=word: state.behind(state.beneath, word, then) for word in words}


StateT = TypeVar("StateT", ShortState, QueryState, ShortState | QueryState)


def led_through(state: StateT, words: Sequence[int]) -> StateT | None:
    """Return the state behind several words, None where one of them may not come."""
    for word in words:
        if not state.admits(word):
            return None
        state = state.advance(word)
    return state
