"""All tables of one database, of which a question needs few: which it may need, and what a parser works with."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from ...data.schema.schema import Schema
from ...encoders import Encoder, load_encoder
from ...encoders.functions import Floats
from ...encoders.text_vectors import TextVectors
from ...grammar import Access
from ...meaning.profile import DatabaseProfile
from ...ner.index import FoundValue, ValueIndex
from ...ner.language.question import QuestionText
from ...retrieval.schema_retriever.schema_names import SchemaNames
from ...retrieval.schema_retriever.table_scorer import (
    ENCODER,
    LAYERS,
    Asked,
    SaidCell,
    TableScorer,
    neighbours_of,
    table_set,
)
from ..normal_form.keys import KeyedColumns
from .context import DatabaseContext, OtherNames, with_found_keys
from .inputs import MAX_COLUMNS
from .question import QuestionWords, read_question, word_states
from .value_mentions import value_mentions

__all__ = ["FIRST", "MORE", "TableCatalogue", "TableRetriever", "asked_words", "name_vectors", "said_cells"]

FIRST, MORE = 3, 8
"""Best tables that are read, with what lies between them; and where these give no sure answer."""

_EMPTY = 0.1
"""What the score of a table without rows loses: few ask about those that nobody fills. Chosen on unions of 306 and 735
tables: all tables among the first five, Chinese .898 -> .916 and .819 -> .831, English the same."""

_MAX_CELLS = 64
"""Values of a question that are looked at; of a large database many cells are said by chance."""


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
        self._tables = [table.name for table in catalogue.readable.tables]

    def ranked(self, question: QuestionText, *, earlier: Sequence[str] = (), beside: Sequence[str] = ()) -> list[str]:
        """Return the names of all tables, the best first.

        Args:
            earlier: utterances before it, the latest first, on which it may lean.
            beside: what else tells what it needs, as concepts of formulas that it names.
        """
        if earlier or beside:
            question = QuestionText(" ".join([*reversed(earlier), *beside, question.text]), question.language)
        read = asked_words(question, self._catalogue.index, self._encoder)
        if not read.stems:
            return self._tables
        states = word_states(read, self._encoder, LAYERS).states
        asked = Asked(read.stems, states, tuple(said_cells(read, self.names)))
        scores = self._scorer.scores(asked, self.names, self._projected) - self._lost
        return [self._tables[n] for n in np.argsort(-scores, kind="stable")]

    def sets(
        self, ranked: Sequence[str], *, needed: Sequence[str] = (), wanted: Sequence[int] = (FIRST, MORE)
    ) -> list[tuple[str, ...]]:
        """Return the tables to read first, then those to read where these give no sure answer, each the best first.

        Args:
            ranked: the names of all tables, the best first.
            needed: tables that are read whatever their score, as those of the query before.
            wanted: of the best, how many there are in each set.
        """
        numbers, found = {name: n for n, name in enumerate(self._tables)}, list[tuple[str, ...]]()
        order, first = [numbers[name] for name in ranked], [numbers[name] for name in needed if name in numbers]
        told: dict[str, Any] = {"most_columns": MAX_COLUMNS, "first": first}
        for most in wanted:
            chosen = table_set(order, self._neighbours, self._columns, wanted=most, **told)
            found.append(tuple([self._tables[n] for n in chosen]))
        return list(dict.fromkeys(found))


def name_vectors(names: SchemaNames, encoder: Encoder) -> Floats:
    """Return what the encoder says of the names of a schema, (texts, hidden); it is kept in the user's cache."""
    vectors = TextVectors(encoder, layers=LAYERS)
    vectors.prepare_kept(names.texts)
    return np.stack([vectors[text] for text in names.texts])


def asked_words(question: QuestionText, index: ValueIndex | None, encoder: Encoder) -> QuestionWords:
    """Read a question with the values that any table of the database holds."""
    found = () if index is None else index.find(question, mentions=value_mentions(question), most=_MAX_CELLS)
    return read_question(question, found, encoder)


def said_cells(read: QuestionWords, names: SchemaNames) -> list[SaidCell]:
    """Return the cells that a question says, as names of a schema hold them."""
    found: list[SaidCell] = []
    for node in read.values:
        held = tuple(name for place in node.found.columns for name in names.places.get(place, ())[:1])
        if held:
            found.append(SaidCell(node.first, node.last, held, node.found.how in ("exact", "folded", "stem")))
    return found


@dataclass(frozen=True)
class TableCatalogue:
    """What is known of a whole database; no grammar is made of it until somebody says of which tables.

    Attributes:
        schema: as declared, with names in words.
        index: its values, None if there is no database.
        profile: what its columns hold, None where nobody has looked.
        access: what may be read of it, all if None.
        uses: how often a query may use a table, see `vocabulary`.
        dialect, language, now, constants, fiscal_month, called: as those of `DatabaseContext`.
    """

    schema: Schema
    index: ValueIndex | None
    dialect: str
    language: str
    profile: DatabaseProfile | None = None
    access: Access | None = None
    now: datetime | None = None
    constants: tuple[FoundValue, ...] = ()
    uses: Mapping[str, int] = field(default_factory=dict[str, int])
    fiscal_month: int = 1
    called: OtherNames = field(default_factory=dict[tuple[str, str | None], tuple[str, ...]])

    @cached_property
    def keyed(self) -> Schema:
        """Return the schema with the foreign keys that its names tell beside those declared."""
        return with_found_keys(self.schema, self.profile or DatabaseProfile())

    @cached_property
    def readable(self) -> Schema:
        """Return what of the schema, with its likely keys, may be read."""
        return self.keyed if self.access is None else self.access.narrowed(self.keyed)

    @cached_property
    def keyed_columns(self) -> KeyedColumns:
        """Return the columns of all keys."""
        return KeyedColumns(self.readable)

    @property
    def is_large(self) -> bool:
        """Say whether it has several tables with more columns together than are read at once."""
        tables = self.readable.tables
        return len(tables) > 1 and sum(len(table.columns) for table in tables) > MAX_COLUMNS

    @cached_property
    def whole(self) -> DatabaseContext:
        """Return the context of all tables."""
        return self._made(self.schema, self.keyed, self.index, self.access)

    def over(self, tables: Collection[str]) -> DatabaseContext:
        """Return the context of some tables, as the schema spells them.

        Raises:
            InputError: nothing of them may be read.
        """
        schema, keyed = self.schema.only(tables), self.keyed.only(tables)
        access = None if self.access is None else self.access.only(tables, self.schema)
        readable = schema if access is None else access.narrowed(schema)
        names = (name for (table, _), several in self.called.items() if table in tables for name in several)
        return self._made(schema, keyed, self.index and self.index.over(readable, names), access)

    def _made(self, schema: Schema, keyed: Schema, index: ValueIndex | None, access: Access | None) -> DatabaseContext:
        readable = schema if access is None else access.narrowed(schema)
        tables = {table.name for table in schema.tables}
        made = DatabaseContext.of(
            schema,
            index,
            dialect=self.dialect,
            language=self.language,
            now=self.now,
            constants=tuple(kept for one in self.constants if (kept := one.within(readable) if one.columns else one)),
            uses={name: count for name, count in self.uses.items() if name in tables},
            access=access,
            profile=self.profile and self.profile.only(schema),
            keyed=keyed,
        )
        return replace(made, fiscal_month=self.fiscal_month, called=self.called, keyed_columns=self.keyed_columns)
