"""Solved questions of a domain or a file, for questions on one database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ..data.domains.aligner import align
from ..data.domains.domain import Domain, Example
from ..data.domains.loading import load_domain
from ..data.domains.schema_places import database_place, open_schema
from ..data.errors import InputError
from ..data.languages import language_of
from ..data.schema.schema import Schema
from ..data.sql.dialects import translate
from ..ner.index import ValueIndex
from ..ner.known_values import open_values
from ..ner.masking import ValueMask
from ..retrieval.bi_encoder import load_bi_encoder
from ..retrieval.shots import Shot, ShotStore, examples_to_show, read_shots, shots_of


@dataclass(frozen=True)
class Solved:
    """Solved questions and their domain, which is built for those of a file.

    Attributes:
        domain: the domain with the questions as its examples, None for a file without a schema.
        shots: the solved questions.
        slotted: their queries with slots in place of the values of the questions, if there is a domain.
    """

    domain: Domain | None
    shots: tuple[Shot, ...]
    slotted: tuple[str, ...] = ()

    @classmethod
    def read(
        cls,
        source: str,
        *,
        language: str | None,
        dialect: str | None = None,
        schema: Schema | None = None,
        hidden: Iterable[str] = (),
    ) -> Solved:
        """Read solved questions.

        Args:
            source: a ``.jsonl`` file or a domain, see `read_shots`.
            language: the language of the questions.
            dialect: the dialect to translate the queries into, None for their own.
            schema: the schema of the database of a file's questions.
            hidden: questions to leave out, such as those of a test.

        Raises:
            InputError: they cannot be read.
        """
        if not _is_file(source):
            return cls.of(load_domain(source, language=language), dialect=dialect, hidden=hidden)
        unseen = frozenset(map(_folded, hidden))
        shots = [shot for shot in read_shots(source) if _folded(shot.question) not in unseen]
        return cls.of_shots(Path(source).stem, shots, language=language, dialect=dialect, schema=schema)

    @classmethod
    def of_shots(
        cls, name: str, shots: Sequence[Shot], *, language: str | None, dialect: str | None, schema: Schema | None
    ) -> Solved:
        """Return the solved questions of a file as a domain of some name; see `read`."""
        if schema is None or dialect is None or language is None:
            return cls(None, tuple(shots))
        domain = _domain_of(name, shots, schema, dialect, language)
        return cls(domain, tuple(shots), tuple(example.slotted for example in domain.examples))

    @classmethod
    def of(cls, domain: Domain, *, dialect: str | None = None, hidden: Iterable[str] = ()) -> Solved:
        """Return the solved questions of a domain without its test part; see `read`."""
        unseen = frozenset(map(_folded, hidden))
        examples = tuple(one for one in examples_to_show(domain) if _folded(one.question) not in unseen)
        spoken = dialect or domain.dialect
        slotted = tuple(translate(one.slotted, read=domain.dialect, write=spoken) for one in examples)
        shots = tuple(shots_of(domain, examples, dialect=dialect))
        return cls(replace(domain, examples=examples), shots, slotted)

    @property
    def examples(self) -> tuple[Example, ...]:
        """Return the questions as examples of the domain."""
        return self.domain.examples if self.domain else ()

    def with_more(self, more: Solved) -> Solved:
        """Return these solved questions with others on the same database."""
        return Solved(self.domain or more.domain, self.shots + more.shots, self.slotted + more.slotted)

    def describes(self, schema: Schema) -> bool:
        """Does their domain have all tables and columns of a schema?"""
        return self.domain is not None and _places(schema) <= _places(self.domain.schema)

    @contextmanager
    def index(self, place: str | Path, schema: Schema) -> Generator[ValueIndex]:
        """Open the value index of a database, with the domain's names of values if its tables are the same.

        Args:
            place: a SQLite file or a URL.
            schema: the part of the schema that may be read.

        Raises:
            DatabaseError: it cannot be read.
        """
        known = self.domain if self.describes(schema) else None
        opened = open_values(known, self.examples, place, schema) if known else ValueIndex.open(place, schema)
        with opened as index:
            yield index


def shot_store(
    shots: Sequence[Shot], language: str, *, index: ValueIndex | None, retriever: str | None = None
) -> ShotStore:
    """Return a search over solved questions.

    Args:
        shots: the solved questions.
        language: the language of the questions.
        index: the index of the values to mask in questions, None to mask none.
        retriever: a bi-encoder by its name or folder, None for E5.

    Raises:
        InputError: there are no solved questions, or the bi-encoder cannot be loaded.
    """
    return ShotStore(
        shots, load_bi_encoder(retriever or "e5"), mask=str if index is None else ValueMask(index, language)
    )


def solved_domain(source: str, *, language: str | None = None, database: str | None = None) -> Domain:
    """Return the domain of solved questions with its database.

    Args:
        source: a ``.jsonl`` file or a domain, see `read_shots`.
        language: the language of the questions, None for the domain's or the most frequent one of a file.
        database: a SQLite file, a URL or a shipped one; None for that of a domain.

    Raises:
        InputError: the questions cannot be read, or a file comes without a database.
        SchemaError: there is no such database.
    """
    place = None if database is None else database_place(database)
    if not _is_file(source):
        domain = load_domain(source, language=language)
        return domain if place is None else replace(domain, database=place)
    if place is None:
        raise InputError("of a file nobody knows the database", file=source, field="--database", hint="give one")
    schema, dialect = open_schema(place)
    shots = read_shots(source)
    spoken = language or Counter(language_of(shot.question) for shot in shots).most_common(1)[0][0]
    return replace(_domain_of(Path(source).stem, shots, schema, dialect, spoken), database=place)


def examples_domain(source: str | None, language: str | None) -> Domain | None:
    """Return the domain of solved questions, None if they come from a file.

    Raises:
        DomainError: there is no such domain.
    """
    return None if source is None or _is_file(source) else load_domain(source, language=language)


def described_schema(schema: Schema, domain: Domain | None) -> Schema:
    """Return the schema of a domain with its descriptions if it has the same tables, else the database's own."""
    return domain.schema if domain is not None and _places(domain.schema) == _places(schema) else schema


def _is_file(source: str) -> bool:
    return Path(source).suffix == ".jsonl"


def _domain_of(name: str, shots: Sequence[Shot], schema: Schema, dialect: str, language: str) -> Domain:
    """Return a domain of a file's questions, whose values are aligned with those of the queries."""
    examples: list[Example] = []
    for number, shot in enumerate(shots, start=1):
        slotted, values = align(shot.question, shot.sql, dialect=dialect, language=language)
        examples.append(Example(str(number), shot.question, shot.sql, slotted, values, prototype=slotted))
    return Domain(name, language, dialect, schema, tuple(examples))


def _folded(question: str) -> str:
    """Return a key that is equal for questions with the same words in any case."""
    return " ".join(question.casefold().split())


def _places(schema: Schema) -> set[tuple[str, str]]:
    return {(table.name.lower(), column.name.lower()) for table, column in schema.columns()}
