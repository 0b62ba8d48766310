"""A language model on one database of any size: ask, read, validate, run, correct.

Of a large database each question is told the tables that it may need.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from ..answers.carried import carried
from ..data.databases.database import Database
from ..data.domains.dialogues import Turn
from ..data.errors import ConstraintError, InputError, LlmError
from ..data.schema.schema import Schema, Table
from ..data.sql.query import Query
from ..data.sql.sources import names_given
from ..data.urls import dialect_of
from ..encoders.functions import one_thread
from ..encoders.text_vectors import TextVectors
from ..grammar import Access, Grammar
from ..knowledge.formulas.bank import Bank
from ..knowledge.solved import Solved, shot_store
from ..meaning.profiling import open_profile
from ..ner.index import ValueIndex
from ..ner.language.question import QuestionText
from ..parser.answering.asking import AskOptions, ConnectOptions
from ..parser.reader.catalogue import MORE, TableCatalogue, TableChoice, TableRetriever
from ..retrieval.schema_retriever.table_scorer import open_scorer
from ..retrieval.shots import Shot, ShotStore
from .correction_log import AT_ONCE, CORRECTED, CorrectionLog, LlmAnswer
from .executor import Executor
from .messages import Backend, ConstrainedBackend, Message, SqlTask
from .named import NamedFormulas, formula_vectors, named_values
from .options import LlmOptions
from .prompting import Prompter, fitted
from .prompts.templates import Cells, Prompts, example_cells, load_prompts, schema_text
from .pruned_schema import mentioned_columns, needed_columns, prune_schema

_KEPT = 32
"""Sets of tables of which is kept what they are asked with."""

_ORDER = ("ok", "unsure", "error", "no_answer")


@dataclass(frozen=True)
class _Asking:
    """What questions on all tables, or on some as if there were no others, are asked with.

    Attributes:
        task: what holds the model to a query on them.
        readable: what may be read of them.
        prompter: writes the messages.
        executor: tries what the model answers.
        formulas: finds those that a question names, None without a bank.
    """

    task: SqlTask
    readable: Schema
    prompter: Prompter
    executor: Executor
    formulas: NamedFormulas | None


class LlmSession:
    """Answers questions of one language on one database: of all tables, or of those that a prompt has room for.

    It is a `Session` of `parser.answering.asking`. Prompts, examples and the index are read with the first question,
    or by `prepare`.

    Args:
        backend: the model.
        place: of the database, as `database_place` gives it.
        database: open for reading.
        schema: with what the examples' domain says of it.
        language: of the questions.
        options: how the model is asked.
        connecting: how the database is opened.
        bank: of formulas that questions may name.
        progress: called with what is being done where it takes a while.
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
        """Read prompts, examples and the index, so that the first question need not wait and shows no mistake of these.

        Raises:
            InputError: prompts or examples cannot be read.
        """
        _ = self._finding if self._chooses else self._over(None)

    @cached_property
    def _solved(self) -> Solved:
        told = self._connecting
        if told.examples is None:
            return Solved(None, ())
        about: dict[str, Any] = {"dialect": self.dialect, "schema": self.schema, "hidden": told.hidden}
        return Solved.read(str(told.examples), language=self._language, **about)

    @cached_property
    def _prompts(self) -> Prompts:
        return load_prompts(self._options.prompts, language=self._language)

    @cached_property
    def _index(self) -> ValueIndex:
        return self._closing.enter_context(self._solved.index(self._place, self.schema))

    @cached_property
    def _store(self) -> ShotStore | None:
        """Return what finds solved questions to show."""
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
        """Return what finds the tables that a question may need, by what the columns hold, too."""
        self._progress("reading the names of the schema")
        narrowed, scorer = self._connecting.access is not None, self._connecting.schema_retriever
        known = replace(self._catalogue, profile=open_profile(self._place, self.schema, narrowed=narrowed))
        with one_thread():
            found = TableRetriever(known, open_scorer(None if scorer is None else Path(scorer)))
            return TableChoice(known, found, self._bank)

    @cached_property
    def _bare(self) -> Prompter:
        """Return what writes prompts that tell no table."""
        named, nothing = named_values(self._index, self._language), replace(self.schema, tables=())
        return Prompter(self._prompts, nothing, self.dialect, program=self._options.program, named=named)

    def _left(self, question: str, before: Sequence[Turn]) -> int:
        """Return how many tokens tables may take: half of the room; the rest is for solved questions and failures."""
        if self._backend.context is None:
            return sys.maxsize
        bare = self._backend.count(self._bare.messages(question, before=before))
        return (self._backend.context - self._options.settings["max_tokens"] - bare) // 2

    def _counted(self, table: Table) -> int:
        """Return how many tokens a table takes in a prompt."""
        text = schema_text(Schema((table,)), self.dialect, self._cells_of(table.name))
        told, nothing = ([Message("user", content)] for content in (text, ""))
        return self._backend.count(told) - self._backend.count(nothing)

    @cached_property
    def _vectors(self) -> TextVectors | None:
        return None if self._bank is None else formula_vectors()

    @property
    def _chooses(self) -> bool:
        """Are tables chosen whatever the question? To a model that is told none all are there."""
        return self._catalogue.is_large and self._options.schema

    @cached_property
    def _aliases(self) -> tuple[str, ...]:
        maskable = isinstance(self._backend, ConstrainedBackend)
        return names_given((shot.sql for shot in self._solved.shots), self.dialect) if maskable else ()

    def _made(self, part: Schema | None) -> _Asking:
        """Make what questions on all tables are asked with, or on those that prompts tell."""
        schema, access, index = self._whole_schema, self._connecting.role, self._index
        if part is not None:
            names = [table.name for table in part.tables]
            access = access and access.only(names, schema)
            schema = schema.only(names)
            index = index.over(access.narrowed(schema) if access else schema)
        formulas = None
        if self._bank is not None:
            known: dict[str, Any] = {"index": index, "access": access, "vectors": self._vectors}
            formulas = NamedFormulas.on(schema, self._bank, self.dialect, self._language, **known)
        if access is not None:  # nobody knows what a function reads
            schema = replace(schema, functions=())
        options, told = self._options, part or self.schema
        task = SqlTask(schema, self.dialect, program=options.program, access=access, aliases=self._aliases)
        readable = Grammar.for_schema(schema, dialect=self.dialect, access=access).readable
        how: dict[str, Any] = {"program": options.program, "told": options.schema, "formulas": formulas}
        how["cells"] = {place: some for table in told.tables for place, some in self._cells_of(table.name).items()}
        how["named"] = named_values(index, self._language)
        prompter = Prompter(self._prompts, readable if part is None else part, self.dialect, **how)
        return _Asking(task, readable, prompter, Executor(readable, self.database, self.dialect), formulas)

    def _read_cells(self, table: str) -> Cells:
        """Return a few values of a table, which are read when it is first told."""
        if not self._options.cells or not self._options.schema:
            return {}
        return example_cells(Schema((self.schema.table(table),)), self.database, self._options.cells)

    def answer(self, question: QuestionText, turns: Sequence[Turn], options: AskOptions) -> LlmAnswer:
        """Return the answer to a question; see `Session.answer`.

        Where no query on the likeliest tables does, more of them are told, once.
        """
        begun, text = time.perf_counter(), question.text
        shots = self._store.similar(text, self._options.shots) if self._store else ()
        whole = not options.tables and self._tells_all(text)
        found: LlmAnswer | None = None
        try:
            for told in [None] if whole else self._parts(text, shots, turns, options.tables):
                one = self._ask(self._over(told), text, shots, turns)
                names = self._tables.in_order(table.name for table in (told or self.schema).tables)
                one = replace(one, tables=names, notes=(*one.notes, *self._tables.notes(names)))
                found = one if found is None else _better(found, one)
                failed = one.status == "error" and one.sql is not None  # the database did
                if failed or found.unheard or any(attempt.problem is None for attempt in found.attempts):
                    break
        except LlmError as error:
            found = found or CorrectionLog(text).fail(str(error), time.perf_counter() - begun)
        assert found is not None  # there is a first set of tables
        return replace(found, seconds=time.perf_counter() - begun)

    def _ask(self, asking: _Asking, question: str, shots: Sequence[Shot], before: Sequence[Turn]) -> LlmAnswer:
        """Ask, read, validate, run, and ask again with what was wrong."""
        talk = CorrectionLog(question, asking.formulas.uses(question) if asking.formulas else ())
        settings = self._options.settings
        while len(talk.rounds) <= self._options.corrections and not talk.over:
            begun = time.perf_counter()
            try:
                told = question, shots, talk.failures
                room = settings["max_tokens"]
                messages = fitted(asking.prompter, self._backend, *told, before=before, max_tokens=room)
                if self._masked is not None:
                    found = self._masked.complete_sql(messages, asking.task, **settings)
                else:
                    found = self._backend.complete(messages, **settings)
                if not found.texts:
                    raise LlmError("the model wrote nothing", field=self._backend.name)
            except (LlmError, ConstraintError) as error:
                return talk.fail(str(error), time.perf_counter() - begun)
            seconds = time.perf_counter() - begun
            talk.hear(found, [asking.executor.outcome(text) for text in found.texts], seconds)
        answer = talk.answer()
        if not before or answer.sql is None:
            return answer
        earlier, now = (Query(sql, self.dialect) for sql in (before[-1].sql, answer.sql))
        return replace(answer, carried=carried(earlier, now, asking.readable))

    def explain(self, question: QuestionText, turns: Sequence[Turn], options: AskOptions) -> None:
        """Return nothing: an answer tells its attempts."""

    def _tells_all(self, question: str) -> bool:
        if not self._options.schema:
            return True
        if self._chooses or (context := self._backend.context) is None:
            return not self._chooses
        bare = self._over(None).prompter.messages(question)
        return self._backend.count(bare) + self._options.settings["max_tokens"] <= context

    def _parts(
        self, question: str, shots: Sequence[Shot], before: Sequence[Turn], tables: Sequence[str]
    ) -> Iterator[Schema]:
        """Yield what a prompt tells, first of the likeliest tables, then of more where there is room for them."""
        earlier = [turn.sql for turn in before[-1:]]
        if tables:
            must = self._tables.named(tables)
            sets = [must]
        else:
            must = tuple(self._tables.tables_of(earlier))
            wanted = sorted({self._options.most_tables, max(self._options.most_tables, MORE)})
            alike = [shot.sql for shot in shots[:1]]  # what it reads this one may need, too
            said = QuestionText(question, self._language)
            sets = self._finding.sets(said, before=before, queries=alike, wanted=wanted)
        told, left = None, self._left(question, before)
        for names in sets:
            needs = self._needs(question, must or names[:1], earlier)
            last, told = told, prune_schema(names, self.schema, self._size, left, needs=needs)
            if last is None or {table.name for table in last.tables} != {table.name for table in told.tables}:
                yield told

    def _needs(self, question: str, tables: Sequence[str], queries: Sequence[str]) -> dict[str, set[str]]:
        """Return the columns of tables that are told in any case: the question or a query before says them."""
        part = self._catalogue.readable.only(tables)
        found = mentioned_columns(question, part, self._index.over(part), self._language)
        for sql in queries:
            for table, columns in needed_columns(sql, part, self.dialect).items():
                found[table] |= columns
        return {name: found[name] for name in tables}

    def close(self) -> None:
        """Close the index of its values."""
        self._closing.close()


def _better(first: LlmAnswer, second: LlmAnswer) -> LlmAnswer:
    """Return the one of two answers that stays, the second of more tables, with what both took."""
    if second.unheard:
        return first
    stays = second if _ORDER.index(second.status) < _ORDER.index(first.status) else first
    sure = CORRECTED if stays is second and stays.confidence == AT_ONCE else stays.confidence
    return replace(
        stays,
        confidence=sure,
        attempts=first.attempts + second.attempts,
        prompt_tokens=_sum(first.prompt_tokens, second.prompt_tokens),
        completion_tokens=_sum(first.completion_tokens, second.completion_tokens),
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _masked_backend(backend: Backend, options: LlmOptions, access: Access | None) -> ConstrainedBackend | None:
    """Return the back end if its tokens are to be masked.

    Raises:
        InputError: they cannot be, though an option or ``access`` asks for it.
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
