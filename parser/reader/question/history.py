"""What came before a question in its conversation, as the network reads it: earlier utterances and the query before.

After EditSQL (Zhang et al. 2019, section 3), whose decoder reads the previous query, and HIE-SQL (Zheng et al. 2022,
section 3.2), which relates the words of that query to the items of the schema; what is new is that a word points at its
item by a relation that says as what it was used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....ner.index import FoundValue
from ...normal_form.keys import Words
from ..context import DatabaseContext
from ..schema.output_vocabulary import UNKNOWN
from .earlier_query import NO_QUERY, EarlierQuery, uses_of
from .question import QuestionWords
from .slotted_words import UNSAID, slotted_word

__all__ = ["MAX_TURNS", "NO_HISTORY", "History"]

MAX_TURNS = 2
"""Earlier utterances that are read, the latest ones."""


@dataclass(frozen=True)
class History:
    """What was asked and answered before a question.

    Attributes:
        utterances: earlier questions, the latest first, `MAX_TURNS` at most.
        words: of the query before, in short form; none if there was no query.
        values: the literals of that query, each once, with the column that it is compared with.
        sure: how sure it was that the query is right, 0 to 1.
    """

    utterances: tuple[str, ...] = ()
    words: Words = ()
    values: tuple[FoundValue, ...] = ()
    sure: float = 1.0

    def __bool__(self) -> bool:
        return bool(self.utterances)

    def beside(self, named: Sequence[FoundValue]) -> list[FoundValue]:
        """Return what a question names, then the literals of the query before that it does not name itself."""
        known = {(one.value, one.kind == "number") for one in named}
        return [*named, *(one for one in self.values if (one.value, one.kind == "number") not in known)]

    def query(self, question: QuestionWords, context: DatabaseContext) -> EarlierQuery:
        """Return the words of the query before as the network reads them.

        Args:
            question: whose values have the query's literals.
            context: of the database with the columns that the question adds to it.
        """
        if not self.words:
            return NO_QUERY
        places = [_place(word, question, context) for word in self.words]
        return EarlierQuery(np.array(places, np.int64), np.array(uses_of(self.words), np.int64))


NO_HISTORY = History()
"""Of a question that stands alone."""


def _place(word: tuple[str, str], question: QuestionWords, context: DatabaseContext) -> int:
    """Return the place of a word among the outputs, `UNKNOWN` where no network writes it."""
    try:
        found = slotted_word(*word, question, context.vocabulary)
    except KeyError:
        return UNKNOWN
    place = UNKNOWN if found == UNSAID else int(context.outputs.places[found])
    return place if place >= 0 else UNKNOWN
