"""Gold queries in their questions' words, made into training examples: places of outputs, beside what is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...data.domains.domain import Example
from ...data.errors import QuerentError
from ...data.parsing import PARSE_ERRORS, read_tree
from ...data.sql.sources import Stored
from ...grammar import EOS, Grammar
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


def gold_values(example: Example, types: dict[str, Columns], found: Sequence[FoundValue]) -> list[FoundValue]:
    """Return what a domain knows that a question names, with the periods and flags that the question itself says.

    Args:
        types: columns that values of each type are compared with.
        found: what `DatabaseContext.values` finds in the question.
    """
    return with_meanings(given(example, types), [one for one in found if one.how != "constant"])


@dataclass(frozen=True)
class GoldQuery:
    """A gold query beside its question.

    Attributes:
        question: as the network reads it.
        meant: the query with what it means in the question's values and virtual columns.
        words: of it, in short form.
    """

    question: QuestionWords
    meant: DelexicalisedQuery
    words: Words

    @classmethod
    def of(cls, sql: str, question: QuestionWords, context: DatabaseContext) -> GoldQuery:
        """Read a query of the dialect of a context, in the first way to say it that its question has all words for.

        Raises:
            QuerentError: it has no normal form.
        """
        found: list[GoldQuery] = []
        problems: list[QuerentError] = []
        for meant in delexicalise(sql, question.question, context, [node.found for node in question.values]):
            try:
                gold = cls(question, meant, meant.words())
            except QuerentError as error:
                problems.append(error)
                continue
            if gold._said:
                return gold
            found.append(gold)
        if not found:
            raise problems[0]
        return found[0]

    @property
    def _said(self) -> bool:
        """Has the question all its words, and a network an output for each?"""
        try:
            return UNKNOWN not in self.example("").places
        except KeyError:
            return False

    @cached_property
    def ids(self) -> list[int]:
        """Return its words in the vocabulary, -1 for literals that the question does not say.

        Raises:
            KeyError: it has a word that no network writes.
        """
        return slotted_words(self.words, self.question, self.meant.context.vocabulary)

    def example(self, name: str) -> TrainingExample:
        """Return what is learnt of it.

        Raises:
            KeyError: it has a word that no network writes.
        """
        return training_example_of(name, self.question, self.words, self.meant.context.outputs)

    def start(self, constraint: ShortConstraint) -> SearchStart:
        """Return where a query of the question starts, all words of the vocabulary at hand."""
        places = np.zeros(len(self.meant.context.vocabulary), np.int64)
        return SearchStart(constraint, self.meant.plain, self.question, places, self.meant.items)

    def objection(self, constraint: ShortConstraint | None) -> str | None:
        """Say why it cannot be written, None if it can.

        Args:
            constraint: on the words of the database; None is without it.

        Raises:
            KeyError: it has a word that no network writes.
        """
        if -1 in self.ids:
            return f"no question says {self.words[self.ids.index(-1)][0]}"
        if constraint is None:
            return None
        state = self.start(constraint).state()
        for word in (*self.ids, EOS):
            if not state.allowed()[word]:
                return f"the constraint does not allow {self.meant.context.vocabulary.words[word].text}"
            state = state.advance(word)
        return None


def canonical_words(sql: str, form: NormalForm, profile: DatabaseProfile | None = None) -> list[str]:
    """Cut a query into the words of its normal form; what has none is cut at spaces.

    Args:
        profile: of the database: what the query means is said in one way, whatever way it was said in.
    """
    try:
        return [token.text for token in form.grammar.tokenize(form.of(_said_alike(sql, form.grammar, profile)))]
    except QuerentError:
        return sql.split()


def _said_alike(sql: str, grammar: Grammar, profile: DatabaseProfile | None) -> str:
    if not profile:
        return sql
    try:
        tree = read_tree(sql, grammar.dialect)
    except PARSE_ERRORS:
        return sql
    return in_one_way(tree, profiled_by(profile, Stored(grammar.schema)), grammar.dialect).sql(grammar.dialect)
