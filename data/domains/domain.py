"""The data that a parser is trained on: a schema, pairs, entities, perhaps a database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from ..errors import DomainError, did_you_mean
from ..records import PARTS, SPLITS
from ..schema.schema import Schema
from ..values.slots import Value

T = TypeVar("T")


@dataclass(frozen=True)
class Example:
    """One pair to learn from or to be measured on.

    Attributes:
        id: unique in its domain.
        question: the text with its values filled in.
        sql: the gold query in canonical form, values filled in.
        slotted: the gold query with slots in place of the values that the question names.
        values: every value bound in the question, in order of position, used by the query or not.
        prototype: name of the query pattern; all its examples share it.
        question_split: part under the question split: train, dev or test.
        query_split: part under the query split (no query pattern is in two parts).
        line: 1-based line in the source file, for messages.
    """

    id: str
    question: str
    sql: str
    slotted: str
    values: tuple[Value, ...] = ()
    prototype: str = ""
    question_split: str = "train"
    query_split: str = "train"
    line: int = 0
    tags: Mapping[str, str] = field(default_factory=dict[str, str])


def evenly(examples: Sequence[T], most: int) -> Sequence[T]:
    """Return ``most`` of the examples, spread evenly, or all of them if there are fewer."""
    count = min(most, len(examples))
    return [examples[n * len(examples) // count] for n in range(count)]


DIALECTS = ("sqlite", "mysql", "postgres")
GROUPINGS: Mapping[str, tuple[str, ...]] = {"strict": (), "loose": ("grouping",)}
"""What a server makes of columns outside of GROUP BY, with the rules of the constraint that it does not need:
strict, as PostgreSQL and MySQL with ONLY_FULL_GROUP_BY are, or loose, as MySQL is without it."""


@dataclass(frozen=True)
class Entity:
    """A thing of the domain: ``sql`` is its text in the database, ``says`` are the names that people use for it."""

    sql: str
    type: str
    says: tuple[str, ...] = ()


@dataclass(frozen=True)
class Domain:
    """One database and the questions about it.

    Attributes:
        name: short name, for reports.
        language: ``en`` or ``zh``, the language of the questions.
        dialect: one of `DIALECTS`.
        schema: the tables.
        examples: question-SQL pairs in the order of their source.
        entities: known values with their spoken forms.
        database: path of a SQLite file or a SQLAlchemy URL; None if there is none to run queries on.
        source: the spec it was loaded from; `loading.load_domain` reads it again.
        now: the moment that «yesterday» is seen from; None where questions name no such times.
        grouping: one of `GROUPINGS`; only MySQL can be loose.
    """

    name: str
    language: str
    dialect: str
    schema: Schema
    examples: tuple[Example, ...]
    entities: tuple[Entity, ...] = ()
    database: str | None = None
    source: str = ""
    now: datetime | None = None
    grouping: str = "strict"

    def part(self, part: str, split: str = "question") -> tuple[Example, ...]:
        """Return the examples of one part (train, dev or test) under one split (question or query).

        Raises:
            DomainError: no such part or split.
        """
        for what, name, names in (("part", part, PARTS), ("split", split, SPLITS)):
            if name not in names:
                hint = did_you_mean(name, names) or f"use one of {', '.join(names)}"
                raise DomainError(f"no {what} {name!r}", field=what, hint=hint)
        return tuple(e for e in self.examples if (e.question_split if split == "question" else e.query_split) == part)
