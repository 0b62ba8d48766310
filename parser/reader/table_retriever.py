"""A question on a large database into the tables that it may need: what `retrieval.schema_retriever` is asked with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.profiles.database_profile import DatabaseProfile
from ...encoders import Encoder, load_encoder
from ...encoders.functions import Floats
from ...encoders.text_vectors import TextVectors
from ...ner.index import ValueIndex
from ...retrieval.schema_retriever.schema_names import SchemaNames
from ...retrieval.schema_retriever.table_scorer import ENCODER, LAYERS, Asked, SaidCell, TableScorer
from ...retrieval.schema_retriever.table_sets import neighbours_of, table_set
from .catalogue import TableCatalogue
from .question.question import QuestionWords, read_question
from .question.value_mentions import value_mentions
from .question.word_states import word_states
from .schema.schema_pruning import MAX_COLUMNS

__all__ = ["FIRST", "MORE", "RankedTables", "TableRetriever", "asked_words", "name_vectors", "said_cells"]

FIRST, MORE = 3, 8
"""Best tables that are read, with what lies between them; and where these give no sure answer."""

_EMPTY = 0.1
"""What the score of a table without rows loses: few ask about those that nobody fills. Chosen on unions of 306 and 735
tables: all tables among the first five, Chinese .898 -> .916 and .819 -> .831, English the same."""

_MAX_CELLS = 64
"""Values of a question that are looked at; of a large database many cells are said by chance."""


@dataclass(frozen=True)
class RankedTables:
    """The tables of a schema for one question.

    Attributes:
        names: of all tables, in the schema's order.
        scores: of each, (tables,).
        order: the best first, (tables,).
    """

    names: tuple[str, ...]
    scores: Floats
    order: NDArray[np.int64]

    @property
    def best_first(self) -> list[str]:
        """Return the names of the tables, the best first."""
        return [self.names[n] for n in self.order]


class TableRetriever:
    """Finds the tables of one database that questions need.

    Args:
        catalogue: of the database.
        scorer: says how well a table covers a question.
    """

    def __init__(self, catalogue: TableCatalogue, scorer: TableScorer) -> None:
        self.names = SchemaNames.of(catalogue.readable, catalogue.called)
        self._catalogue = catalogue
        self._encoder = load_encoder(ENCODER)
        self._scorer = scorer
        self._projected = scorer.project(name_vectors(self.names, self._encoder))
        self._neighbours = neighbours_of(self.names.links)
        self._columns = [len(table.columns) for table in catalogue.readable.tables]
        profile = catalogue.profile or DatabaseProfile()
        self._lost = np.array([_EMPTY * profile.is_empty(t) for t in catalogue.readable.tables], np.float32)
        self._numbers = {table.name: n for n, table in enumerate(catalogue.readable.tables)}

    def ranked(self, question: str, *, earlier: Sequence[str] = (), beside: Sequence[str] = ()) -> RankedTables:
        """Return all tables, the best first.

        Args:
            earlier: utterances before it, the latest first, on which it may lean.
            beside: what else tells what it needs, as concepts of formulas that it names.
        """
        text = " ".join([*reversed(earlier), *beside, question])
        read = asked_words(text, self._catalogue.index, self._catalogue.language, self._encoder)
        scores = np.zeros(len(self._columns), np.float32)
        if read.stems:
            states = word_states(read, self._encoder, LAYERS).states
            asked = Asked(read.stems, states, tuple(said_cells(read, self.names)))
            scores = self._scorer.scores(asked, self.names, self._projected) - self._lost
        names = tuple(table.name for table in self.names.schema.tables)
        return RankedTables(names, scores, np.argsort(-scores, kind="stable"))

    def sets(
        self, ranked: RankedTables, *, needed: Sequence[str] = (), wanted: Sequence[int] = (FIRST, MORE)
    ) -> list[tuple[str, ...]]:
        """Return the tables to read first, then those to read where these give no sure answer, each the best first.

        Args:
            needed: tables that are read whatever their score, as those of the query before.
            wanted: of the best, how many there are in each set.
        """
        first = [self._numbers[name] for name in needed if name in self._numbers]
        order, found = ranked.order.tolist(), list[tuple[str, ...]]()
        for most in wanted:
            chosen = table_set(
                order, self._neighbours, self._columns, wanted=most, most_columns=MAX_COLUMNS, first=first
            )
            found.append(tuple(ranked.names[n] for n in chosen))
        return list(dict.fromkeys(found))


def name_vectors(names: SchemaNames, encoder: Encoder) -> Floats:
    """Return what the encoder says of the names of a schema, (texts, hidden); it is kept in the user's cache."""
    vectors = TextVectors(encoder, layers=LAYERS)
    vectors.prepare_kept(names.texts)
    return np.stack([vectors[text] for text in names.texts])


def asked_words(question: str, index: ValueIndex | None, language: str, encoder: Encoder) -> QuestionWords:
    """Read a question with the values that any table of the database holds."""
    found = ()
    if index is not None:
        found = index.find(question, language=language, mentions=value_mentions(question), most=_MAX_CELLS)
    return read_question(question, found, encoder)


def said_cells(read: QuestionWords, names: SchemaNames) -> list[SaidCell]:
    """Return the cells that a question says, as names of a schema hold them."""
    found: list[SaidCell] = []
    for node in read.values:
        held = tuple(name for place in node.found.columns for name in names.places.get(place, ())[:1])
        if held:
            found.append(SaidCell(node.first, node.last, held, node.found.how in ("exact", "folded", "stem")))
    return found
