"""What opens a parser on a database: shared by the languages of its questions, and by evaluation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial, reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..data.databases.database import Database, FoundTables
from ..data.databases.schema_readers import read_schema
from ..data.databases.urls import dialect_of
from ..data.domains.domain import Domain
from ..data.domains.examples import Example
from ..data.errors import InputError, did_you_mean
from ..data.feedback import Feedback, Judged
from ..data.schema.schema import Function, Schema
from ..grammar import LEVELS, Access
from ..knowledge.formulas.bank import Bank
from ..knowledge.solved import Solved, retriever_ways, shot_store
from ..ner.index import ValueIndex
from ..retrieval.schema_retriever.table_scorer import open_scorer
from ..retrieval.shots import Shot
from .answerer_factory import AnswererFactory
from .answering.database_answerer import DatabaseAnswerer
from .answering.table_choice import TableChoice
from .decoding.encoded_question import one_thread
from .decoding.solved import SolvedQuestions
from .network.saved import Loaded, network_of
from .reader.context import DatabaseContext
from .reader.schema.domain_profile import domain_profile
from .reader.schema.profile import BUDGET, SOURCES, Profile
from .reader.table_retriever import TableRetriever

__all__ = ["SessionFactory", "check_level", "solved_questions", "untrained_profile"]


def check_level(level: str | None, *, access: Access | None = None, examples: bool, knowledge: bool) -> None:
    """Refuse a level of the local constraint that there is not, or that does not hold what stands on it.

    Raises:
        InputError: says which.
    """
    if level not in (None, *LEVELS):
        hint = did_you_mean(str(level), LEVELS) or f"use {', '.join(LEVELS)}"
        raise InputError(f"no level {level!r}", field="level", hint=hint)
    if access is not None and level in (None, LEVELS[0]):
        problem = f"access at level {level!r}"
        raise InputError(problem, field="level", hint="names are held to what may be read from scope on")
    for told, name in ((examples, "solved questions"), (knowledge, "formulas")):
        if told and level is None:
            raise InputError(f"{name} without a constraint", field="level", hint="their queries are held to it")


@dataclass(frozen=True)
class SessionFactory:
    """What the sessions in several languages on one database have in common; see `connect`.

    Attributes:
        parser: see `network_of`.
        path: of the database, as `database_place` gives it.
        functions: that a shipped database has.
        closing: gets what is to be closed with the connection.
        feedback: what was said of answers; its solved questions come beside the examples.
        schema_retriever: a file of `train_schema_retriever`; the shipped one if None.
        wait: for the index of a large database, see `ValueIndex.open`.
    """

    parser: str | Path | Loaded | None
    path: str | None
    database: Database | None
    functions: tuple[Function, ...]
    level: str | None
    now: datetime | None
    access: Access | None
    examples: str | None
    retriever: str | None
    bank: Bank | None
    progress: Callable[[str], None]
    closing: ExitStack
    description: Path | None = None
    feedback: Feedback | None = None
    schema_retriever: Path | None = None
    wait: bool = False

    @cached_property
    def loaded(self) -> Loaded:
        """Return the network, loaded once for all languages.

        Raises:
            RunError: the folder holds no network of this version.
        """
        self.progress("loading the network")
        return network_of(self.parser)

    @FoundTables.opening()
    def answerer(self, language: str) -> DatabaseAnswerer:
        """Open the database for questions in a language.

        Raises:
            InputError: nothing tells the schema, or the solved questions cannot be read.
        """
        loaded = self.loaded
        self.progress("looking up the values of the database")
        schema = None if self.path is None else replace(read_schema(self.path), functions=self.functions)
        told = self._judged()
        solved = self._solved(language, schema, told)
        profile = self._profile(language, schema, solved)
        if self.access is not None:  # nobody knows what a function reads
            profile = replace(profile, schema=replace(profile.schema, functions=()))
        if self.database is not None:
            self.database.define(profile.schema.functions)
            self.database.confine(self.access.narrowed(profile.schema) if self.access else profile.schema)
        read: dict[str, Any] = {"access": self.access, "description": self.description, "wait": self.wait}
        catalogue = profile.catalogue(self.path, **read)
        if catalogue.index is not None:
            self.closing.enter_context(catalogue.index)
        self.progress("reading the names of the schema")
        scorer = open_scorer(self.schema_retriever)
        with one_thread():
            retriever = TableRetriever(catalogue, scorer) if catalogue.is_large else None
        how: dict[str, Any] = {"level": self.level, "bank": self.bank, "now": self.now}
        factory = AnswererFactory(loaded, profile, self.database, **how)
        choice = TableChoice(catalogue, retriever, self.bank)
        made = DatabaseAnswerer(choice, factory, linker=partial(factory.linker, catalogue))
        self._follow(made, told, solved)
        if retriever is None:
            _ = made.whole  # so that the first question need not wait
        return made

    def learn(self, made: DatabaseAnswerer) -> None:
        """Have a session follow what was said of answers by now.

        Raises:
            InputError: the feedback cannot be read.
        """
        told, catalogue = self._judged(), made.catalogue
        self._follow(made, told, self._solved(catalogue.language, catalogue.readable, told))

    def _judged(self) -> list[Judged]:
        return [] if self.feedback is None else self.feedback.standing()

    def _follow(self, made: DatabaseAnswerer, told: Sequence[Judged], solved: Solved | None) -> None:
        catalogue = made.catalogue
        here = ("", catalogue.readable.fingerprint) if told else ()
        judged = {one.asked: one for one in told if one.database in here}
        like = None
        if solved is not None:
            context = catalogue.over(made.all_tables[:1]) if catalogue.is_large else catalogue.whole
            nearest = not self.examples
            like = solved_questions(solved, context, self.retriever, nearest=nearest, index=catalogue.index)
        made.follow(judged, like)

    def _solved(self, language: str, schema: Schema | None, told: Sequence[Judged]) -> Solved | None:
        """Return the solved questions in a language, with those of feedback, None if there are none."""
        shots = [Shot(one.question, one.sql) for one in told if one.solves]
        if self.examples is None and not shots:
            return None
        about: dict[str, Any] = {"language": language, "schema": schema, "dialect": None}
        if self.path is not None:
            about["dialect"] = dialect_of(self.path)
        elif (trained := self.loaded.profile) is not None:
            about |= {"schema": schema or trained.schema, "dialect": trained.dialect}
        read = [] if self.examples is None else [Solved.read(self.examples, **about)]
        read += [Solved.of_shots("feedback", shots, **about)] if shots else []
        return reduce(Solved.with_more, read)

    def _profile(self, language: str, schema: Schema | None, solved: Solved | None) -> Profile:
        """Return what the parser was trained with, what a domain tells of the database, or what its schema says."""
        trained, path = self.loaded.profile, self.path
        if path is None or schema is None:
            if trained is None:
                hint = "give a database, or a parser that was trained on a domain"
                raise InputError("nothing tells which tables there are", field="database", hint=hint)
            return trained
        dialect = dialect_of(path)
        if trained is not None and trained.dialect == dialect and trained.fits(schema):
            return trained
        if trained is not None:
            problem = f"the parser was trained for {trained.name}, whose tables this database has not"
            warnings.warn(f"{problem}; it reads this one as it stands", stacklevel=5)
        domain = solved.domain if solved is not None and solved.describes(schema) else None
        if solved is not None and domain is not None and domain.dialect == dialect:
            folder = Path(self.closing.enter_context(TemporaryDirectory()))
            return replace(untrained_profile(domain, solved.examples, folder), database=path)
        return Profile.of(schema, dialect=dialect, language=language, database=path)


def solved_questions(
    solved: Solved,
    context: DatabaseContext,
    retriever: str | None,
    *,
    nearest: bool = False,
    index: ValueIndex | None = None,
) -> SolvedQuestions:
    """Return solved questions for a parser on their database; see `SolvedQuestions` for ``nearest``.

    Args:
        index: of the whole database; that of the context if None.
    """
    slotted, index = dict(zip(solved.shots, solved.slotted, strict=False)), index or context.index
    with one_thread():
        store = shot_store(solved.shots, context.language, index=index, ways=retriever_ways(retriever))
        return SolvedQuestions(context, store, slotted, nearest=nearest)


def untrained_profile(domain: Domain, examples: Sequence[Example], folder: Path) -> Profile:
    """Return what a domain says of itself to a parser that was not trained on it, and may ask more of it.

    Args:
        examples: of the domain, whose values may be known.
        folder: gets the index file of the values.
    """
    found = domain_profile(domain, examples, folder / "values.sqlite")
    # constants that it never saw beside a question's values mislead it: GeoQuery .55 -> .12
    return replace(found, constants=(), budget=max(found.budget, BUDGET), sources=max(found.sources, SOURCES))
