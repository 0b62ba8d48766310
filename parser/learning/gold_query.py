"""A gold query in its question's words: what is learnt of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from ..decoding.encoded_question import SearchStart
from ..decoding.history import slotted_words
from ..normal_form import NormalForm, ShortConstraint
from ..normal_form.words import Words
from ..reader.context import DatabaseContext
from ..reader.output_vocabulary import UNKNOWN
from ..reader.question import QuestionWords
from .training_examples import TrainingExample, training_example_of

__all__ = ["GoldQuery", "canonical_words", "gold_values"]


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

    @property
    def places(self) -> NDArray[np.int64]:
        """Return for each word of the vocabulary that it may be written."""
        return np.zeros(len(self.meant.context.vocabulary), np.int64)

    def example(self, name: str) -> TrainingExample:
        """Return what is learnt of it.

        Raises:
            KeyError: it has a word that no network writes.
        """
        return training_example_of(name, self.question, self.words, self.meant.context.outputs)

    def start(self, constraint: ShortConstraint) -> SearchStart:
        """Return where a query of the question starts, all words of the vocabulary at hand."""
        return SearchStart(constraint, self.meant.plain, self, self.meant.items)

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
