"""A session of a language model on one database: it prompts, reads, validates and runs the query, and has it corrected.

The prompt has the whole schema, or for a large database the tables that the question may need.
"""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from ..answers.carried import carried
from ..data.databases.database import Database
from ..data.domains.dialogues import Turn
from ..data.errors import ConstraintError, InputError, LlmError
from ..data.schema.schema import Schema, Table
from ..data.sql.query import Query
from ..data.sql.sources import names_given
from ..data.urls import dialect_of
from ..encoders import load_encoder
from ..encoders.functions import one_thread
from ..encoders.text_vectors import TextVectors
from ..grammar import Access, Grammar
from ..knowledge.formulas.bank import Bank
from ..knowledge.solved import Solved, shot_store
from ..meaning.profiling import open_profile
from ..ner.index import ValueIndex
from ..ner.language.question import QuestionText
from ..parser.answering.asking import AskOptions, ConnectOptions
from ..parser.reader.catalogue import TableCatalogue, TableChoice, TableRetriever
from ..retrieval.schema_retriever.table_scorer import open_scorer
from ..retrieval.shots import Shot, ShotStore
from .correction_log import CorrectionLog, LlmAnswer
from .executor import Executor
from .messages import Backend, ConstrainedBackend, Message, SqlTask
from .named import NamedFormulas, named_values
from .options import LlmOptions
from .prompting import Prompter, fitted
from .prompts.templates import Cells, Prompts, example_cells, load_prompts, schema_text
from .pruned_schema import mentioned_columns, needed_columns, prune_schema

_KEPT = 32
"""How many sets of tables are kept with their prompters."""


@dataclass(frozen=True)
class _PromptTools:
    """The tools for questions on all tables, or on some as if there were no others.

    Attributes:
        task: the task for a masked back end.
        readable: the part of the tables that may be read.
        prompter: writes the messages.
        executor: runs the queries of the model.
        formulas: finds the formulas that a question names, None without a bank.
    """

    task: SqlTask
    readable: Schema
    prompter: Prompter
    executor: Executor
    formulas: NamedFormulas | None


