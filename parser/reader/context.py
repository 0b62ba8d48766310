"""The context of one database for the parser: its schema as items, its grammar, vocabulary and value index."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from ...data.schema.likely_keys import with_likely_keys, with_likely_primary_keys
from ...data.schema.schema import Column, ForeignKey, Schema, Table
from ...grammar import Access, Grammar, Vocabulary
from ...meaning.profile import ColumnProfile, DatabaseProfile
from ...ner.flags import FlagNames
from ...ner.index import FoundValue, ValueIndex
from ...ner.language.question import QuestionText
from ..normal_form import ShortForm, vocabulary
from ..normal_form.join_rewriter import JoinRewriter
from .items import SchemaItems
from .output_vocabulary import OutputVocabulary
from .value_mentions import NearCells, value_mentions

OtherNames = Mapping[tuple[str, str | None], tuple[str, ...]]

MAX_VALUES = 16
"""The largest number of a question's values that a query can have."""

_FREE_SLOTS = 24
"""The number of further slots of each kind, for constants of formulas and of semantic types."""


@dataclass(frozen=True)
class DatabaseContext:
    """The data that is computed once for a database.

    Attributes:
        grammar: the grammar of its declared keys and unique columns, with the likely foreign keys for joins.
        short: the short form of its queries.
        vocabulary: all words of normal forms on it.
        items: its tables and columns, with likely keys.
        outputs: the places of the vocabulary's words among the outputs of a network.
        index: the index of its values, None if there is no database.
        language: the language of the questions.
        now: the time that «yesterday» is relative to, None for the clock of the machine.
        constants: values of queries that no question names.
        profile: the profile of its columns, which may be empty.
        fiscal_month: the month in which fiscal years begin.
        called: synonyms of tables (their column is None) and columns, in any language.
    """

    grammar: Grammar
    short: ShortForm
    vocabulary: Vocabulary
    items: SchemaItems
    outputs: OutputVocabulary
    index: ValueIndex | None
    language: str
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
        """Compute the context of a schema and the index of its database.

        Tables and columns that may not be read are no items, so the network tends to predict that it has no answer.

        Args:
            index: the index of values that may be read.
            described: whether names may come from descriptions, or from identifiers alone.
            now, constants: the same as the attributes.
            uses: the number of times that a query may use each table, see `vocabulary`.
            access: the access rights, None if all may be read.
            profile: the profile of the columns that may be read.
            keyed: the schema with its likely keys; None to infer them.
        """
        likely = keyed or (with_likely_keys(schema) if profile is None else with_found_keys(schema, profile))
        grammar = Grammar.for_schema(linked(schema, likely), dialect=dialect, access=access)
        most = MAX_VALUES + len(constants)
        words = vocabulary(grammar, texts=most, numbers=most, free=_FREE_SLOTS, uses=uses)
        seen = likely if access is None else access.narrowed(likely)
        contents = profile or DatabaseProfile()
        items = SchemaItems(with_content_types(seen, contents), index.samples if index else None, described=described)
        outputs = OutputVocabulary(words, items)
        forms = ShortForm(grammar)
        return cls(grammar, forms, words, items, outputs, index, language, now, constants, contents)

    @property
    def clock(self) -> datetime:
        """Return the time that «last month» is relative to: `now`, or else the system's clock."""
        return self.now or datetime.now()

    @cached_property
    def _profiles(self) -> Mapping[int, ColumnProfile]:
        """Return the profiles of columns by their words, those of a table's further uses included."""
        columns = [(i, word) for i, word in enumerate(self.vocabulary.words) if word.kind == "column"]
        profiles = ((i, self.profile.column(word.table, word.column)) for i, word in columns)
        return {i: profile for i, profile in profiles if profile is not None}

    @cached_property
    def typed_columns(self) -> Mapping[int, ColumnProfile]:
        """Return the words of columns with a semantic type: times, flags, numbers in texts, amounts."""
        return {
            i: one for i, one in self._profiles.items() if one.time or one.flag or one.number or one.kind == "amount"
        }

    @cached_property
    def no_amounts(self) -> frozenset[int]:
        """Return the words of columns without a mean: keys, times other than years, texts without numbers."""
        return frozenset(i for i, profile in self._profiles.items() if profile.number is None and _no_amount(profile))

    @cached_property
    def joins(self) -> JoinRewriter:
        """Return the rewriter of the joins of queries."""
        return JoinRewriter(self.grammar, self.profile or None)

    def as_called(self, question: QuestionText) -> DatabaseContext:
        """Return the context with tables and columns renamed to the synonyms that a question uses."""
        if not self.called:
            return self
        text = question.text.casefold()
        own = {(item.table, item.column): item.name for item in self.items.items}
        places = {place: (own[place], *synonyms) for place, synonyms in self.called.items() if place in own}
        used = {place: [name for name in names if _says(text, name)] for place, names in places.items()}
        names = {place: max(found, key=len) for place, found in used.items() if found}  # the longest, first at a tie
        if all(name == own[place] for place, name in names.items()):
            return self

        def renamed(table: str, column: Column) -> Column:
            return replace(column, description=names.get((table, column.name), column.description))

        schema = _with_columns(self.items.schema, renamed)
        tables = (replace(t, description=names.get((t.name, None), t.description)) for t in schema.tables)
        items = self.items.over(replace(schema, tables=tuple(tables)))
        return replace(self, items=items, outputs=OutputVocabulary(self.vocabulary, items))

    @property
    def max_values(self) -> int:
        """Return the largest number of values of a query, including constants."""
        return MAX_VALUES + len(self.constants)

    @property
    def max_slots(self) -> int:
        """Return the number of slots of each kind in the vocabulary, including those for constants of expressions."""
        return self.max_values + _FREE_SLOTS

    def values(
        self,
        question: QuestionText,
        given: Sequence[FoundValue] | None = None,
        *,
        without: Container[tuple[str, str]] = (),
    ) -> Sequence[FoundValue]:
        """Return the values that a question names, then the constants.

        Args:
            given: the values that it names, if they are known.
            without: pairs (words in lower case, cell) that the index must ignore.
        """
        if given is None and self.index is not None:
            mentions, has_times = value_mentions(question), any(one.time for one in self.profile.columns.values())
            options: dict[str, Any] = {"without": without, "mentions": mentions, "fiscal_month": self.fiscal_month}
            now = self.clock if has_times else self.now
            found = self.index.find(question, most=MAX_VALUES, now=now, **options)
            found = sorted([*found, *self._near_cells.find(question, mentions, found)], key=lambda value: -value.score)
            given = [*self._flags.find(question), *found]
        return (*(given or ())[:MAX_VALUES], *self.constants)

    @cached_property
    def _near_cells(self) -> NearCells:
        assert self.index is not None
        return NearCells(self.index, self.items)

    @cached_property
    def _flags(self) -> FlagNames:
        return FlagNames(self.grammar.readable, self.profile, self.called)


