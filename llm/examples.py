"""Solved questions for those on one database, found by what they ask: the values of both are masked."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..data.domain import Domain
from ..data.loading import load_domain
from ..data.schema import Schema
from ..data.schema_places import database_place, open_schema
from ..ner.index import ValueIndex
from ..retrieval.shot_files import read_shots
from ..retrieval.shots import MakeWay, ShotStore
from .shot_store import shot_store

__all__ = ["described_schema", "examples_domain", "open_examples"]


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
    if place is None or not mask:
        yield shot_store(read_shots(source, language=language), language, index=None, ways=ways)
        return
    schema, dialect = open_schema(place)
    shots = read_shots(source, language=language, dialect=dialect)
    with ValueIndex.open(place, described_schema(schema, domain)) as index:
        yield shot_store(shots, language, index=index, ways=ways)


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
