"""The data that a parser is trained on: a schema, pairs, entities, perhaps a database; and tidy queries."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from ..errors import DomainError, did_you_mean
from ..records import PARTS, SPLITS
from ..schema.schema import Schema
from ..values.slots import Value, quoted

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


_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`""", re.DOTALL)
_QUOTED_MYSQL = re.compile(r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|`[^`]*`""", re.DOTALL)
_BARE_DATE = re.compile(r"(?<![\w.-])(?:1[5-9]|20)\d\d-(?:0\d|1[0-2])-[0-3]\d(?![\w.-])")
_ESCAPED_QUOTE = re.compile(r"""\\(['"])""")


def names_of(schema: Schema) -> frozenset[str]:
    """Return the names of tables and columns in lower case."""
    columns = {column.name.lower() for _, column in schema.columns()}
    return frozenset(columns | {table.name.lower() for table in schema.tables})


def tidy(sql: str, *, dialect: str, names: Collection[str] = ()) -> str:
    """Return ``sql`` with its strings and dates in single quotes and without the semicolon at its end.

    Some sets write dates bare, which is arithmetic to a database. Double quotes mean a string in MySQL, a name in
    Postgres, and in SQLite a name where there is one, else a string.

    Args:
        sql: one query.
        dialect: sqlite, mysql or postgres.
        names: lower-cased names of the schema, for SQLite.
    """

    def put(match: re.Match[str]) -> str:
        text = match[0]
        if text[0].isdigit():
            return f"'{text}'"
        if text[0] == "`" or (text[0] == '"' and dialect == "postgres"):
            return text
        inner = text[1:-1].replace(text[0] * 2, text[0])
        if text[0] == '"' and dialect == "sqlite" and (inner.lower() in names or _named(sql, match)):
            return text
        if dialect == "mysql":
            inner = _ESCAPED_QUOTE.sub(r"\1", inner)
        return quoted(inner)

    literals = _QUOTED_MYSQL if dialect == "mysql" else _QUOTED
    found = re.compile(f"{literals.pattern}|{_BARE_DATE.pattern}", re.DOTALL)
    return found.sub(put, sql.strip()).rstrip().removesuffix(";").rstrip()


def _named(sql: str, match: re.Match[str]) -> bool:
    """Is this a name by its place: behind AS, or beside a dot?"""
    before, after = sql[: match.start()].rstrip(), sql[match.end() :].lstrip()
    return bool(re.search(r"(?:\bAS|\.)$", before, re.IGNORECASE)) or after.startswith(".")
