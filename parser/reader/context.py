"""One database as the parser sees it: its schema as items to point at, its words, and the values it holds."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from ...data.schema.likely_keys import with_likely_keys, with_likely_primary_keys
from ...data.schema.schema import ForeignKey, Schema, Table
from ...grammar import Access, Grammar, Vocabulary
from ...meaning.profile import ColumnProfile, DatabaseProfile
from ...ner.flags import FlagNames
from ...ner.index import FoundValue, ValueIndex
from ...ner.language.question import QuestionText
from ..normal_form import ShortForm, vocabulary
from ..normal_form.keys import KeyedColumns
from ..normal_form.rewriting import JoinRewriter
from .items import SchemaItems
from .output_vocabulary import OutputVocabulary
from .typed_columns import TypedColumn, no_amounts, typed_columns
from .value_mentions import NearCells, value_mentions

__all__ = ["MAX_VALUES", "DatabaseContext"]

OtherNames = Mapping[tuple[str, str | None], tuple[str, ...]]

MAX_VALUES = 16
"""Values of a question that a query can have."""

FREE_SLOTS = 24
"""Slots of a kind beside them: for constants of formulas, and of what columns mean."""


@dataclass(frozen=True)
class DatabaseContext:
    """What is worked out once for a database.

    Attributes:
        grammar: of its declared keys and unique columns, with the likely foreign keys for joins.
        short: the short form of its queries.
        vocabulary: every word of normal forms on it.
        items: its tables and columns, with likely keys.
        outputs: where the words of the vocabulary stand among those that a network scores.
        index: its values, None if there is no database.
        language: of the questions.
        keyed_columns: those of its keys, and of tables of the same database that are not among its own.
        now: what «yesterday» is seen from, None if questions say no such times.
        constants: values that queries name though no question says them.
        profile: what its columns hold; of none nothing is known.
        fiscal_month: in which fiscal years begin.
        called: other names of tables (their column is None) and columns, in any language.
    """

    grammar: Grammar
    short: ShortForm
    vocabulary: Vocabulary
    items: SchemaItems
    outputs: OutputVocabulary
    index: ValueIndex | None
    language: str
    keyed_columns: KeyedColumns
    now: datetime | None = None
    constants: tuple[FoundValue, ...] = ()
    profile: DatabaseProfile = field(default_factory=DatabaseProfile)
    fiscal_month: int = 1
    called: OtherNames = field(default_factory=dict[tuple[str, str | None], tuple[str, ...]])

    @classmethod
    def of(
        cls,
        schema: Schema,
        index: ValueIndex | None,
        *,
        dialect: str,
        language: str,
        described: bool = True,
        now: datetime | None = None,
        constants: tuple[FoundValue, ...] = (),
        uses: Mapping[str, int] | None = None,
        access: Access | None = None,
        profile: DatabaseProfile | None = None,
        keyed: Schema | None = None,
    ) -> DatabaseContext:
        """Work it out for a schema and the index of its database.

        What may not be read is no item either: a network that does not see it says sooner that there is no answer.

        Args:
            index: of what may be read.
            described: whether descriptions may serve as names, or identifiers alone.
            now, constants: see the attributes.
            uses: how often a query may use a table, see `vocabulary`.
            access: what may be read, all if None.
            profile: what the columns hold, as far as it may be read.
            keyed: the schema with its likely keys; worked out if None.
        """
        likely = keyed or (with_likely_keys(schema) if profile is None else with_found_keys(schema, profile))
        grammar = Grammar.for_schema(linked(schema, likely), dialect=dialect, access=access)
        most = MAX_VALUES + len(constants)
        words = vocabulary(grammar, texts=most, numbers=most, free=FREE_SLOTS, uses=uses)
        seen = likely if access is None else access.narrowed(likely)
        known = profile or DatabaseProfile()
        items = SchemaItems(with_meant_types(seen, known), index.samples if index else None, described=described)
        outputs = OutputVocabulary(words, items)
        forms, keys = ShortForm(grammar), KeyedColumns(seen)
        return cls(grammar, forms, words, items, outputs, index, language, keys, now, constants, known)

    @property
    def clock(self) -> datetime:
        """Return what «last month» is seen from: `now`, or else the system's clock."""
        return self.now or datetime.now()

    @cached_property
    def typed_columns(self) -> Mapping[int, TypedColumn]:
        """Return the words of the vocabulary that are columns of a meaning."""
        return typed_columns(self.vocabulary, self.profile)

    @cached_property
    def no_amounts(self) -> frozenset[int]:
        """Return the words that are columns of which there is no mean."""
        return no_amounts(self.vocabulary, self.profile)

    @cached_property
    def joins(self) -> JoinRewriter:
        """Return what rewrites the joins of queries."""
        return JoinRewriter(self.grammar, self.profile or None)

    @cached_property
    def has_times(self) -> bool:
        """Say whether a column holds times whose storage is known."""
        return any(column.time is not None for column in self.profile.columns.values())

    def as_called(self, question: QuestionText) -> DatabaseContext:
        """Return the database with what a question calls by another name called so."""
        if not self.called:
            return self
        said = question.text.casefold()
        own = {(item.table, item.column): item.name for item in self.items.items}
        names = {place: _said(said, (own[place], *some)) for place, some in self.called.items() if place in own}
        if all(name in (None, own[place]) for place, name in names.items()):
            return self
        tables = tuple(_renamed(table, names) for table in self.items.schema.tables)
        items = self.items.over(replace(self.items.schema, tables=tables))
        return replace(self, items=items, outputs=OutputVocabulary(self.vocabulary, items))

    @property
    def max_values(self) -> int:
        """Return how many values a query can have, the constants counted."""
        return MAX_VALUES + len(self.constants)

    @property
    def max_slots(self) -> int:
        """Return how many slots of a kind the vocabulary has, those for constants of expressions counted."""
        return self.max_values + FREE_SLOTS

    def values(
        self,
        question: str | QuestionText,
        given: Sequence[FoundValue] | None = None,
        *,
        without: Container[tuple[str, str]] = (),
    ) -> Sequence[FoundValue]:
        """Return what a question names, then the constants.

        Args:
            given: what it names, if somebody knows.
            without: (what is said in lower case, cell) that are looked for as if nobody knew them.
        """
        if given is None and self.index is not None:
            asked = QuestionText.of(question, self.language)
            mentions = value_mentions(asked)
            told: dict[str, Any] = {"without": without, "mentions": mentions, "fiscal_month": self.fiscal_month}
            now = self.clock if self.has_times else self.now
            found = self.index.find(asked, most=MAX_VALUES, now=now, **told)
            found = sorted([*found, *self._near_cells.find(asked, mentions, found)], key=lambda one: -one.score)
            given = [*self._flags.find(asked), *found]
        return (*(given or ())[:MAX_VALUES], *self.constants)

    @cached_property
    def _near_cells(self) -> NearCells:
        assert self.index is not None
        return NearCells(self.index, self.items)

    @cached_property
    def _flags(self) -> FlagNames:
        return FlagNames(self.grammar.readable, self.profile, self.called)


