"""One database as the parser sees it: its schema as items to point at, its words, and the values it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ...data.profiles.database_profile import DatabaseProfile
from ...data.schema.likely_keys import with_likely_keys
from ...data.schema.schema import Schema
from ...grammar import Access, Grammar, Vocabulary
from ...ner.index import FoundValue, ValueIndex
from ..normal_form import ShortForm, vocabulary
from .items import SchemaItems
from .output_vocabulary import OutputVocabulary

__all__ = ["MAX_VALUES", "DatabaseContext"]

MAX_VALUES = 16
"""Values of a question that a query can have."""


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
        now: what «yesterday» is seen from, None if questions say no such times.
        constants: values that queries name though no question says them.
        profile: what its columns and keys hold, None if nobody has looked.
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
    profile: DatabaseProfile | None = None

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
    ) -> DatabaseContext:
        """Work it out for a schema and the index of its database.

        What may not be read is no item either: a network that does not see it says sooner that there is no answer.

        Args:
            index: of what may be read.
            described: whether descriptions may serve as names, or identifiers alone.
            now, constants: see the attributes.
            uses: how often a query may use a table, see `vocabulary`.
            access: what may be read, all if None.
        """
        likely = with_likely_keys(schema)
        grammar = Grammar.for_schema(linked(schema, likely), dialect=dialect, access=access)
        most = MAX_VALUES + len(constants)
        words = vocabulary(grammar, texts=most, numbers=most, uses=uses)
        seen = likely if access is None else access.narrowed(likely)
        items = SchemaItems(seen, index.samples if index else None, described=described)
        return cls(
            grammar, ShortForm(grammar), words, items, OutputVocabulary(words, items), index, language, now, constants
        )

    @property
    def max_values(self) -> int:
        """Return how many values a query can have, the constants counted; the vocabulary has as many slots a kind."""
        return MAX_VALUES + len(self.constants)

    def values(self, question: str, given: Sequence[FoundValue] | None = None) -> Sequence[FoundValue]:
        """Return what a question names, then the constants.

        Args:
            given: what it names, if somebody knows.
        """
        if given is None and self.index is not None:
            given = self.index.find(question, language=self.language, most=MAX_VALUES, now=self.now)
        return (*(given or ())[:MAX_VALUES], *self.constants)


def linked(schema: Schema, likely: Schema) -> Schema:
    """Return a schema with the foreign keys of its likely form.

    The constraint rests on primary keys and unique columns, so those stay as they are declared.
    """
    keys = {table.name: table.foreign_keys for table in likely.tables}
    return replace(schema, tables=tuple(replace(table, foreign_keys=keys[table.name]) for table in schema.tables))
