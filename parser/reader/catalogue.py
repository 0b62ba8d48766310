"""The catalogue of all tables of a database, and the choice of those that are read for a question.

All tables of a small database are read; of a large one the few that a retriever finds relevant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from ...data.domains.dialogues import Turn
from ...data.errors import InputError, did_you_mean
from ...data.schema.schema import Schema
from ...data.sql.sources import tables_of
from ...encoders import Encoder, load_encoder
from ...encoders.functions import Floats, one_thread
from ...encoders.text_vectors import TextVectors
from ...grammar import Access
from ...knowledge.formulas.bank import Bank
from ...knowledge.linked_formulas import Mentions
from ...meaning.profile import DatabaseProfile
from ...ner.index import FoundValue, ValueIndex
from ...ner.language.question import QuestionText
from ...retrieval.schema_retriever.schema_names import SchemaNames
from ...retrieval.schema_retriever.table_scorer import (
    ENCODER,
    LAYERS,
    CellMention,
    RetrieverQuestion,
    TableScorer,
    neighbours_of,
    table_set,
)
from .context import DatabaseContext, OtherNames, with_found_keys
from .inputs import MAX_COLUMNS
from .question import MAX_TURNS, QuestionWords, read_question, word_states
from .value_mentions import value_mentions

FIRST, MORE = 3, 8
"""The numbers of best tables that are read, with the tables between them: at first, and if the answer is unsure."""

_EMPTY = 0.1
"""The penalty of an empty table, which questions rarely need. It was chosen on unions of 306 and 735 tables: the recall
of all tables among the first five rose in Chinese, .898 -> .916 and .819 -> .831, and is the same in English."""

_MAX_CELLS = 64
"""The number of values of a question that are used; a large database matches many words by chance."""


class TableRetriever:
    """Ranks the tables of one database by their relevance to a question.

    Args:
        catalogue: the catalogue of the database.
        scorer: the network that scores how well a table covers a question.
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
            earlier: the earlier utterances, the latest first.
            beside: further texts to match, such as the concepts of formulas that it names.
        """
        if earlier or beside:
            question = QuestionText(" ".join([*reversed(earlier), *beside, question.text]), question.language)
        read = question_with_values(question, self._catalogue.index, self._encoder)
        if not read.stems:
            return self._tables
        states = word_states(read, self._encoder, LAYERS).states
        question_states = RetrieverQuestion(read.stems, states, tuple(named_cells(read, self.names)))
        scores = self._scorer.scores(question_states, self.names, self._projected) - self._lost
        return [self._tables[n] for n in np.argsort(-scores, kind="stable")]

    def sets(
        self, ranked: Sequence[str], *, needed: Sequence[str] = (), wanted: Sequence[int] = (FIRST, MORE)
    ) -> list[tuple[str, ...]]:
        """Return the tables to read first, then those to read where the first give no sure answer, each the best first.

        Args:
            ranked: the names of all tables, the best first.
            needed: tables that are read regardless of their score, as those of the previous query.
            wanted: the number of best tables in each set.
        """
        numbers, table_sets = {name: n for n, name in enumerate(self._tables)}, list[tuple[str, ...]]()
        order, first = [numbers[name] for name in ranked], [numbers[name] for name in needed if name in numbers]
        limits: dict[str, Any] = {"most_columns": MAX_COLUMNS, "first": first}
        for most in wanted:
            chosen = table_set(order, self._neighbours, self._columns, wanted=most, **limits)
            table_sets.append(tuple([self._tables[n] for n in chosen]))
        return list(dict.fromkeys(table_sets))


def name_vectors(names: SchemaNames, encoder: Encoder) -> Floats:
    """Return the encoder's vectors of the names of a schema, (texts, hidden), from the user's cache if possible."""
    vectors = TextVectors(encoder, layers=LAYERS)
    vectors.prepare_kept(names.texts)
    return np.stack([vectors[text] for text in names.texts])


def question_with_values(question: QuestionText, index: ValueIndex | None, encoder: Encoder) -> QuestionWords:
    """Read a question with the values that any table of the database holds."""
    values = () if index is None else index.find(question, mentions=value_mentions(question), most=_MAX_CELLS)
    return read_question(question, values, encoder)


def named_cells(read: QuestionWords, names: SchemaNames) -> list[CellMention]:
    """Return the cells that a question names, with the numbers of the columns' names."""
    cells: list[CellMention] = []
    for node in read.values:
        held = tuple(name for place in node.found.columns for name in names.places.get(place, ())[:1])
        if held:
            cells.append(CellMention(node.first, node.last, held, node.found.how in ("exact", "folded", "stem")))
    return cells