def with_found_keys(schema: Schema, profile: DatabaseProfile) -> Schema:
    """Return a schema with its declared keys and those that names suggest and cells confirm."""
    named = schema if profile else with_likely_primary_keys(schema)
    found = [key for key in profile.keys if not key.declared]
    tables = list[Table]()
    for table in named.tables:
        own = [ForeignKey(key.columns, key.other, key.references) for key in found if key.table == table.name]
        key = (profile.primary_keys[table.name],) if table.name in profile.primary_keys else ()
        primary, keys = table.primary_key or key, (*table.foreign_keys, *own)
        tables.append(replace(table, primary_key=primary, foreign_keys=keys))
    return replace(schema, tables=tuple(tables))


def linked(schema: Schema, likely: Schema) -> Schema:
    """Return a schema with the foreign keys of its likely form.

    Primary keys and unique columns stay as declared, since the constraint relies on them.
    """
    keys = {table.name: table.foreign_keys for table in likely.tables}
    return replace(schema, tables=tuple(replace(table, foreign_keys=keys[table.name]) for table in schema.tables))


def with_content_types(schema: Schema, profile: DatabaseProfile) -> Schema:
    """Return a schema with column types by content: a text of numbers is a number, a number of seconds a time."""
    types: dict[tuple[str, str], str] = {}
    for place, held in profile.columns.items():
        if held.number is not None:
            types[place] = "REAL"
        elif held.time is not None and held.time.form != "year":
            types[place] = "DATETIME"
    return _with_columns(
        schema, lambda table, column: replace(column, type=types.get((table, column.name), column.type))
    )


def _with_columns(schema: Schema, changed: Callable[[str, Column], Column]) -> Schema:
    """Return a schema with its columns changed by a function of the table's name and the column."""
    tables = (replace(t, columns=tuple([changed(t.name, column) for column in t.columns])) for t in schema.tables)
    return replace(schema, tables=tuple(tables))


def _no_amount(profile: ColumnProfile) -> bool:
    time = profile.time is not None and profile.time.form != "year"
    return time or profile.kind == "key" or (profile.kind in ("name", "text", "code") and not profile.flag)


def _says(question: str, name: str) -> bool:
    """Does a name occur in a question in lower case? Names in letters match whole words, Chinese ones characters."""
    if not name.isascii():
        return name.casefold() in question
    return re.search(rf"(?<!\w){re.escape(name.casefold())}s?(?!\w)", question) is not None
