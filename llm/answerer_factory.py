"""What makes the answerers of a language model on one database, for questions of any language and for any tables."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from ..data.databases.database import Database
from ..data.profiles.kept import open_profile
from ..data.schema.schema import Schema
from ..data.sql.aliases import names_given
from ..grammar import Access
from ..knowledge.formulas.bank import Bank
from ..knowledge.solved import Solved, retriever_ways, shot_store
from ..ner.index import ValueIndex
from ..parser.answering.table_choice import TableChoice
from ..parser.decoding.encoded_question import one_thread
from ..parser.reader.catalogue import TableCatalogue
from ..parser.reader.table_retriever import TableRetriever
from ..retrieval.schema_retriever.table_scorer import open_scorer
from ..retrieval.shots import ShotStore
from .answering import LlmAnswerer, LlmOptions, masked_backend
from .database_answerer import LlmDatabaseAnswerer
from .messages import Backend, ConstrainedBackend
from .named_formulas import NamedFormulas, formula_vectors
from .named_values import named_values
from .prompting import Prompter
from .prompts import Cells, Prompts, example_cells, load_prompts
from .table_room import TableRoom

__all__ = ["LlmFactory"]


@dataclass(frozen=True)
class LlmFactory:
    """What answerers of several languages on one database are made of; see `connect_llm`.

    Attributes:
        place: of the database, as `database_place` gives it.
        closing: gets what is to be closed with the connection.
    """

    place: str
    database: Database
    schema: Schema
    dialect: str
    backend: Backend
    options: LlmOptions
    examples: str | None
    retriever: str | None
    prompts: Path | None
    cells: int
    access: Access | None
    hidden: tuple[str, ...]
    bank: Bank | None
    schema_retriever: Path | None
    progress: Callable[[str], None]
    closing: ExitStack = field(default_factory=ExitStack)

    @cached_property
    def readable(self) -> Schema:
        """Return what may be read; with a role no functions, as nobody knows what one reads."""
        if self.access is None:
            return self.schema
        return replace(self.access.narrowed(self.schema), functions=())

    def answerer(self, language: str) -> LlmDatabaseAnswerer:
        """Return what answers the questions of a language.

        Raises:
            InputError: prompts or examples cannot be read, or the back end cannot do what is asked.
        """
        masked_backend(self.backend, self.options, self.access)
        made = self._language_answerers(language)
        catalogue = TableCatalogue(self.schema, made.index, self.dialect, language, access=self.access)
        how: dict[str, Any] = {"cells": made.cells_of, "bare": made.prompter(replace(self.readable, tables=()))}
        return LlmDatabaseAnswerer(
            catalogue,
            finding=partial(self._choice, catalogue),
            make=made,
            room=TableRoom(self.backend, self.options, self.readable, self.dialect, **how),
            options=self.options,
            store=made.store,
        )

    def _language_answerers(self, language: str) -> _LanguageAnswerers:
        solved = Solved(None, ())
        if self.examples is not None:
            known: dict[str, Any] = {"dialect": self.dialect, "schema": self.readable, "hidden": self.hidden}
            solved = Solved.read(self.examples, language=language, **known)
        index = self.closing.enter_context(solved.index(self.place, self.readable))
        store = None
        if self.examples is not None and self.options.shots:
            store = shot_store(solved.shots, language, index=index, ways=retriever_ways(self.retriever))
        maskable = isinstance(self.backend, ConstrainedBackend)
        return _LanguageAnswerers(
            self,
            language,
            prompts=load_prompts(self.prompts, language=language, formulas=self.bank is not None),
            index=index,
            store=store,
            aliases=names_given((shot.sql for shot in solved.shots), self.dialect) if maskable else (),
        )

    def _choice(self, catalogue: TableCatalogue) -> TableChoice:
        """Return what chooses tables, by what the columns hold, too."""
        self.progress("reading the names of the schema")
        profile = open_profile(self.place, self.readable, narrowed=self.access is not None)
        known = replace(catalogue, profile=profile)
        scorer = open_scorer(self.schema_retriever)
        with one_thread():
            return TableChoice(known, TableRetriever(known, scorer), self.bank)


class _LanguageAnswerers:
    """Makes what answers questions of one language, on all tables or on those that prompts tell."""

    def __init__(
        self,
        told: LlmFactory,
        language: str,
        *,
        prompts: Prompts,
        index: ValueIndex,
        store: ShotStore | None,
        aliases: tuple[str, ...],
    ) -> None:
        self.index, self.store = index, store
        self._told, self._language, self._prompts, self._aliases = told, language, prompts, aliases
        self._vectors = None if told.bank is None else formula_vectors()
        self.cells_of = lru_cache(maxsize=None)(self._read_cells)

    def __call__(self, part: Schema | None) -> LlmAnswerer:
        told, schema, access, index = self._told, self._told.schema, self._told.access, self.index
        if part is not None:
            names = [table.name for table in part.tables]
            access = access and access.only(names, schema)
            schema = schema.only(names)
            index = index.over(access.narrowed(schema) if access else schema)
        formulas = None
        if told.bank is not None:
            known: dict[str, Any] = {"index": index, "access": access, "vectors": self._vectors}
            formulas = NamedFormulas.on(schema, told.bank, told.dialect, self._language, **known)
        return LlmAnswerer(
            told.backend,
            schema,
            told.database,
            told.dialect,
            options=told.options,
            retriever=self.store,
            prompts=self._prompts,
            cells=self._cells(part or told.readable),
            named=named_values(index, self._language),
            formulas=formulas,
            access=access,
            aliases=self._aliases,
            told=part,
        )

    def prompter(self, part: Schema) -> Prompter:
        """Return what builds prompts that tell a part of the database, and the values that questions name."""
        named = named_values(self.index, self._language)
        return Prompter(self._prompts, part, self._told.dialect, program=self._told.options.program, named=named)

    def _cells(self, schema: Schema) -> Cells:
        return {place: cells for table in schema.tables for place, cells in self.cells_of(table.name).items()}

    def _read_cells(self, table: str) -> Cells:
        """Return a few values of a table, which are read when it is first told."""
        told = self._told
        if not told.cells or not told.options.schema:
            return {}
        return example_cells(Schema((told.readable.table(table),)), told.database, told.cells)