def with_found_keys(schema: Schema, profile: DatabaseProfile) -> Schema:
    """Return a schema with the keys that its names tell and its cells bear out, beside those declared."""
    named = schema if profile else with_likely_primary_keys(schema)
    found = {table.name: list[ForeignKey]() for table in schema.tables}
    for key in profile.keys:
        if not key.declared and key.table in found:
            found[key.table].append(ForeignKey(key.columns, key.other, key.references))
    primary = {table: (column,) for table, column in profile.primary_keys.items()}
    tables = (
        replace(
            table,
            primary_key=table.primary_key or primary.get(table.name, ()),
            foreign_keys=(*table.foreign_keys, *found[table.name]),
        )
        for table in named.tables
    )
    return replace(schema, tables=tuple(tables))


def linked(schema: Schema, likely: Schema) -> Schema:
    """Return a schema with the foreign keys of its likely form.

    The constraint rests on primary keys and unique columns, so those stay as they are declared.
    """
    keys = {table.name: table.foreign_keys for table in likely.tables}
    return replace(schema, tables=tuple(replace(table, foreign_keys=keys[table.name]) for table in schema.tables))


def with_meant_types(schema: Schema, profile: DatabaseProfile) -> Schema:
    """Return a schema as the reader is told of it: a text of numbers is a number, a number of seconds a time."""
    return replace(schema, tables=tuple(_as_meant(table, profile) for table in schema.tables))


def _as_meant(table: Table, profile: DatabaseProfile) -> Table:
    found = [profile.column(table.name, column.name) for column in table.columns]
    pairs = zip(table.columns, found, strict=True)
    return replace(table, columns=tuple(replace(c, type=_meant(c.type, told)) for c, told in pairs))


def _meant(declared: str, profile: ColumnProfile | None) -> str:
    if profile is None:
        return declared
    if profile.number is not None:
        return "REAL"
    return "DATETIME" if profile.time is not None and profile.time.form != "year" else declared


def _said(question: str, names: Sequence[str]) -> str | None:
    """Return the longest of some names that a question, in lower case, says; the first of equals."""
    return max((name for name in names if _says(question, name)), key=len, default=None)


def _says(question: str, name: str) -> bool:
    """Does a question, in lower case, say a name? Of letters whole words, of Chinese its characters."""
    if not name.isascii():
        return name.casefold() in question
    return re.search(rf"(?<!\w){re.escape(name.casefold())}s?(?!\w)", question) is not None


def _renamed(table: Table, names: Mapping[tuple[str, str | None], str | None]) -> Table:
    columns = tuple(replace(c, description=names.get((table.name, c.name)) or c.description) for c in table.columns)
    return replace(table, description=names.get((table.name, None)) or table.description, columns=columns)
