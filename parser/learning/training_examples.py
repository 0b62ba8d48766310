"""Pairs made into training examples: a question as the network reads it, its gold query as places of outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...data.values.numerals import value_of
from ...grammar import Vocabulary
from ..normal_form.keys import Words
from ..reader.inputs import Input
from ..reader.items import SchemaItems
from ..reader.output_vocabulary import END, ROLES, UNKNOWN, OutputVocabulary, fixed_words, remapped
from ..reader.question import QuestionWords

__all__ = [
    "TrainingExample",
    "gold_words",
    "places_in",
    "training_example_of",
    "with_columns_dropped",
    "without_a_needed_column",
    "words_written",
]

_MAX_COLUMNS = 32
_MISSING = -1
_LIKE = (("'%", "%'", "'%{{text{}}}%'"), ("'", "%'", "'{{text{}}}%'"), ("'%", "'", "'%{{text{}}}'"))


@dataclass(frozen=True)
class TrainingExample:
    """What a network learns from one pair.

    Attributes:
        id: of the pair.
        question: as the network reads it.
        items: of its database.
        places: of the gold words as if all items were read, with the end, shape (words,); `UNKNOWN` for values that
            the question does not tell; empty where the question cannot be answered.
    """

    id: str
    question: QuestionWords
    items: SchemaItems
    places: NDArray[np.int64]

    @property
    def pointed(self) -> NDArray[np.int64]:
        """Return the items and values that the query points at, ascending."""
        fixed = len(fixed_words())
        return np.unique((self.places[self.places >= fixed] - fixed) // ROLES)


def training_example_of(name: str, question: QuestionWords, words: Words, outputs: OutputVocabulary) -> TrainingExample:
    """Make a training example of a question and its gold query in normal form.

    Raises:
        KeyError: the query has a word that no network writes.
    """
    found = gold_words(words, question, outputs.vocabulary)
    places = [UNKNOWN if word == _MISSING else int(outputs.places[word]) for word in found]
    if min(places, default=0) < 0:
        raise KeyError(words[places.index(-1)][0])
    return TrainingExample(name, question, outputs.items, np.array([*places, END], np.int64))


def gold_words(words: Words, question: QuestionWords, vocabulary: Vocabulary) -> list[int]:
    """Return the words of a gold query, its literals as values of the question or as constants; -1 for neither.

    Raises:
        KeyError: a name or keyword is not in the vocabulary.
    """
    return [_gold_word(text, terminal, question, vocabulary) for text, terminal in words]


def _gold_word(text: str, terminal: str, question: QuestionWords, vocabulary: Vocabulary) -> int:
    if terminal == "STRING":
        return _string(text, question, vocabulary)
    if terminal in {"WHOLE", "NUMBER"}:
        return _number(text, question, vocabulary)
    return vocabulary.index(text, terminal)


def _string(text: str, question: QuestionWords, vocabulary: Vocabulary) -> int:
    values = {node.found.value: i for i, node in reversed(list(enumerate(question.values)))}
    inner = text[1:-1].replace("''", "'")
    if inner.startswith("{text"):  # a value that the query does not spell, see `meant_queries`
        return vocabulary.index(text, "STRING")
    if inner in values:
        return vocabulary.index(f"'{{text{values[inner]}}}'", "STRING")
    folded = {value.lower(): i for value, i in values.items()}  # the first of the question comes last here, and stays
    for before, after, form in _LIKE:
        bare = text.removeprefix(before).removesuffix(after).replace("''", "'").lower()
        if text.startswith(before) and text.endswith(after) and bare in folded:
            return vocabulary.index(form.format(folded[bare]), "STRING")
    return _MISSING


def _number(text: str, question: QuestionWords, vocabulary: Vocabulary) -> int:
    wanted = value_of(text)
    numbers = [(i, node.found) for i, node in enumerate(question.values) if node.found.kind == "number"]
    equal = [(i, found.how) for i, found in numbers if wanted is not None and value_of(found.value) == wanted]
    said = next((i for i, how in equal if how != "constant"), None)
    if said is None:  # the 1 of LIMIT is no constant 1.0
        with suppress(KeyError):
            return vocabulary.index(text, "WHOLE")
        said = next((i for i, _ in equal), None)
    return _MISSING if said is None else vocabulary.index(f"{{number{said}}}", "WHOLE")


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
    """Return the items to read, without some tables and columns that the query does not use: schemas vary so."""
    items, pointed = example.items, example.pointed
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
