"""`querent.connect`: a database to ask, from one call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from ..data.answer import Answer
from ..data.database import Database
from ..data.errors import InputError, did_you_mean
from ..data.schema import Schema
from ..data.schema_readers import read_schema
from ..data.shipped import DATABASES, shipped_database
from ..ner.index import ValueIndex
from .base import LANGUAGES, base_folder
from .decoding.answering import Answerer
from .decoding.confidence import Calibration
from .decoding.parsing import SchemaParser
from .reader.context import DatabaseContext
from .reader.saved import load_network

__all__ = ["Connection", "connect"]


class Connection:
    """A database that can be asked; a context manager. Made by `connect`."""

    def __init__(self, answerer: Answerer, close: Callable[[], None]) -> None:
        self._answerer = answerer
        self._close = close

    @property
    def schema(self) -> Schema:
        """Return the schema, with the foreign keys that its names tell beside those declared."""
        return self._answerer.context.grammar.schema

    def ask(self, question: str, *, beam: int = 4) -> Answer:
        """Return the answer to a question in plain words.

        Args:
            beam: hypotheses that the search follows; 1 is fastest, and knows no alternatives.

        Raises:
            InputError: the question is empty.
        """
        if not question.strip():
            raise InputError("the question is empty", field="question", hint="write one in plain words")
        return self._answerer.ask(question.strip(), beam=beam)

    def close(self) -> None:
        """Close the database and its index."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connect(
    database: str | Path,
    *,
    parser: str | Path | None = None,
    language: str | None = None,
    timeout: float = 5.0,
    progress: Callable[[str], None] = lambda _: None,
) -> Connection:
    """Open a database for questions.

    Args:
        database: a SQLite file, the URL of a server, or the name of a shipped one (``plant``, ``shop``).
        parser: folder of a trained network; the shipped base of the language if None.
        language: of the questions; None is the network's own, English for the shipped one.
        timeout: seconds that a query may take.
        progress: told what is being done where it takes a while.

    Raises:
        DatabaseError: it cannot be opened or read.
        SchemaError: it has no tables.
        InputError: there is no base for the language.
        RunError: the folder holds no network of this version.
    """
    folder = Path(parser) if parser is not None else _base(language or LANGUAGES[0])
    path = _database_of(str(database))
    with ExitStack() as stack:
        opened = stack.enter_context(Database.open(path, timeout=timeout))
        schema, dialect = read_schema(path), _dialect(path)
        progress("looking up the values of the database")
        index = stack.enter_context(ValueIndex.open(path, schema))
        progress("loading the network")
        loaded = load_network(folder)
        context = DatabaseContext.of(schema, index, dialect=dialect, language=language or loaded.language)
        calibration = Calibration(**loaded.calibration) if loaded.calibration else None
        read = SchemaParser(loaded.network, loaded.encoder, loaded.frozen)
        answerer = Answerer(read, context, opened, calibration=calibration)
        return Connection(answerer, stack.pop_all().close)


def _base(language: str) -> Path:
    if language not in LANGUAGES:
        hint = did_you_mean(language, LANGUAGES) or f"use {' or '.join(LANGUAGES)}, or give a parser of your own"
        raise InputError(f"no shipped network for the language {language!r}", field="language", hint=hint)
    return base_folder(language)


def _database_of(database: str) -> str:
    """Return the path or URL that a name stands for."""
    return str(shipped_database(database)) if database in DATABASES and not Path(database).exists() else database


def _dialect(path: str) -> str:
    """Return the dialect of what a path or URL leads to."""
    scheme = path.partition("://")[0].partition("+")[0] if "://" in path else "sqlite"
    return {"postgresql": "postgres", "mariadb": "mysql"}.get(scheme, scheme)
