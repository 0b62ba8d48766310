"""`querent.connect_llm` opens a database for questions that a language model answers."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..data.databases.database import Database
from ..data.domains.schema_places import database_place, open_schema
from ..data.errors import InputError
from ..data.schema.schema import Schema
from ..knowledge.formulas.reading import open_banks
from ..knowledge.solved import described_schema, examples_domain
from ..llm.backends.local import LocalBackend
from ..llm.messages import Backend, ConstrainedBackend
from ..llm.options import LlmOptions
from ..llm.recipe import PROMPTS, Recipe
from ..llm.session import LlmSession
from ..parser.answering.asking import ConnectOptions, with_options
from .connection import Connection


@with_options(ConnectOptions)
def connect_llm(
    database: str | Path,
    backend: Backend,
    *,
    options: LlmOptions | None = None,
    schema: Schema | None = None,
    progress: Callable[[str], None] = lambda _: None,
    **connecting: Any,
) -> Connection:
    """Open a database for questions that a language model answers; these are `LlmAnswer`s.

    Args:
        database: the same as in `querent.connect`.
        backend: the model, from `load_backend`.
        options: the options of the model; None for those that it was tuned with, or the defaults.
        schema: the schema, with descriptions and functions; None to read it, with those of the examples' domain.
        progress: a callback for messages about steps that take a while.
        connecting: fields of `ConnectOptions` that are not the parser's alone. With a ``language`` its prompts and
            examples are read at once; ``access`` needs a back end whose tokens can be masked.

    Raises:
        SchemaError: there is no such database, or it has no tables.
        DatabaseError: the database cannot be opened or read, or lacks a function of the schema.
        InputError: ``examples``, ``prompts``, ``retriever`` or ``knowledge`` cannot be read, there are formulas and
            the prompts have no place for them, or the back end does not support an option.
    """
    if (recipe := _recipe_of(backend)) is not None:
        own = {"examples": recipe.examples, "retriever": recipe.retriever, "language": recipe.language}
        connecting = own | {name: value for name, value in connecting.items() if value is not None}
    connect_options = ConnectOptions(**connecting)
    how, language = options or options_of(backend), connect_options.language
    if recipe is not None and how.prompts is None:
        how = replace(how, prompts=Path(backend.name) / PROMPTS)
    bank = open_banks(connect_options.knowledge) if connect_options.knowledge else None
    place = database_place(str(database), progress, role=connect_options.role.role if connect_options.role else "")
    spec = None if connect_options.examples is None else str(connect_options.examples)

    def read() -> Schema:
        read_schema, _ = open_schema(place)
        return schema or described_schema(read_schema, examples_domain(spec, language))

    schemas = [read()]  # read before the database is opened, so that a missing database is a SchemaError

    with ExitStack() as stack:
        opened = stack.enter_context(Database.open(place, timeout=connect_options.timeout))

        def opens(code: str) -> LlmSession:
            more: dict[str, Any] = {"options": how, "connecting": connect_options, "bank": bank, "progress": progress}
            session = LlmSession(backend, place, opened, schemas.pop() if schemas else read(), code, **more)
            if language is not None:
                progress("reading prompts and examples")
                session.prepare()  # so that their errors show before the first question
            return session

        def twin() -> Connection:
            if isinstance(backend, ConstrainedBackend):
                hint = "leave it out, or ask a server"
                raise InputError(f"{backend.name} answers one question at a time", field="jobs", hint=hint)
            return connect_llm(database, backend, options=options, schema=schema, **connecting)

        made = Connection(opened, opens, language=language, first=language or "en", options=connect_options, twin=twin)
        stack.pop_all()  # the connection closes it from now on
    return made


def options_of(backend: Backend) -> LlmOptions:
    """Return the default options of a model: those that it was tuned with, or the general defaults."""
    recipe = _recipe_of(backend)
    return LlmOptions(shots=recipe.shots, program=recipe.program, schema=recipe.schema) if recipe else LlmOptions()


def _recipe_of(backend: Backend) -> Recipe | None:
    """Return the recipe of a model that `querent tune` made, None for other models."""
    return backend.recipe if isinstance(backend, LocalBackend) else None
