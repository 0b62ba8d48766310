"""`querent.connect_llm`: a database that a language model answers questions about, from one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..data.databases.database import Database
from ..data.databases.rows import Rows
from ..data.databases.schema_places import database_place, open_schema
from ..data.domains.dialogues import Turn
from ..data.errors import InputError
from ..data.languages import language_of
from ..data.schema.schema import Schema
from ..data.sql.aliases import names_given
from ..grammar import Access
from ..knowledge.formulas.bank import Bank
from ..knowledge.formulas.reading import open_banks
from ..knowledge.solved import Solved, described_schema, examples_domain, retriever_ways, shot_store
from ..retrieval.shots import Shot
from .answering import LlmAnswerer, LlmOptions
from .answers import LlmAnswer
from .backends.local import LocalBackend
from .messages import Backend, ConstrainedBackend
from .named_formulas import NamedFormulas
from .named_values import named_values
from .prompts import example_cells, load_prompts
from .recipe import PROMPTS, Recipe

__all__ = ["LlmConnection", "connect_llm", "options_of"]


@dataclass(frozen=True)
class _Sources:
    """What answerers of several languages on one database are made of; see `connect_llm`."""

    place: str
    backend: Backend
    options: LlmOptions
    examples: str | None
    retriever: str | None
    prompts: Path | None
    cells: int
    access: Access | None
    hidden: tuple[str, ...]
    bank: Bank | None


class LlmConnection:
    """A database that a language model can be asked about; a context manager. Made by `connect_llm`.

    Attributes:
        database: open for reading.
        schema: with what the examples' domain says of it.
        dialect: sqlite, mysql or postgres.
    """

    def __init__(
        self, database: Database, schema: Schema, dialect: str, sources: _Sources, language: str | None
    ) -> None:
        self.database = database
        self.schema = schema
        self.dialect = dialect
        self._sources = sources
        self._language = language
        self._opened: dict[str, LlmAnswerer] = {}
        self._closing = ExitStack()
        self._closing.callback(database.close)
        database.confine(self._readable)

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
        if self._sources.access is not None:
            raise InputError("a role runs no queries of its own", field="sql", hint="ask, or take an alternative")
        return self.database.query(sql)

    def ask(self, question: str, *, shots: Sequence[Shot] | None = None, before: Sequence[Turn] = ()) -> LlmAnswer:
        """Return the answer to a question in plain words; see `LlmAnswerer.ask`.

        Args:
            shots: solved questions to show; those most alike among the examples if None.
            before: what was asked and answered before it, the latest last; `Conversation` keeps it.

        Raises:
            InputError: the question is empty, or prompts or examples cannot be read.
        """
        return self.answerer(self._language or language_of(question)).ask(question, shots=shots, before=before)

    def refusal(self, question: str, reason: str) -> LlmAnswer:
        """Return the answer to a text that the model is not asked at all."""
        return LlmAnswer(question, None, status="error", reason=reason, prompt_tokens=0, completion_tokens=0)

    def twin(self) -> LlmConnection:
        """Open the same database for the same model once more, for another thread: a connection belongs to one.

        Raises:
            InputError: the model runs in this process, where it answers one question at a time.
            DatabaseError: the database is gone.
        """
        told = self._sources
        if isinstance(told.backend, ConstrainedBackend):
            hint = "leave it out, or ask a server"
            raise InputError(f"{told.backend.name} answers one question at a time", field="jobs", hint=hint)
        timeout, functions = self.database.timeout, self.schema.functions
        opened = Database.open(told.place, timeout=timeout, functions=functions)
        return LlmConnection(opened, self.schema, self.dialect, told, self._language)

    def probe(self) -> None:
        """Look whether the database can be read; see `Database.probe`."""
        self.database.probe(self._readable)

    def answerer(self, language: str) -> LlmAnswerer:
        """Return what answers the questions of a language.

        Raises:
            InputError: prompts or examples cannot be read.
        """
        if language not in self._opened:
            self._opened[language] = self._answerer(language)
        return self._opened[language]

    def _answerer(self, language: str) -> LlmAnswerer:
        told, readable = self._sources, self._readable
        solved = Solved(None, ())
        if told.examples is not None:
            known: dict[str, Any] = {"dialect": self.dialect, "schema": readable, "hidden": told.hidden}
            solved = Solved.read(told.examples, language=language, **known)
        index = self._closing.enter_context(solved.index(told.place, readable))
        retriever = None
        if told.examples is not None and told.options.shots:
            retriever = shot_store(solved.shots, language, index=index, ways=retriever_ways(told.retriever))
        formulas = None
        if told.bank is not None:
            formulas = NamedFormulas.on(self.schema, told.bank, self.dialect, language, index=index, access=told.access)
        maskable = isinstance(told.backend, ConstrainedBackend)
        return LlmAnswerer(
            told.backend,
            self.schema,
            self.database,
            self.dialect,
            options=told.options,
            retriever=retriever,
            prompts=load_prompts(told.prompts, language=language, formulas=formulas is not None),
            cells=example_cells(readable, self.database, told.cells) if told.cells else None,
            named=named_values(index, language),
            formulas=formulas,
            access=told.access,
            aliases=names_given((shot.sql for shot in solved.shots), self.dialect) if maskable else (),
        )

    @property
    def _readable(self) -> Schema:
        access = self._sources.access
        return access.narrowed(self.schema) if access else self.schema

    def close(self) -> None:
        """Close the database and the index of its values."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


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
        timeout: seconds that a query may take.
        progress: told what is being done where it takes a while.

    Raises:
        SchemaError: there is no such database, or it has no tables.
        DatabaseError: it cannot be opened or read, or a function of the schema does not run on it.
        InputError: ``examples``, ``prompts``, ``retriever`` or ``knowledge`` cannot be read, the prompts tell no
            formulas where there are some, or the back end cannot do what is asked.
    """
    bank = open_banks(knowledge) if knowledge else None
    place = database_place(str(database), progress)
    found, dialect = open_schema(place)
    if (recipe := recipe_of(backend)) is not None:
        examples, retriever = examples or recipe.examples, retriever or recipe.retriever
        prompts, language = prompts or Path(backend.name) / PROMPTS, language or recipe.language
    spec = None if examples is None else str(examples)
    schema = schema or described_schema(found, examples_domain(spec, language))
    opened = Database.open(place, timeout=timeout, functions=schema.functions)
    options = options or options_of(backend)
    sources = _Sources(str(place), backend, options, spec, retriever, prompts, cells, access, tuple(hidden), bank)
    connection = LlmConnection(opened, schema, dialect, sources, language)
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