class LlmSession:
    """Answers questions in one language on one database, with all tables in the prompt or those that it has room for.

    It is a `Session` of `parser.session`. Prompts, examples and the index are read with the first question, or by
    `prepare`.

    Args:
        backend: the model.
        place: of the database, as `database_place` gives it.
        database: open for reading.
        schema: the schema, with the descriptions of the examples' domain.
        language: of the questions.
        options: the options of the model.
        connecting: the options of the connection.
        bank: the formulas that questions may name.
        progress: a callback for messages about steps that take a while.
    """

    answer_type = LlmAnswer
    outdated = False

    def __init__(
        self,
        backend: Backend,
        place: str,
        database: Database,
        schema: Schema,
        language: str,
        *,
        options: LlmOptions,
        connecting: ConnectOptions,
        bank: Bank | None = None,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._masked = _masked_backend(backend, options, connecting.role)
        self.database, self.dialect = database, dialect_of(place)
        self._backend, self._place, self._whole_schema, self._language = backend, place, schema, language
        self._options, self._connecting, self._bank, self._progress = options, connecting, bank, progress
        access = connecting.role
        # with a role no functions, as nobody knows what one reads
        self.schema = schema if access is None else replace(access.narrowed(schema), functions=())
        self._closing = ExitStack()
        self._over = lru_cache(maxsize=_KEPT)(self._made)
        self._cells_of = lru_cache(maxsize=None)(self._read_cells)
        self._size = lru_cache(maxsize=4096)(self._counted)
        database.define(schema.functions)
        database.confine(self.schema)

    def prepare(self) -> None:
        """Read prompts, examples and the index before the first question, so that their errors show now.

        Raises:
            InputError: prompts or examples cannot be read.
        """
        _ = self._finding if self._chooses else self._over(None)

    @cached_property
    def _solved(self) -> Solved:
        connecting = self._connecting
        if connecting.examples is None:
            return Solved(None, ())
        about: dict[str, Any] = {"dialect": self.dialect, "schema": self.schema, "hidden": connecting.hidden}
        return Solved.read(str(connecting.examples), language=self._language, **about)

    @cached_property
    def _prompts(self) -> Prompts:
        return load_prompts(self._options.prompts, language=self._language)

    @cached_property
    def _index(self) -> ValueIndex:
        return self._closing.enter_context(self._solved.index(self._place, self.schema))

    @cached_property
    def _store(self) -> ShotStore | None:
        """Return the search for similar solved questions, None if prompts have none."""
        if self._connecting.examples is None or not self._options.shots:
            return None
        retriever = self._connecting.retriever
        return shot_store(self._solved.shots, self._language, index=self._index, retriever=retriever)

    @cached_property
    def _catalogue(self) -> TableCatalogue:
        access = self._connecting.role
        return TableCatalogue(self._whole_schema, self._index, self.dialect, self._language, access=access)

    @cached_property
    def _tables(self) -> TableChoice:
        return TableChoice(self._catalogue, None)

    @cached_property
    def _finding(self) -> TableChoice:
        """Return the choice of the tables that a question may need; it uses the profile of the columns, too."""
        self._progress("reading the names of the schema")
        narrowed, scorer = self._connecting.access is not None, self._connecting.schema_retriever
        known = replace(self._catalogue, profile=open_profile(self._place, self.schema, narrowed=narrowed))
        with one_thread():
            found = TableRetriever(known, open_scorer(scorer))
            return TableChoice(known, found, self._bank)

    @cached_property
    def _bare(self) -> Prompter:
        """Return a prompter for prompts without tables."""
        named, nothing = named_values(self._index, self._language), replace(self.schema, tables=())
        return Prompter(self._prompts, nothing, self.dialect, program=self._options.program, named=named)

    def _room(self, question: str, before: Sequence[Turn]) -> int:
        """Return the tokens for tables: half of what is left, since solved questions and failures need some, too."""
        if self._backend.context is None:
            return sys.maxsize
        bare = self._backend.count(self._bare.messages(question, before=before))
        return (self._backend.context - self._options.settings["max_tokens"] - bare) // 2

    def _counted(self, table: Table) -> int:
        """Return how many tokens a table takes in a prompt."""
        text = schema_text(Schema((table,)), self.dialect, self._cells_of(table.name))
        full, empty = ([Message("user", content)] for content in (text, ""))
        return self._backend.count(full) - self._backend.count(empty)

    @cached_property
    def _vectors(self) -> TextVectors | None:
        return None if self._bank is None else TextVectors(load_encoder("e5"))

    @property
    def _chooses(self) -> bool:
        """Are tables chosen for every question? A model whose prompts have no schema may use all."""
        return self._catalogue.is_large and self._options.schema

    @cached_property
    def _aliases(self) -> tuple[str, ...]:
        maskable = isinstance(self._backend, ConstrainedBackend)
        return names_given((shot.sql for shot in self._solved.shots), self.dialect) if maskable else ()

    def _made(self, part: Schema | None) -> _PromptTools:
        """Make the tools for questions on all tables, or on a part of the schema."""
        schema, access, index = self._whole_schema, self._connecting.role, self._index
        if part is not None:
            names = [table.name for table in part.tables]
            access = access and access.only(names, schema)
            schema = schema.only(names)
            index = index.over(access.narrowed(schema) if access else schema)
        formulas = None
        if self._bank is not None:
            known: dict[str, Any] = {"index": index, "access": access, "vectors": self._vectors}
            formulas = NamedFormulas(schema, self._bank, self.dialect, self._language, **known)
        if access is not None:  # nobody knows what a function reads
            schema = replace(schema, functions=())
        options = self._options
        task = SqlTask(schema, self.dialect, program=options.program, access=access, aliases=self._aliases)
        readable = Grammar.for_schema(schema, dialect=self.dialect, access=access).readable
        how: dict[str, Any] = {"program": options.program, "with_schema": options.schema, "formulas": formulas}
        how["cells"] = {
            place: some for table in (part or self.schema).tables for place, some in self._cells_of(table.name).items()
        }
        how["named"] = named_values(index, self._language)
        prompter = Prompter(self._prompts, readable if part is None else part, self.dialect, **how)
        return _PromptTools(task, readable, prompter, Executor(readable, self.database, self.dialect), formulas)

    def _read_cells(self, table: str) -> Cells:
        """Return a few values of a table, which are read when a prompt has it first."""
        if not self._options.cells or not self._options.schema:
            return {}
        return example_cells(Schema((self.schema.table(table),)), self.database, self._options.cells)

    def answer(self, question: QuestionText, turns: Sequence[Turn], options: AskOptions) -> LlmAnswer:
        """Return the answer to a question; see `Session.answer`."""
        begun, text = time.perf_counter(), question.text
        shots = self._store.similar(text, self._options.shots) if self._store else ()
        try:
            part = None
            if options.tables or not self._whole_schema_fits(text):
                part = self._pruned(text, shots, turns, options.tables)
            found = self._ask(self._over(part), text, shots, turns)
            names = self._tables.in_order(table.name for table in (part or self.schema).tables)
            found = replace(found, tables=names, notes=(*found.notes, *self._tables.notes(names)))
        except LlmError as error:
            found = CorrectionLog(text).fail(str(error), time.perf_counter() - begun)
        return replace(found, seconds=time.perf_counter() - begun)

    def _ask(self, tools: _PromptTools, question: str, shots: Sequence[Shot], before: Sequence[Turn]) -> LlmAnswer:
        """Prompt the model, run its query, and prompt again with what was wrong, as often as the options allow."""
        log = CorrectionLog(question, tools.formulas.uses(question) if tools.formulas else ())
        settings = self._options.settings
        while len(log.rounds) <= self._options.corrections and not log.over:
            begun = time.perf_counter()
            try:
                earlier: dict[str, Any] = {"shots": shots, "failures": log.failures, "before": before}
                messages = fitted(tools.prompter, self._backend, question, **earlier, max_tokens=settings["max_tokens"])
                if self._masked is not None:
                    found = self._masked.complete_sql(messages, tools.task, **settings)
                else:
                    found = self._backend.complete(messages, **settings)
                if not found.texts:
                    raise LlmError("the model wrote nothing", field=self._backend.name)
            except (LlmError, ConstraintError) as error:
                return log.fail(str(error), time.perf_counter() - begun)
            seconds = time.perf_counter() - begun
            log.add(found, [tools.executor.outcome(text) for text in found.texts], seconds)
        answer = log.answer()
        if not before or answer.sql is None:
            return answer
        last, now = (Query(sql, self.dialect) for sql in (before[-1].sql, answer.sql))
        return replace(answer, carried=carried(last, now, tools.readable))

    def explain(self, question: QuestionText, turns: Sequence[Turn], options: AskOptions) -> None:
        """Return nothing: an answer has its attempts."""

    def _whole_schema_fits(self, question: str) -> bool:
        """Can the prompt of a question have all tables, or has it none anyway?"""
        if not self._options.schema:
            return True
        if self._chooses or (context := self._backend.context) is None:
            return not self._chooses
        bare = self._over(None).prompter.messages(question)
        return self._backend.count(bare) + self._options.settings["max_tokens"] <= context

    def _pruned(self, question: str, shots: Sequence[Shot], before: Sequence[Turn], tables: Sequence[str]) -> Schema:
        """Return the part of the schema for a prompt: the tables that a person named, or the likeliest ones.

        The tables of the query before come first, then those of the most similar solved question.
        """
        earlier = [turn.sql for turn in before[-1:]]
        if tables:
            names = needed = self._tables.named(tables)
        else:
            needed = tuple(self._tables.tables_of(earlier))
            similar, read = [shot.sql for shot in shots[:1]], QuestionText(question, self._language)
            wanted = [self._options.most_tables]
            names = self._finding.sets(read, before=before, queries=similar, wanted=wanted)[0]
        columns = self._needed_columns(question, needed or names[:1], earlier)
        return prune_schema(names, self.schema, self._size, self._room(question, before), needs=columns)

    def _needed_columns(self, question: str, tables: Sequence[str], queries: Sequence[str]) -> dict[str, set[str]]:
        """Return the columns of tables that the question mentions or the query before reads, which are never pruned."""
        part = self._catalogue.readable.only(tables)
        found = mentioned_columns(question, part, self._index.over(part), self._language)
        for sql in queries:
            for table, columns in needed_columns(sql, part, self.dialect).items():
                found[table] |= columns
        return {name: found[name] for name in tables}

    def close(self) -> None:
        """Close the index of its values."""
        self._closing.close()


def _masked_backend(backend: Backend, options: LlmOptions, access: Access | None) -> ConstrainedBackend | None:
    """Return the back end if its tokens are to be masked, else None.

    Raises:
        InputError: they cannot be masked, though an option or ``access`` requires it.
    """
    able = backend if isinstance(backend, ConstrainedBackend) else None
    if options.constrain and able is None:
        hint = "leave it out, or take a model that runs here"
        raise InputError(f"the tokens of {backend.name} cannot be masked", field="constrain", hint=hint)
    masked = None if options.constrain is False else able
    if access is not None and (masked is None or options.program):
        hint = "take a model that runs here, masked and without a program"
        raise InputError("only a mask on every token holds a model to what may be read", field="access", hint=hint)
    return masked
