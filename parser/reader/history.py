"""The history of a question as input of the network: earlier utterances and the previous query.

It follows EditSQL (Zhang et al. 2019, section 3), whose decoder reads the previous query, and HIE-SQL (Zheng et al.
2022, section 3.2), which relates the words of that query to the items of the schema. Here the relation between a word
and its item also has the role in which the query used the item.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ...data.values.numerals import value_of
from ...grammar import Vocabulary
from ...ner.index import FoundValue
from ..normal_form.keys import Words
from .context import DatabaseContext
from .inputs import NO_QUERY, EarlierQuery, uses_of
from .output_vocabulary import UNKNOWN
from .question import QuestionWords

__all__ = ["MAX_TURNS", "NO_HISTORY", "UNSAID", "History", "slotted_words"]

UNSAID = -1
"""The word number of a literal that is neither a value of the question nor a constant."""

_LIKE = (("'%", "%'", "'%{{text{}}}%'"), ("'", "%'", "'{{text{}}}%'"), ("'%", "'", "'%{{text{}}}'"))


def slotted_words(words: Words, question: QuestionWords, vocabulary: Vocabulary) -> list[int]:
    """Return the words of a query, with slots for values of the question and constants, `UNSAID` for other literals.

    Raises:
        KeyError: a name or keyword is not in the vocabulary.
    """
    return [slotted_word(text, terminal, question, vocabulary) for text, terminal in words]


def slotted_word(text: str, terminal: str, question: QuestionWords, vocabulary: Vocabulary) -> int:
    """Return one word of a query in the vocabulary; see `slotted_words`."""
    if terminal == "STRING":
        return _string(text, question, vocabulary)
    if terminal in {"WHOLE", "NUMBER"}:
        return _number(text, question, vocabulary)
    return vocabulary.index(text, terminal)


def _string(text: str, question: QuestionWords, vocabulary: Vocabulary) -> int:
    values = {node.found.value: i for i, node in reversed(list(enumerate(question.values)))}
    inner = text[1:-1].replace("''", "'")
    if inner.startswith("{text"):  # the query has a slot already, see `decoding.delexicalised`
        return vocabulary.index(text, "STRING")
    if inner in values:
        return vocabulary.index(f"'{{text{values[inner]}}}'", "STRING")
    folded = {value.lower(): i for value, i in values.items()}  # reversed, so that the first value of the question wins
    for before, after, form in _LIKE:
        bare = text.removeprefix(before).removesuffix(after).replace("''", "'").lower()
        if text.startswith(before) and text.endswith(after) and bare in folded:
            return vocabulary.index(form.format(folded[bare]), "STRING")
    return UNSAID


def _number(text: str, question: QuestionWords, vocabulary: Vocabulary) -> int:
    wanted = value_of(text)
    numbers = [(i, node.found) for i, node in enumerate(question.values) if node.found.kind == "number"]
    equal = [(i, found.how) for i, found in numbers if wanted is not None and value_of(found.value) == wanted]
    number = next((i for i, how in equal if how != "constant"), None)
    if number is None:  # the 1 of LIMIT must not match a constant 1.0
        with suppress(KeyError):
            return vocabulary.index(text, "WHOLE")
        number = next((i for i, _ in equal), None)
    return UNSAID if number is None else vocabulary.index(f"{{number{number}}}", "WHOLE")


MAX_TURNS = 2
"""The number of earlier utterances that are read, the latest ones."""


@dataclass(frozen=True)
class History:
    """The earlier turns of a question.

    Attributes:
        utterances: the earlier questions, the latest first, `MAX_TURNS` at most.
        words: the words of the previous query in short form; empty if there was no query.
        values: the literals of that query, each once, with the column that it is compared with.
        sure: the probability that the query is right, 0 to 1.
    """

    utterances: tuple[str, ...] = ()
    words: Words = ()
    values: tuple[FoundValue, ...] = ()
    sure: float = 1.0

    def __bool__(self) -> bool:
        return bool(self.utterances)

    def beside(self, named: Sequence[FoundValue]) -> list[FoundValue]:
        """Return the values of a question, then the literals of the previous query that are not among them."""
        named_keys = {(value.value, value.kind == "number") for value in named}
        return [*named, *(value for value in self.values if (value.value, value.kind == "number") not in named_keys)]

    def query(self, question: QuestionWords, context: DatabaseContext) -> EarlierQuery:
        """Return the words of the previous query as input of the network.

        Args:
            question: the question, whose values include the literals of the query.
            context: the context of the database with the columns that the question adds to it.
        """
        if not self.words:
            return NO_QUERY
        places = [_place(word, question, context) for word in self.words]
        return EarlierQuery(np.array(places, np.int64), np.array(uses_of(self.words), np.int64))


NO_HISTORY = History()
"""The history of a question that has no earlier turns."""


def _place(word: tuple[str, str], question: QuestionWords, context: DatabaseContext) -> int:
    """Return the output index of a word, `UNKNOWN` if no network writes it."""
    try:
        number = slotted_word(*word, question, context.vocabulary)
    except KeyError:
        return UNKNOWN
    place = UNKNOWN if number == UNSAID else int(context.outputs.places[number])
    return place if place >= 0 else UNKNOWN
