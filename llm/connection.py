"""`querent.connect_llm`: a database that a language model answers questions about, from one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..data.answer import Status
from ..data.closing import Closing
from ..data.databases.database import Database
from ..data.databases.rows import Rows
from ..data.databases.schema_places import database_place, open_schema
from ..data.databases.schema_watch import SchemaWatch
from ..data.domains.dialogues import Turn
from ..data.errors import InputError
from ..data.languages import language_of
from ..data.schema.schema import Schema
from ..grammar import Access
from ..knowledge.formulas.reading import open_banks
from ..knowledge.solved import described_schema, examples_domain
from ..parser.answering.vanished import Vanished
from ..retrieval.shots import Shot
from .answerer_factory import LlmFactory
from .answering import LlmOptions
from .answers import LlmAnswer
from .backends.local import LocalBackend
from .database_answerer import LlmDatabaseAnswerer
from .messages import Backend, ConstrainedBackend
from .recipe import PROMPTS, Recipe

__all__ = ["LlmConnection", "connect_llm", "options_of"]


class LlmConnection(Closing):
    """A database that a language model can be asked about; a context manager. Made by `connect_llm`.

    Attributes:
        database: open for reading.
        schema: with what the examples' domain says of it.
        dialect: sqlite, mysql or postgres.
        vanished: what the database had and has no longer.
    """

    def __init__(self, factory: LlmFactory, language: str | None, read: Callable[[], Schema]) -> None:
        self.database = factory.database
        self.dialect = factory.dialect
        self._language = language
        self._read = read  # the schema, with what is said of it
        self._watch = SchemaWatch(self.database)
        self.vanished = Vanished(self.dialect)
        factory.closing.callback(self.database.close)
        with self._watch.reading():
            self._begin(factory)

    def _begin(self, factory: LlmFactory) -> None:
        self._factory, self.schema = factory, factory.schema
        self._opened: dict[str, LlmDatabaseAnswerer] = {}
        self.database.confine(factory.readable)
        self.vanished.follow(factory.readable)

    def _renewed(self, *, at_once: bool = False) -> bool:
        """Read the schema anew if it has changed, and say whether it has; see `SchemaWatch.has_changed`."""
        if not self._watch.has_changed(at_once=at_once):
            return False
        with self._watch.reading():
            self._begin(replace(self._factory, schema=self._read()))
        return True

    @property
    def feedback(self) -> None:
        """Return that there is no file of what was said of answers: solved questions come from ``examples``."""
        return None

    def query(self, sql: str) -> Rows:
        """Run a query that a person wrote, for reading only.

        Raises:
            InputError: not all may be read: whether a query of others keeps to that, names alone do not tell.
            DatabaseError: it fails, or does more than read.
        """
        if self._factory.access is not None:
            raise InputError("a role runs no queries of its own", field="sql", hint="ask, or take an alternative")
        return self.database.query(sql)

    def ask(
        self,
        question: str,
        *,
        shots: Sequence[Shot] | None = None,
        before: Sequence[Turn] = (),
        tables: Sequence[str] = (),
    ) -> LlmAnswer:
        """Return the answer to a question in plain words; see `LlmDatabaseAnswerer.ask`.

        Args:
            shots: solved questions to show; those most alike among the examples if None.
            before: what was asked and answered before it, the latest last; `Conversation` keeps it.
            tables: that the model is told; if none, all of a small database, of a large one the likeliest.

        Raises:
            InputError: the question is empty, there is no such table, or prompts or examples cannot be read.
            QuerentError: the tables have changed, and cannot be read anew, as from `connect_llm`.
        """
        self._renewed(at_once=any(self.schema.by_name.get(name) is None for name in tables))
        if (gone := self.vanished.answer(question)) is not None:
            return self.refusal(question, gone.reason or "", "no_answer")
        answerer = self.answerer(self._language or language_of(question))
        with self.database.one_limit():
            answer = answerer.ask(question, shots=shots, before=before, tables=tables)
        renewed = answer.status == "error" and self._renewed(at_once=True)  # what the model was told may be gone
        if (gone := self.vanished.answer(question, *(one.sql for one in answer.attempts))) is not None:
            shown: dict[str, Any] = {"columns": (), "rows": (), "truncated": False, "alternatives": ()}
            return replace(answer, sql=None, **shown, confidence=0.0, status="no_answer", reason=gone.reason)
        return self.ask(question, shots=shots, before=before, tables=tables) if renewed else answer

    def refusal(self, question: str, reason: str, status: Status = "error") -> LlmAnswer:
        """Return the answer to a text that the model is not asked at all."""
        return LlmAnswer(question, None, status=status, reason=reason, prompt_tokens=0, completion_tokens=0)

    def twin(self) -> LlmConnection:
        """Open the same database for the same model once more, for another thread: a connection belongs to one.

        Raises:
            InputError: the model runs in this process, where it answers one question at a time.
            DatabaseError: the database is gone.
        """
        told = self._factory
        if isinstance(told.backend, ConstrainedBackend):
            hint = "leave it out, or ask a server"
            raise InputError(f"{told.backend.name} answers one question at a time", field="jobs", hint=hint)
        timeout, functions = self.database.timeout, self.schema.functions
        opened = Database.open(told.place, timeout=timeout, functions=functions)
        return LlmConnection(replace(told, database=opened, closing=ExitStack()), self._language, self._read)

    def probe(self) -> None:
        """Look whether the database can be read; see `Database.probe`."""
        self.database.probe(self._factory.readable)

    def answerer(self, language: str) -> LlmDatabaseAnswerer:
        """Return what answers the questions of a language.

        Raises:
            InputError: prompts or examples cannot be read.
        """
        if language not in self._opened:
            self._opened[language] = self._factory.answerer(language)
        return self._opened[language]

    def close(self) -> None:
        """Close the database and the index of its values."""
        self._factory.closing.close()


def connect_llm(
    database: str | Path,
    backend: Backend,
    *,
    options: LlmOptions | None = None,
    examples: str | Path | None = None,
    retriever: str | None = None,
    prompts: Path | None = None,
    cells: int = 3,
    language: str | None = None,
    access: Access | None = None,
    schema: Schema | None = None,
    hidden: Iterable[str] = (),
    knowledge: str | Path | Sequence[str | Path] = (),
    schema_retriever: str | Path | None = None,
    timeout: float = 5.0,
    progress: Callable[[str], None] = lambda _: None,
) -> LlmConnection:
    """Open a database for questions that a language model answers.

    Args:
        database: a SQLite file, the URL of a server, or the name of a shipped one (``plant``, ``library``, ``shop``).
        backend: the model, from `load_backend`.
        options: how it is asked; as it was tuned if None, or the defaults.
        examples: solved questions to choose from, a ``.jsonl`` file or a domain; of a domain on this database the
            descriptions and functions are told, too.
        retriever: chooses among them, by questions whose values are masked: ``e5``, or the folder of a
            trained bi-encoder; E5 if None.
        prompts: a folder of prompt files; the shipped ones of the language if None.
        cells: values of a text column that are told beside it, at most.
        language: of prompts and examples, which are read at once then; if None, each question's own.
        access: what may be read, all if None; needs a back end whose tokens can be masked.
        schema: of the database, with descriptions and functions; None reads it, and the examples' domain.
        hidden: questions that are never shown though they are among the examples, such as those of a test.
        knowledge: formulas that questions may name, banks as `querent.connect` takes them; those that a question names
            are told behind it.
        schema_retriever: finds the tables of a large database that a question may need, a file that
            `train_schema_retriever` wrote; the shipped one if None.
        timeout: seconds that a query may take.
        progress: told what is being done where it takes a while.

    Raises:
        SchemaError: there is no such database, or it has no tables.
        DatabaseError: it cannot be opened or read, or a function of the schema does not run on it.
        InputError: ``examples``, ``prompts``, ``retriever`` or ``knowledge`` cannot be read, the prompts tell no
            formulas where there are some, or the back end cannot do what is asked.
    """
    bank = open_banks(knowledge) if knowledge else None
    place = database_place(str(database), progress, role=access.role if access else "")
    found, dialect = open_schema(place)
    if (recipe := recipe_of(backend)) is not None:
        examples, retriever = examples or recipe.examples, retriever or recipe.retriever
        prompts, language = prompts or Path(backend.name) / PROMPTS, language or recipe.language
    spec, given = None if examples is None else str(examples), schema

    def read(found: Schema) -> Schema:
        return given or described_schema(found, examples_domain(spec, language))

    schema = read(found)
    opened = Database.open(place, timeout=timeout, functions=schema.functions)
    options = options or options_of(backend)
    finder = None if schema_retriever is None else Path(schema_retriever)
    factory = LlmFactory(
        *(str(place), opened, schema, dialect, backend, options, spec, retriever, prompts, cells),
        *(access, tuple(hidden), bank, finder, progress),
    )
    connection = LlmConnection(factory, language, lambda: read(open_schema(place)[0]))
    try:
        if language is not None:
            progress("reading prompts and examples")
            connection.answerer(language)  # so that what is wrong with them shows before a question
    except BaseException:
        connection.close()
        raise
    return connection


def options_of(backend: Backend) -> LlmOptions:
    """Return how a model is asked where nothing else is said: as it was tuned, or by the defaults."""
    recipe = recipe_of(backend)
    return LlmOptions(shots=recipe.shots, program=recipe.program, schema=recipe.schema) if recipe else LlmOptions()


def recipe_of(backend: Backend) -> Recipe | None:
    """Return how `querent tune` made a model, None of all others."""
    return backend.recipe if isinstance(backend, LocalBackend) else None
