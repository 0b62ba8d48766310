"""Solved questions for those on one database, and what is known of its values: what their domain tells of it, too."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..data.domain import Domain
from ..data.examples import Example
from ..data.loading import load_domain
from ..data.schema import Schema
from ..data.schema_places import database_place, open_schema
from ..ner.index import ValueIndex
from ..ner.known_values import open_values
from ..retrieval.shot_files import examples_to_show, read_shots, shots_of
from ..retrieval.shots import MakeWay, Shot, ShotStore
from .shot_store import shot_store

__all__ = ["Solved", "described_schema", "examples_domain", "open_examples"]


@dataclass(frozen=True)
class Solved:
    """Solved questions, and where they come from.

    Attributes:
        shots: to choose from.
        domain: that they are of, None of a file's.
        examples: of the domain, that the shots are made of.
    """

    shots: tuple[Shot, ...] = ()
    domain: Domain | None = None
    examples: tuple[Example, ...] = ()

    @classmethod
    def read(
        cls,
        source: str | None,
        *,
        language: str | None,
        dialect: str | None = None,
        hidden: Callable[[str], bool] = lambda question: False,
    ) -> Solved:
        """Read them.

        Args:
            source: a ``.jsonl`` file or a domain, see `read_shots`; there are none if None.
            language: of the questions.
            dialect: what queries are to be in; None leaves them as they are.
            hidden: says which questions are left out.

        Raises:
            InputError: they cannot be read.
        """
        domain = examples_domain(source, language)
        if domain is not None:
            return cls.of(domain, dialect=dialect, hidden=hidden)
        shots = read_shots(source, language=language, dialect=dialect) if source else []
        return cls(tuple(shot for shot in shots if not hidden(shot.question)))

    @classmethod
    def of(
        cls, domain: Domain, *, dialect: str | None = None, hidden: Callable[[str], bool] = lambda question: False
    ) -> Solved:
        """Return those of a domain; see `read`."""
        examples = tuple(example for example in examples_to_show(domain) if not hidden(example.question))
        return cls(tuple(shots_of(domain, examples, dialect=dialect)), domain, examples)

    @contextmanager
    def index(self, place: str | Path, schema: Schema) -> Generator[ValueIndex]:
        """Open the values of a database, with what the domain calls them if it is one on these tables.

        Args:
            place: a SQLite file or a URL.
            schema: whose cells may be read.

        Raises:
            DatabaseError: it cannot be read.
        """
        domain = self.domain
        if domain is not None and _places(schema) <= _places(domain.schema):
            with open_values(domain, self.examples, place, schema) as index:
                yield index
        else:
            with ValueIndex.open(place, schema) as index:
                yield index


@contextmanager
def open_examples(
    source: str, ways: Mapping[str, MakeWay], *, language: str, database: str | None = None, mask: bool = True
) -> Generator[ShotStore]:
    """Open solved questions as `connect_llm` searches them, without a model.

    Args:
        source: a ``.jsonl`` file or a domain, see `read_shots`.
        ways: how to search, see `ways_named`.
        language: of the questions.
        database: a SQLite file, a URL or a shipped one, whose values are masked; a domain's own if None. Of a file of
            solved questions nobody knows one.
        mask: False leaves the values where they are.

    Raises:
        InputError: the solved questions cannot be read.
        SchemaError: there is no such database.
        DatabaseError: it cannot be read.
    """
    domain = examples_domain(source, language)
    place = database_place(database) if database else domain.database if domain else None
    schema, dialect = (None, None) if place is None else open_schema(place)
    solved = Solved.of(domain, dialect=dialect) if domain else Solved.read(source, language=language, dialect=dialect)
    if place is None or schema is None or not mask:
        yield shot_store(solved.shots, language, index=None, ways=ways)
        return
    with solved.index(place, described_schema(schema, domain)) as index:
        yield shot_store(solved.shots, language, index=index, ways=ways)


def examples_domain(source: str | None, language: str | None) -> Domain | None:
    """Return the domain that solved questions are of, None if they come from a file.

    Raises:
        DomainError: there is no such domain.
    """
    return None if source is None or Path(source).suffix == ".jsonl" else load_domain(source, language=language)


def described_schema(schema: Schema, domain: Domain | None) -> Schema:
    """Return the schema of a domain, which may describe it, if it is one on these tables; else the database's own."""
    return domain.schema if domain is not None and _places(domain.schema) == _places(schema) else schema


def _places(schema: Schema) -> set[tuple[str, str]]:
    return {(table.name.lower(), column.name.lower()) for table, column in schema.columns()}
