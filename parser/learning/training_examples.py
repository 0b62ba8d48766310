"""Pairs made into training examples: a question as the network reads it, its gold query as places of outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..decoding.history import UNSAID, slotted_words
from ..normal_form.words import Words
from ..reader.inputs import NO_QUERY, EarlierQuery, Input
from ..reader.items import SchemaItems
from ..reader.output_vocabulary import END, ROLES, UNKNOWN, OutputVocabulary, fixed_words, remapped
from ..reader.question import QuestionWords

__all__ = [
    "TrainingExample",
    "places_in",
    "training_example_of",
    "with_columns_dropped",
    "without_a_needed_column",
    "words_written",
]

_MAX_COLUMNS = 32


@dataclass(frozen=True)
class TrainingExample:
    """What a network learns from one pair.

    Attributes:
        id: of the pair.
        question: as the network reads it.
        items: of its database.
        places: of the gold words as if all items were read, with the end, shape (words,); `UNKNOWN` for values that
            the question does not tell; empty where the question cannot be answered.
        before: the query before, of a question in a conversation.
        carries: does it need what was asked before? None where nobody said.
    """

    id: str
    question: QuestionWords
    items: SchemaItems
    places: NDArray[np.int64]
    before: EarlierQuery = NO_QUERY
    carries: bool | None = None

    @property
    def pointed(self) -> NDArray[np.int64]:
        """Return the items and values that the query points at, ascending."""
        return _pointed(self.places)


def training_example_of(name: str, question: QuestionWords, words: Words, outputs: OutputVocabulary) -> TrainingExample:
    """Make a training example of a question and its gold query in normal form.

    Raises:
        KeyError: the query has a word that no network writes.
    """
    found = slotted_words(words, question, outputs.vocabulary)
    places = [UNKNOWN if word == UNSAID else int(outputs.places[word]) for word in found]
    if min(places, default=0) < 0:
        raise KeyError(words[places.index(-1)][0])
    return TrainingExample(name, question, outputs.items, np.array([*places, END], np.int64))


def words_written(examples: Iterable[Sequence[TrainingExample]]) -> set[int]:
    """Return the fixed words that the queries of training examples have, the end with them."""
    fixed = len(fixed_words())
    return {END} | {int(place) for several in examples for place in several[0].places if UNKNOWN < place < fixed}


def without_a_needed_column(
    example: TrainingExample, rng: np.random.Generator
) -> tuple[TrainingExample, NDArray[np.int64]]:
    """Leave out one of the columns that a query needs, so that it cannot be answered; returns the items to read."""
    needed = example.pointed
    columns = needed[(needed >= example.items.tables) & (needed < len(example.items))]
    kept = with_columns_dropped(example, rng)
    if not len(columns):
        return example, kept
    return replace(example, places=example.places[:0]), kept[kept != rng.choice(columns)]


def with_columns_dropped(example: TrainingExample, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the items to read, without some tables and columns that no query uses: schemas vary so."""
    items, pointed = example.items, np.union1d(example.pointed, _pointed(example.before.places))
    needed = np.zeros(len(items), np.bool_)
    needed[pointed[pointed < len(items)]] = True
    needed[items.owner[needed]] = True
    needed[0] |= not needed.any()
    share = rng.choice([0.4, 0.8, 1.0])
    tables = needed[: items.tables] | (rng.random(items.tables) < share)
    kept = needed | (tables[items.owner] & (rng.random(len(items)) < max(share, 0.8)))
    kept[: items.tables] = tables
    unneeded = np.flatnonzero(kept & ~needed & (np.arange(len(items)) >= items.tables))
    over = int(kept[items.tables :].sum()) - _MAX_COLUMNS
    if over > 0 and len(unneeded):
        kept[rng.choice(unneeded, min(over, len(unneeded)), replace=False)] = False
    return np.flatnonzero(kept)


def places_in(example: TrainingExample, one: Input, items: int) -> NDArray[np.int64]:
    """Return a training example's places in a batch where ``items`` places are kept for items."""
    return remapped(example.places, one.kept, total=len(example.items), items=items)


def _pointed(places: NDArray[np.int64]) -> NDArray[np.int64]:
    fixed = len(fixed_words())
    return np.unique((places[places >= fixed] - fixed) // ROLES)