@dataclass(frozen=True)
class TableCatalogue:
    """The metadata of a whole database, from which the context of chosen tables is made.

    Attributes:
        schema: the declared schema, with names in words.
        index: the index of its values, None if there is no database.
        profile: the profile of its columns, None if they were not profiled.
        access: the access rights, None if all may be read.
        uses: the number of times that a query may use each table, see `vocabulary`.
        dialect, language, now, constants, fiscal_month, called: the same as in `DatabaseContext`.
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
        """Return the schema with its declared foreign keys and those inferred from names."""
        return with_found_keys(self.schema, self.profile or DatabaseProfile())

    @cached_property
    def readable(self) -> Schema:
        """Return the part of the schema, with its likely keys, that may be read."""
        return self.keyed if self.access is None else self.access.narrowed(self.keyed)

    @property
    def is_large(self) -> bool:
        """Say whether it has several tables, and more columns than the network reads at once."""
        tables = self.readable.tables
        return len(tables) > 1 and sum(len(table.columns) for table in tables) > MAX_COLUMNS

    @cached_property
    def whole(self) -> DatabaseContext:
        """Return the context of all tables."""
        return self._made(self.schema, self.keyed, self.index, self.access)

    def over(self, tables: Collection[str]) -> DatabaseContext:
        """Return the context of some tables, as the schema spells them.

        Raises:
            InputError: none of them may be read.
        """
        schema, keyed = self.schema.only(tables), self.keyed.only(tables)
        access = None if self.access is None else self.access.only(tables, self.schema)
        readable = schema if access is None else access.narrowed(schema)
        names = (name for (table, _), synonyms in self.called.items() if table in tables for name in synonyms)
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
        return replace(made, fiscal_month=self.fiscal_month, called=self.called)


class TableChoice:
    """Chooses tables of one database, for a parser or a language model.

    Args:
        catalogue: the catalogue of the database.
        retriever: the retriever of relevant tables; None for a database whose tables are all read.
        bank: the bank of formulas that questions may name.
    """

    def __init__(self, catalogue: TableCatalogue, retriever: TableRetriever | None, bank: Bank | None = None) -> None:
        self.catalogue = catalogue
        self.retriever = retriever
        self._mentions = None if bank is None or retriever is None else Mentions(bank, catalogue.readable)

    @property
    def all_tables(self) -> tuple[str, ...]:
        """Return the names of the tables that may be read."""
        return tuple(table.name for table in self.catalogue.readable.tables)

    def sets(
        self,
        question: QuestionText,
        *,
        before: Sequence[Turn] = (),
        evidence: str = "",
        queries: Iterable[str] = (),
        wanted: Sequence[int] = (FIRST, MORE),
    ) -> list[tuple[str, ...]]:
        """Return the tables to read first, then those to read where the first give no sure answer, each the best first.

        Args:
            before: the turns before it, the latest last; the tables of the last one's query are read first.
            evidence: formulas given with the question.
            queries: queries whose tables are read next, as that of a similar solved question.
            wanted: the number of best tables in each set.
        """
        if self.retriever is None:
            return [self.all_tables]
        earlier = [turn.utterance for turn in before[: -MAX_TURNS - 1 : -1]]
        needed = self.tables_of([*(turn.sql for turn in before[-1:]), *queries])
        with one_thread():
            named = [] if self._mentions is None else self._mentions.find(question)
            concepts = (concept for one in named for formula in one.formulas for concept in formula.expression.needs)
            beside = [*filter(None, [evidence]), *dict.fromkeys(concepts)]
            ranked = self.retriever.ranked(question, earlier=earlier, beside=beside)
            return self.retriever.sets(ranked, needed=needed, wanted=wanted)

    def tables_of(self, queries: Iterable[str]) -> list[str]:
        """Return the tables that queries read, each once."""
        catalogue = self.catalogue
        names = (name for sql in queries for name in tables_of(sql, catalogue.readable, catalogue.dialect))
        return list(dict.fromkeys(names))

    def named(self, tables: Sequence[str]) -> tuple[str, ...]:
        """Return tables that a person named, in the schema's order.

        Raises:
            InputError: there is no such table.
        """
        names: set[str] = set()
        for name in tables:
            table = self.catalogue.readable.by_name.get(name)
            if table is None:
                raise InputError(f"no table {name!r}", field="tables", hint=self._nearest(name))
            names.add(table.name)
        return self.in_order(names)

    def _nearest(self, name: str) -> str:
        """Return a hint for an unknown name: the tables of that name in several schemas, or the most similar name."""
        own = [table.name for table in self.catalogue.readable.tables if table.own_name.lower() == name.lower()]
        if len(own) > 1:
            return f"it is one of {', '.join(own)}"
        return did_you_mean(name, self.all_tables) or f"the database has {len(self.all_tables)} tables"

    def in_order(self, tables: Iterable[str]) -> tuple[str, ...]:
        """Return tables in the schema's order."""
        wanted = set(tables)
        return tuple(name for name in self.all_tables if name in wanted)

    def notes(self, tables: Sequence[str]) -> tuple[str, ...]:
        """Return the notes of an answer on the tables that were read: none if these are all tables."""
        if len(tables) == len(self.all_tables):
            return ()
        return (f"read {len(tables)} of {len(self.all_tables)} tables: {', '.join(tables)}",)
