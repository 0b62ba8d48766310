"""Training examples: a question with its schema, and its gold query as indices of the network's output vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...data.domains.domain import Example
from ...data.errors import QuerentError
from ...data.parsing import parse
from ...data.sql.sources import Stored
from ...grammar import EOS
from ...meaning.profile import DatabaseProfile
from ...meaning.reading import in_one_way, profiled_by
from ...ner.index import FoundValue
from ...ner.known_values import Columns, given, with_meanings
from ..decoding.delexicalised import DelexicalisedQuery, delexicalise
from ..decoding.history import UNSAID, slotted_words
from ..decoding.parsing import SearchStart
from ..normal_form import NormalForm, ShortConstraint
from ..normal_form.words import Words
from ..reader.context import DatabaseContext
from ..reader.inputs import NO_QUERY, EarlierQuery, Input
from ..reader.items import SchemaItems
from ..reader.output_vocabulary import END, ROLES, UNKNOWN, OutputVocabulary, fixed_words, remapped
from ..reader.question import QuestionWords

_MAX_COLUMNS = 32


@dataclass(frozen=True)
class TrainingExample:
    """The training example of one pair.

    Attributes:
        id: the id of the pair.
        question: the words and values of the question.
        items: the items of its database.
        places: the output indices of the gold words and the end if all items are read, (words,); `UNKNOWN` for values
            that the question does not name; empty if the question cannot be answered.
        before: the previous query of a conversation.
        carries: whether the question needs the earlier turns, None if unknown.
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
    """Return the fixed words of the queries of training examples, the end included."""
    fixed = len(fixed_words())
    return {END} | {int(place) for several in examples for place in several[0].places if UNKNOWN < place < fixed}


def without_a_needed_column(
    example: TrainingExample, rng: np.random.Generator
) -> tuple[TrainingExample, NDArray[np.int64]]:
    """Return an example that cannot be answered, since a column of its query is left out, and the items to read."""
    needed = example.pointed
    columns = needed[(needed >= example.items.tables) & (needed < len(example.items))]
    kept = with_columns_dropped(example, rng)
    if not len(columns):
        return example, kept
    return replace(example, places=example.places[:0]), kept[kept != rng.choice(columns)]


def with_columns_dropped(example: TrainingExample, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the items to read: those of the query, and a random part of the others, so that schemas vary."""
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
    """Return the output indices of an example's words in a batch with room for ``items`` items."""
    return remapped(example.places, one.kept, total=len(example.items), items=items)


def _pointed(places: NDArray[np.int64]) -> NDArray[np.int64]:
    fixed = len(fixed_words())
    return np.unique((places[places >= fixed] - fixed) // ROLES)


def gold_values(example: Example, types: dict[str, Columns], found: Sequence[FoundValue]) -> list[FoundValue]:
    """Return the values that a domain states for a question, with the periods and flags that are found in it.

    Args:
        types: the columns that values of each type are compared with.
        found: the values that `DatabaseContext.values` finds in the question.
    """
    return with_meanings(given(example, types), [one for one in found if one.how != "constant"])


@dataclass(frozen=True)
class GoldQuery:
    """A gold query in the words of its question.

    Attributes:
        question: the words and values of the question.
        query: the query with the question's slots and virtual columns.
        words: its words in short form.
    """

    question: QuestionWords
    query: DelexicalisedQuery
    words: Words

    @classmethod
    def of(cls, sql: str, question: QuestionWords, context: DatabaseContext) -> GoldQuery:
        """Return the first form of a query for which the question has all words, else the first form with words.

        Args:
            sql: a query in the dialect of the context.

        Raises:
            QuerentError: it has no normal form.
        """
        found: list[GoldQuery] = []
        problems: list[QuerentError] = []
        for query in delexicalise(sql, question.question, context, [node.found for node in question.values]):
            try:
                gold = cls(question, query, query.words())
            except QuerentError as error:
                problems.append(error)
                continue
            if gold._is_whole:
                return gold
            found.append(gold)
        if not found:
            raise problems[0]
        return found[0]

    @property
    def _is_whole(self) -> bool:
        """Does the question name all its values, and does the network have an output for each word?"""
        try:
            return UNKNOWN not in self.example("").places
        except KeyError:
            return False

    @cached_property
    def ids(self) -> list[int]:
        """Return its words in the vocabulary, `UNSAID` for literals that the question does not name.

        Raises:
            KeyError: it has a word that no network writes.
        """
        return slotted_words(self.words, self.question, self.query.context.vocabulary)

    def example(self, name: str) -> TrainingExample:
        """Return its training example.

        Raises:
            KeyError: it has a word that no network writes.
        """
        return training_example_of(name, self.question, self.words, self.query.context.outputs)

    def start(self, constraint: ShortConstraint) -> SearchStart:
        """Return the start of a search for it with all words of the vocabulary."""
        places = np.zeros(len(self.query.context.vocabulary), np.int64)
        return SearchStart(constraint, self.query.plain, self.question, places, self.query.items)

    def objection(self, constraint: ShortConstraint | None) -> str | None:
        """Say why it cannot be written, None if it can.

        Args:
            constraint: the constraint on the words of the database, None if there is none.

        Raises:
            KeyError: it has a word that no network writes.
        """
        if UNSAID in self.ids:
            return f"the question does not name {self.words[self.ids.index(UNSAID)][0]}"
        if constraint is None:
            return None
        state = self.start(constraint).state()
        for word in (*self.ids, EOS):
            if not state.allowed()[word]:
                return f"the constraint does not allow {self.query.context.vocabulary.words[word].text}"
            state = state.advance(word)
        return None


def canonical_words(sql: str, form: NormalForm, profile: DatabaseProfile | None = None) -> list[str]:
    """Return the words of a query in normal form; a query without one is cut at spaces.

    Args:
        profile: the profile of the database, if conditions on times, flags and numbers in texts are to be compared by
            their meaning, whatever form they have.
    """
    grammar, tree = form.grammar, parse(sql, form.grammar.dialect) if profile else None
    try:
        if profile and tree is not None:
            tree = in_one_way(tree, profiled_by(profile, Stored(grammar.schema)), grammar.dialect)
        return [token.text for token in grammar.tokenize(form.of(tree.sql(grammar.dialect) if tree else sql))]
    except QuerentError:
        return sql.split()
