"""A query written once more, to see what the search saw: each word's probability, and what was refused beside it.

The network reads the words of the query as if it had written them (teacher forcing), the local constraint goes along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...encoders.functions import Floats
from ...grammar import EOS, Vocabulary
from ..decoding.encoded_question import EncodedQuestion
from ..decoding.starting import QueryState
from ..network.network import Network
from ..reader.schema.output_vocabulary import BEGIN, ROLES, UNKNOWN, Role, fixed_words

__all__ = ["LEAST", "MOST", "RefusedWord", "Step", "replayed"]

MOST = 3
"""Refused words that are told of a step."""

LEAST = 0.001
"""Probability from which a refused word is told."""


@dataclass(frozen=True)
class RefusedWord:
    """A likely word that could not come.

    Attributes:
        word: as the vocabulary spells it, slots in braces.
        probability: as that of `Step`.
        reason: in one line.
    """

    word: str
    probability: float
    reason: str


@dataclass(frozen=True)
class Step:
    """One word of a query, and what stood beside it. Without a local constraint the last four tell nothing.

    Attributes:
        word: as the vocabulary spells it, slots in braces; ``<eos>`` is the end.
        probability: among all words of the network, after the global constraint; those of a query's steps multiply to
            its probability in the search.
        allowed: words that the local constraint let through, of those that the question may use.
        forbidden: probability of all others together.
        refused: the likeliest of those.
        implied: words that the constraint wrote before this one: a join's condition, where keys imply it.
    """

    word: str
    probability: float
    allowed: int | None = None
    forbidden: float | None = None
    refused: tuple[RefusedWord, ...] = ()
    implied: str = ""


def replayed(
    network: Network, vocabulary: Vocabulary, read: EncodedQuestion, words: Sequence[int], start: QueryState | None
) -> list[Step]:
    """Return the steps to a query, its end counted.

    Args:
        network: the one that read.
        words: of the vocabulary, without the end.
        start: of the local constraint, with what was available to the search; None if there was none.

    Raises:
        ConstraintError: a word may not stand where it stands.
    """
    ids = [*words, EOS]
    shares = _shares(network, read, ids)
    steps = [Step(vocabulary.words[i].text, float(row[read.places[i]])) for i, row in zip(ids, shares, strict=True)]
    if start is None:
        return steps
    state, refused = start, _Refusals(vocabulary, read.places)
    for n, (word, row) in enumerate(zip(ids, shares, strict=True)):
        allowed = state.allowed() & (read.places >= 0)
        lost = row.copy()
        lost[read.places[allowed]] = 0.0
        after = state.advance(word)
        steps[n] = replace(
            steps[n],
            allowed=int(allowed.sum()),
            forbidden=float(lost.sum()),
            refused=refused.likeliest(lost, state),
            implied=_implied(vocabulary, state, after, word),
        )
        state = after
    return steps


def _shares(network: Network, read: EncodedQuestion, ids: Sequence[int]) -> NDArray[np.float64]:
    """Return the probability of each output before each word of a query, (words, outputs)."""
    past, rows, scores = network.start(), np.zeros(1, np.int64), list[Floats]()
    for place in [BEGIN, *read.places[list(ids[:-1])].tolist()]:
        one, past = network.write(np.array([place]), rows, read.states, past)
        scores.append(one)
    # forced words may be so unlikely that single precision would call them impossible
    shares = np.exp(np.concatenate(scores).astype(np.float64))
    return shares / shares.sum(-1, keepdims=True)


def _implied(vocabulary: Vocabulary, before: QueryState, after: QueryState, word: int) -> str:
    """Return the words of the full query that came with one word of its short form."""
    more = after.sql_words[len(before.sql_words) : len(after.sql_words) - (word != EOS)]
    return " ".join(vocabulary.words[i].text for i in more)


class _Refusals:
    """Names the words that a step refused.

    Args:
        places: of the vocabulary's words among the network's outputs, (vocabulary,); -1 for none.
    """

    def __init__(self, vocabulary: Vocabulary, places: NDArray[np.int64]) -> None:
        self.vocabulary = vocabulary
        self.words = {int(place): word for word, place in enumerate(places) if place >= 0}

    def likeliest(self, lost: NDArray[np.float64], state: QueryState) -> tuple[RefusedWord, ...]:
        """Return the likeliest words, the likeliest first.

        Args:
            lost: their probabilities, 0 for words that are not refused, (outputs,).
            state: what refuses them.
        """
        order = np.argsort(-lost, kind="stable")[:MOST].tolist()
        return tuple(self._refused(place, float(lost[place]), state) for place in order if lost[place] >= LEAST)

    def _refused(self, place: int, share: float, state: QueryState) -> RefusedWord:
        word = self.words.get(place)
        if word is not None:
            return RefusedWord(self.vocabulary.words[word].text, share, state.explain(word))
        text, count = _name(place), len(fixed_words())
        if place == UNKNOWN:
            return RefusedWord(text, share, "the question does not tell the value")
        what = "this dialect has no such word" if place < count else "no query here uses it a second time"
        return RefusedWord(text, share, f"{text!r} is not allowed here: {what}")


def _name(place: int) -> str:
    """Name an output of the network that the vocabulary has not."""
    fixed = fixed_words()
    if place < len(fixed):
        return fixed[place][0]
    return f"<{Role((place - len(fixed)) % ROLES).name.lower().replace('_', ' ')}>"
