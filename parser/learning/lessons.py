"""Pairs made into lessons: a question as the network reads it, and its gold query as places in the row of words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...data.values.numerals import value_of
from ...grammar import Vocabulary
from ..normal_form.keys import Words
from ..reader.inputs import Input, make_input
from ..reader.items import SchemaItems
from ..reader.question import QuestionWords
from ..reader.words import END, ROLES, UNKNOWN, WordRow, fixed_words, moved_places

__all__ = ["Lesson", "gold_words", "lesson_of", "places_in", "robbed", "thinned", "words_written"]

_MOST_COLUMNS = 32
_MISSING = -1
_LIKE = (("'%", "%'", "'%{{text{}}}%'"), ("'", "%'", "'{{text{}}}%'"), ("'%", "'", "'%{{text{}}}'"))


@dataclass(frozen=True)
class Lesson:
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


def lesson_of(name: str, question: QuestionWords, words: Words, row: WordRow) -> Lesson:
    """Make a lesson of a question and its gold query in normal form.

    Raises:
        KeyError: the query has a word that no network writes.
    """
    found = gold_words(words, question, row.vocabulary)
    places = [UNKNOWN if word == _MISSING else int(row.places[word]) for word in found]
    if min(places, default=0) < 0:
        raise KeyError(words[places.index(-1)][0])
    return Lesson(name, question, row.items, np.array([*places, END], np.int64))


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
    for i, node in enumerate(question.values):
        if node.found.kind == "number" and wanted is not None and value_of(node.found.value) == wanted:
            return vocabulary.index(f"{{number{i}}}", "WHOLE")
    try:
        return vocabulary.index(text, "WHOLE")
    except KeyError:
        return _MISSING


def words_written(lessons: Iterable[Sequence[Lesson]]) -> set[int]:
    """Return the fixed words that the queries of lessons have, the end with them."""
    fixed = len(fixed_words())
    return {END} | {int(place) for several in lessons for place in several[0].places if UNKNOWN < place < fixed}


def robbed(lesson: Lesson, rng: np.random.Generator) -> tuple[Lesson, Input]:
    """Read a lesson without one of the columns that its query needs: it cannot be answered."""
    needed = lesson.pointed
    columns = needed[(needed >= lesson.items.tables) & (needed < len(lesson.items))]
    one = thinned(lesson, rng)
    if not len(columns):
        return lesson, one
    kept = one.kept[one.kept != rng.choice(columns)]
    return replace(lesson, places=lesson.places[:0]), make_input(lesson.question, lesson.items, kept)


def thinned(lesson: Lesson, rng: np.random.Generator) -> Input:
    """Read a lesson with some tables and columns left out that its query does not use, so that schemas vary."""
    items, pointed = lesson.items, lesson.pointed
    needed = np.zeros(len(items), np.bool_)
    needed[pointed[pointed < len(items)]] = True
    needed[items.owner[needed]] = True
    needed[0] |= not needed.any()
    share = rng.choice([0.4, 0.8, 1.0])
    tables = needed[: items.tables] | (rng.random(items.tables) < share)
    kept = needed | (tables[items.owner] & (rng.random(len(items)) < max(share, 0.8)))
    kept[: items.tables] = tables
    spare = np.flatnonzero(kept & ~needed & (np.arange(len(items)) >= items.tables))
    over = int(kept[items.tables :].sum()) - _MOST_COLUMNS
    if over > 0 and len(spare):
        kept[rng.choice(spare, min(over, len(spare)), replace=False)] = False
    return make_input(lesson.question, items, np.flatnonzero(kept))


def places_in(lesson: Lesson, one: Input, items: int) -> NDArray[np.int64]:
    """Return a lesson's places in a batch where ``items`` places are kept for items."""
    return moved_places(lesson.places, one.kept, total=len(lesson.items), items=items)
