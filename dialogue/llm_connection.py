"""`querent.connect_llm`: a database that a language model answers questions about, from one call."""

from __future__ import annotations

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

__all__ = ["connect_llm", "options_of"]


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
        database: as `querent.connect` takes it.
        backend: the model, from `load_backend`.
        options: how it is asked; as it was tuned if None, or the defaults.
        schema: of the database, with descriptions and functions; None reads it, and the examples' domain.
        progress: called with what is being done where it takes a while.
        connecting: fields of `ConnectOptions` that are not the parser's alone. With a ``language`` its prompts and
            examples are read at once; ``access`` needs a back end whose tokens can be masked.

    Raises:
        SchemaError: there is no such database, or it has no tables.
        DatabaseError: it cannot be opened or read, or a function of the schema does not run on it.
        InputError: ``examples``, ``prompts``, ``retriever`` or ``knowledge`` cannot be read, the prompts tell no
            formulas where there are some, or the back end cannot do what is asked.
    """
    if (recipe := _recipe_of(backend)) is not None:
        own = {"examples": recipe.examples, "retriever": recipe.retriever, "language": recipe.language}
        connecting = own | {name: value for name, value in connecting.items() if value is not None}
    told = ConnectOptions(**connecting)
    how, language = options or options_of(backend), told.language
    if recipe is not None and how.prompts is None:
        how = replace(how, prompts=Path(backend.name) / PROMPTS)
    bank = open_banks(told.knowledge) if told.knowledge else None
    place = database_place(str(database), progress, role=told.role.role if told.role else "")
    spec = None if told.examples is None else str(told.examples)

    def read() -> Schema:
        found, _ = open_schema(place)
        return schema or described_schema(found, examples_domain(spec, language))

    known = [read()]  # before the database is opened: a place that leads nowhere is told as a schema's

    with ExitStack() as stack:
        opened = stack.enter_context(Database.open(place, timeout=told.timeout))

        def opens(asked: str) -> LlmSession:
            more: dict[str, Any] = {"options": how, "connecting": told, "bank": bank, "progress": progress}
            session = LlmSession(backend, place, opened, known.pop() if known else read(), asked, **more)
            if language is not None:
                progress("reading prompts and examples")
                session.prepare()  # so that what is wrong with them shows before a question
            return session

        def twin() -> Connection:
            if isinstance(backend, ConstrainedBackend):
                hint = "leave it out, or ask a server"
                raise InputError(f"{backend.name} answers one question at a time", field="jobs", hint=hint)
            return connect_llm(database, backend, options=options, schema=schema, **connecting)

        made = Connection(opened, opens, language=language, first=language or "en", options=told, twin=twin)
        stack.pop_all()  # the connection closes it from now on
    return made


def options_of(backend: Backend) -> LlmOptions:
    """Return how a model is asked where nothing else is said: as it was tuned, or by the defaults."""
    recipe = _recipe_of(backend)
    return LlmOptions(shots=recipe.shots, program=recipe.program, schema=recipe.schema) if recipe else LlmOptions()


def _recipe_of(backend: Backend) -> Recipe | None:
    """Return how `querent tune` made a model, None of all others."""
    return backend.recipe if isinstance(backend, LocalBackend) else None
