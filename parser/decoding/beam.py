"""Beam search for the best queries of one question, under the local constraint and other step processors.

After the step processors of fairseq2 and the logits processors of transformers; here each is a state that a hypothesis
carries along, so that hypotheses share what they have in common.

A hypothesis scores the sum of its words' log-probabilities over all words of the network, not only those that step
processors allow: a query that had to be forced scores low. The sum can only fall, so a search stops when no hypothesis
that goes on scores above the worst of the queries it would give: none that the beam holds is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import digits
from typing import Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...encoders.functions import Floats
from ...grammar import EOS, Vocabulary
from ...grammar.decoding.state import Mask
from ...grammar.semantics.repeats import repeats
from ...grammar.stack.time_limit import check_time
from ..network.network import Network, States
from ..reader.output_vocabulary import BEGIN

__all__ = ["C_co", "Prefix", "Unconstrained", "Unrepeated", "beam_search"]


class StepProcessor(Protocol):
    """What one constraint makes of a query so far; never changes."""

    def allowed(self) -> Mask:
        """Return the words of the vocabulary that may come next, (vocabulary,)."""
        ...

    def advance(self, token_id: int) -> Self:
        """Return the state after one more word."""
        ...


C_co = TypeVar("C_co", bound=StepProcessor, covariant=True)


@dataclass(frozen=True)
class Prefix(Generic[C_co]):
    """A query so far; never changes.

    Attributes:
        constraint: the local one.
        steps: what narrows its next word further.
        preferred: what does so only where something is left.
        words: of the vocabulary, without the end.
        score: sum of their log-probabilities, the end counted.
    """

    constraint: C_co
    steps: tuple[StepProcessor, ...] = ()
    preferred: tuple[StepProcessor, ...] = ()
    words: tuple[int, ...] = ()
    score: float = 0.0

    def allowed(self) -> Mask:
        """Return the words that may come next, none at a dead end."""
        mask = self.constraint.allowed()
        for step in self.steps:
            mask = mask & step.allowed()
        for step in self.preferred:
            narrowed = mask & step.allowed()
            mask = narrowed if narrowed.any() else mask
        return mask

    def advance(self, token_id: int, score: float = 0.0) -> Prefix[C_co]:
        """Return the prefix after one more word.

        Args:
            score: of the query with it.
        """
        constraint = self.constraint.advance(token_id)
        steps, preferred = (tuple(step.advance(token_id) for step in some) for some in (self.steps, self.preferred))
        words = self.words if token_id == EOS else (*self.words, token_id)
        return Prefix(constraint, steps, preferred, words, score)


@dataclass(frozen=True)
class Unconstrained:
    """No local constraint, to measure what it gives: any word may follow any other, until the budget is used.

    Attributes:
        available: words that may come, (vocabulary,).
        left: words that may still come.
    """

    available: Mask
    left: int

    def allowed(self) -> Mask:
        """Return the words that may come next."""
        return self.available if self.left > 0 else np.arange(len(self.available)) == EOS

    def advance(self, token_id: int) -> Unconstrained:
        """Return the state after one more word."""
        return Unconstrained(self.available, self.left - (token_id != EOS))


_SLOT = re.compile(r"(?<=\{)\w+(?=\})")
_NO_VALUES: Mapping[str, str] = {}


class Unrepeated:
    """A query so far; its next word completes nothing that stands right there. Never changes.

    Args:
        texts: of the vocabulary's words.
        numbers: of the words of each text.
        words: so far.
    """

    def __init__(self, texts: Sequence[str], numbers: Mapping[str, list[int]], words: tuple[str, ...] = ()) -> None:
        self._texts, self._numbers, self._words = texts, numbers, words

    @classmethod
    def start(cls, vocabulary: Vocabulary, values: Mapping[str, str] = _NO_VALUES) -> Unrepeated:
        """Return the empty query.

        Args:
            values: what fills slots, by their names: two of the same are one word.
        """
        first: dict[tuple[str, str], str] = {}
        same = {name: first.setdefault((name.rstrip(digits), value), name) for name, value in values.items()}
        texts = [word.text for word in vocabulary.words]
        for i in (i for name, other in same.items() if name != other for i in vocabulary.slots.get(name, ())):
            texts[i] = _SLOT.sub(lambda slot: same.get(slot[0], slot[0]), texts[i])
        numbers: dict[str, list[int]] = {}
        for number, text in enumerate(texts):
            numbers.setdefault(text, []).append(number)
        return cls(texts, numbers)

    def allowed(self) -> Mask:
        """Return the words that repeat nothing."""
        mask: Mask = np.ones(len(self._texts), np.bool_)
        for text in repeats(self._words):
            mask[self._numbers.get(text, [])] = False
        return mask

    def advance(self, token_id: int) -> Unrepeated:
        """Return the state after one more word."""
        words = self._words if token_id == EOS else (*self._words, self._texts[token_id])
        return Unrepeated(self._texts, self._numbers, words)


_UNLEARNT = np.float32(-1e9)
"""Logarithm of the probability of a word that the network never writes, where no other may stand."""


def beam_search(
    network: Network,
    states: States,
    starts: Sequence[Prefix[C_co]],
    places: NDArray[np.int64],
    *,
    width: int = 4,
) -> list[list[Prefix[C_co]]]:
    """Return for each start the best queries that begin with it, the best first; none where all ways are dead ends.

    Args:
        network: that read the question.
        states: of the question.
        starts: allow only words that have a place. Each is a search by itself; together they are read side by side.
        places: of the vocabulary's words in the network's output vocabulary, (vocabulary,); -1 for none.
        width: hypotheses of a start that are followed, and queries wanted of each; 1 is greedy.
    """
    searches = [_Search(start, width) for start in starts]
    past, rows = network.start(), np.zeros(len(starts), np.int64)
    read = np.full(len(starts), BEGIN)
    while any(search.alive for search in searches):
        check_time()
        scores, past = network.write(read, rows, states, past)
        kept: list[int] = []
        first = 0
        for search in searches:
            last = first + len(search.alive)
            kept += [first + row for row in search.step(scores[first:last], places)]
            first = last
        rows = np.array(kept, np.int64)
        read = places[[prefix.words[-1] for search in searches for prefix in search.alive]]
    return [search.done for search in searches]


class _Search(Generic[C_co]):
    """The search from one start.

    Attributes:
        alive: hypotheses that go on.
        done: whole queries, the best first.
    """

    def __init__(self, start: Prefix[C_co], width: int) -> None:
        self.alive, self.done = [start], list[Prefix[C_co]]()
        self._width = width

    def step(self, scores: Floats, places: NDArray[np.int64]) -> list[int]:
        """Write one more word of each hypothesis, and return which of them each that goes on continues.

        Args:
            scores: log-probabilities, (hypotheses, output vocabulary).
            places: as `beam_search` has them.
        """
        rows: list[int] = []
        following: list[Prefix[C_co]] = []
        for row, word, score in _ranked(self.alive, scores, places, 2 * self._width):
            if word == EOS:
                self.done.append(self.alive[row].advance(word, score))
            elif len(following) < self._width:
                following.append(self.alive[row].advance(word, score))
                rows.append(row)
        self.done = sorted(self.done, key=lambda prefix: -prefix.score)[: self._width]
        if len(self.done) == self._width:
            going = [i for i, prefix in enumerate(following) if prefix.score > self.done[-1].score]
            rows, following = [rows[i] for i in going], [following[i] for i in going]
        self.alive = following
        return rows


def _ranked(
    alive: Sequence[Prefix[C_co]], scores: Floats, places: NDArray[np.int64], most: int
) -> list[tuple[int, int, float]]:
    """Return the best continuations as (row, word, score), the best first; of equal ones the lower row and word."""
    if not alive:
        return []
    rows, words = np.nonzero(np.stack([prefix.allowed() for prefix in alive]) & (places >= 0))
    so_far = np.array([prefix.score for prefix in alive], np.float32)
    totals = np.maximum(scores[rows, places[words]], _UNLEARNT) + so_far[rows]
    best = np.argsort(-totals, kind="stable")[:most]
    return list(zip(rows[best].tolist(), words[best].tolist(), totals[best].tolist(), strict=True))
