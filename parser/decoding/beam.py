"""Beam search for the best queries of one question, under the local constraint and other step processors.

The step processors follow those of fairseq2 and the logits processors of transformers. Here each is an immutable state
of a hypothesis, so that hypotheses share the states of their common prefix.

A hypothesis scores the sum of its words' log-probabilities over all words of the network, not only those that step
processors allow: a query that had to be forced scores low. The sum can only fall, so a search stops when no unfinished
hypothesis scores above the worst of the finished queries: the beam loses no better query by stopping.
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


class StepProcessor(Protocol):
    """The immutable state of one constraint after a prefix of a query."""

    def allowed(self) -> Mask:
        """Return the words of the vocabulary that may come next, (vocabulary,)."""
        ...

    def advance(self, token_id: int) -> Self:
        """Return the state after one more word."""
        ...


C_co = TypeVar("C_co", bound=StepProcessor, covariant=True)


@dataclass(frozen=True)
class Prefix(Generic[C_co]):
    """A hypothesis of the search: an immutable prefix of a query.

    Attributes:
        constraint: the state of the local constraint.
        steps: step processors that narrow the next word further.
        preferred: step processors that are ignored where they would leave no word.
        ids: the word numbers so far, without the end.
        score: the sum of the words' log-probabilities, the end included.
    """

    constraint: C_co
    steps: tuple[StepProcessor, ...] = ()
    preferred: tuple[StepProcessor, ...] = ()
    ids: tuple[int, ...] = ()
    score: float = 0.0

    def allowed(self) -> Mask:
        """Return the words that may come next; the mask is empty at a dead end."""
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
            score: the score of the longer prefix.
        """
        constraint = self.constraint.advance(token_id)
        steps, preferred = (tuple(step.advance(token_id) for step in some) for some in (self.steps, self.preferred))
        ids = self.ids if token_id == EOS else (*self.ids, token_id)
        return Prefix(constraint, steps, preferred, ids, score)


@dataclass(frozen=True)
class Unconstrained:
    """A stand-in for the local constraint, to measure its worth: any word may come until the budget is used.

    Attributes:
        available: a mask of the words that may come, (vocabulary,).
        left: the number of words that may still come.
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


class NoRepeat:
    """An immutable step processor that forbids the next word to complete a repetition of what precedes it.

    Args:
        texts: the texts of the vocabulary's words.
        numbers: the numbers of the words that have each text.
        words: the texts of the words so far.
    """

    def __init__(self, texts: Sequence[str], numbers: Mapping[str, list[int]], words: tuple[str, ...] = ()) -> None:
        self._texts, self._numbers, self._words = texts, numbers, words

    @classmethod
    def start(cls, vocabulary: Vocabulary, values: Mapping[str, str] = _NO_VALUES) -> NoRepeat:
        """Return the empty query.

        Args:
            values: the values of slots by name; two slots with the same value count as the same word.
        """
        first: dict[tuple[str, str], str] = {}
        same = {name: first.setdefault((name.rstrip(digits), value), name) for name, value in values.items()}
        texts = [word.text for word in vocabulary.words]
        for i in (i for name, first_name in same.items() if name != first_name for i in vocabulary.slots.get(name, ())):
            texts[i] = _SLOT.sub(lambda slot: same.get(slot[0], slot[0]), texts[i])
        numbers: dict[str, list[int]] = {}
        for number, text in enumerate(texts):
            numbers.setdefault(text, []).append(number)
        return cls(texts, numbers)

    def allowed(self) -> Mask:
        """Return a mask of the words that complete no repetition."""
        mask: Mask = np.ones(len(self._texts), np.bool_)
        for text in repeats(self._words):
            mask[self._numbers.get(text, [])] = False
        return mask

    def advance(self, token_id: int) -> NoRepeat:
        """Return the state after one more word."""
        words = self._words if token_id == EOS else (*self._words, self._texts[token_id])
        return NoRepeat(self._texts, self._numbers, words)


_UNLEARNT = np.float32(-1e9)
"""The log-probability of a word that the network never learnt to write, where the constraint allows no other."""


def beam_search(
    network: Network, states: States, starts: Sequence[Prefix[C_co]], places: NDArray[np.int64], *, width: int = 4
) -> list[list[Prefix[C_co]]]:
    """Return the best queries of each start, the best first; the list is empty where each way is a dead end.

    Args:
        network: the network that encoded the question.
        states: the encoder states of the question.
        starts: prefixes that allow only words with a place. Their searches are independent and run as one batch.
        places: the index of each vocabulary word in the network's output vocabulary, (vocabulary,); -1 if it has none.
        width: the beam width: hypotheses kept and queries returned for each start; 1 is greedy search.
    """
    searches = [_Search(start, width) for start in starts]
    past, rows = network.start(), np.zeros(len(starts), np.int64)
    written = np.full(len(starts), BEGIN)
    while any(search.alive for search in searches):
        check_time()
        scores, past = network.write(written, rows, states, past)
        kept: list[int] = []
        first = 0
        for search in searches:
            last = first + len(search.alive)
            kept += [first + row for row in search.step(scores[first:last], places)]
            first = last
        rows = np.array(kept, np.int64)
        written = places[[prefix.ids[-1] for search in searches for prefix in search.alive]]
    return [search.done for search in searches]


class _Search(Generic[C_co]):
    """The search from one start.

    Attributes:
        alive: the unfinished hypotheses.
        done: the finished queries, the best first.
    """

    def __init__(self, start: Prefix[C_co], width: int) -> None:
        self.alive, self.done = [start], list[Prefix[C_co]]()
        self._width = width

    def step(self, scores: Floats, places: NDArray[np.int64]) -> list[int]:
        """Extend each hypothesis by a word, and return the row of the parent of each new hypothesis.

        Args:
            scores: log-probabilities, (hypotheses, output vocabulary).
            places: the same as in `beam_search`.
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
    """Return the best continuations as (row, word, score), the best first; ties go to the lower row and word."""
    if not alive:
        return []
    rows, words = np.nonzero(np.stack([prefix.allowed() for prefix in alive]) & (places >= 0))
    so_far = np.array([prefix.score for prefix in alive], np.float32)
    totals = np.maximum(scores[rows, places[words]], _UNLEARNT) + so_far[rows]
    best = np.argsort(-totals, kind="stable")[:most]
    return list(zip(rows[best].tolist(), words[best].tolist(), totals[best].tolist(), strict=True))
