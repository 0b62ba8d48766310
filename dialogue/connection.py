"""Connections: `querent.connect` opens a database for questions, which a parser or a language model answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..answers.answer import Answer, Status
from ..answers.feedback import Feedback
from ..data.closing import Closing
from ..data.databases.database import Database
from ..data.databases.rows import Rows
from ..data.databases.schema_watch import SchemaWatch
from ..data.domains.dialogues import Turn
from ..data.domains.schema_places import database_place, functions_of
from ..data.errors import InputError
from ..data.languages import LANGUAGES, language_of
from ..data.schema.schema import Schema
from ..knowledge.formulas.reading import open_banks
from ..knowledge.linked_formulas import FormulaLinker
from ..meaning.profile import DatabaseProfile
from ..ner.language.question import QuestionText, validated_question
from ..parser.answering.asking import USUAL, AskOptions, ConnectOptions, with_options
from ..parser.answering.explaining import Explanation
from ..parser.answering.unlinked import Vanished
from ..parser.network.saved import network_of
from ..parser.session import ParserSession, Session
from .conversation import Conversation


class Connection(Closing):
    """A database that answers questions, as a context manager; `connect` and `connect_llm` return one.

    Args:
        database: the database, None where queries are only written.
        opens: a function that opens the session of a language, with the current schema.
        language: the language of all questions; None to detect that of each question.
        first: the language whose session is opened at once.
        options: the options that it was opened with.
        twin: a function that opens it again for another thread; None for a parser.

    Attributes:
        database: the database.
        vanished: the tables and columns that were dropped since.
    """

    def __init__(
        self,
        database: Database | None,
        opens: Callable[[str], Session],
        *,
        language: str | None,
        first: str,
        options: ConnectOptions,
        twin: Callable[[], Connection] | None = None,
    ) -> None:
        self.database = database
        self._opens, self._language, self._options, self._twin = opens, language, options, twin
        self._watch = SchemaWatch(database)
        with self._watch.reading():
            self._session = opens(first)
        self._open = {first: self._session}
        self.vanished = Vanished(self._session.dialect)
        self.vanished.follow(self.schema)

    @property
    def schema(self) -> Schema:
        """Return the schema that may be read, with its declared foreign keys and those inferred from names."""
        return self._session.schema

    @property
    def dialect(self) -> str:
        """Return the dialect of its queries: sqlite, mysql or postgres."""
        return self._session.dialect

    @property
    def parser(self) -> ParserSession | None:
        """Return the session of the parser, None where a language model answers."""
        return self._session if isinstance(self._session, ParserSession) else None

    @property
    def profile(self) -> DatabaseProfile:
        """Return the profile of the columns that may be read."""
        return (self.parser and self.parser.catalogue.profile) or DatabaseProfile()

    def values(self, beginning: str, most: int = 8) -> tuple[tuple[str, str, str], ...]:
        """Return (cell, table, column) of the texts with a prefix, see `ValueIndex.beginning`."""
        return () if self.parser is None else self.parser.values(beginning, most)

    @property
    def knowledge(self) -> FormulaLinker | None:
        """Return the linker that finds and grounds the formulas of questions, None if there are none."""
        return self.parser and self.parser.knowledge

    @property
    def feedback(self) -> Feedback | None:
        """Return the file of verdicts on answers, None if there is none."""
        return None if self._options.feedback is None else Feedback(Path(self._options.feedback))

    def conversation(self, *, user: str = "") -> Conversation:
        """Return a new conversation about the database, in which questions may refer to earlier turns.

        Args:
            user: the name of the user who gives verdicts on answers.
        """
        return Conversation(self, user=user)

    @with_options(AskOptions)
    def ask(self, question: str, before: Sequence[Turn] = (), options: AskOptions = USUAL, **how: Any) -> Answer:
        """Return the answer to a question in plain words.

        The schema is read again where tables were added, dropped or changed. A question about a dropped table has no
        answer, and the reason says so. The `timeout` is the limit for all queries of an answer together.

        Args:
            before: the earlier turns, the latest last; `conversation` keeps them.
            options: the options of the question.
            how: single fields of the options.

        Raises:
            InputError: there is no such table, the question is empty or too long (`validated_question`), its language
                needs an encoder that is not installed, or there is evidence and no constraint.
            QuerentError: the tables have changed and cannot be read, as from `connect`.
        """
        options, text = _with(options, how), validated_question(question)
        read = QuestionText(text, self._language or language_of(text))
        session = self._reading(read, at_once=any(self.schema.by_name.get(name) is None for name in options.tables))
        if (gone := self.vanished.gone(read)) is not None:
            return self.refusal(text, gone, "no_answer")
        with nullcontext() if self.database is None else self.database.one_limit():
            answer = session.answer(read, before, options)
        renewed = answer.status == "error" and self._renewed(at_once=True)  # a table of its query may have been dropped
        leans = answer.carried is not None and not answer.carried.new_topic
        queries = (*answer.tried, *(turn.sql for turn in before[-1:] if leans))
        if (gone := self.vanished.gone(read, *queries)) is not None:
            return answer.refused(gone)
        return self.ask(text, before, options) if renewed else answer

    @with_options(AskOptions)
    def explain(
        self, question: str, before: Sequence[Turn] = (), options: AskOptions = USUAL, **how: Any
    ) -> Explanation | None:
        """Return the explanation of a question's query: the linked parts, and the refused words at each step.

        It is None where a language model answers, whose answers contain their attempts.

        Args:
            before, options, how: the same as in `ask`.

        Raises:
            InputError: the same as in `ask`.
        """
        text = validated_question(question)
        read = QuestionText(text, self._language or language_of(text))
        return self._reading(read).explain(read, before, _with(options, how))

    def query(self, sql: str) -> Rows:
        """Run a query that a person wrote, for reading only.

        Raises:
            InputError: there is no database, or a role may not read all of it: names alone do not tell what a foreign
                query reads.
            DatabaseError: the query fails, or does more than read.
        """
        if self.database is None:
            raise InputError("no database to run it on", field="sql", hint="give one")
        if self._options.access is not None:  # the engine decides what «SELECT *» reads
            raise InputError("a role runs no queries of its own", field="sql", hint="ask, or take an alternative")
        return self.database.query(sql)

    def refusal(self, question: str, reason: str, status: Status = "error") -> Answer:
        """Return an answer that refuses a text without asking it."""
        return self._session.answer_type(question, None, status=status, reason=reason)

    def probe(self) -> None:
        """Check that the database, if there is one, can be read, see `Database.probe`."""
        if self.database is not None:
            self.database.probe(self.schema)

    def twin(self) -> Connection:
        """Open the same database for the same model again, since each thread needs its own connection.

        Raises:
            InputError: a parser answers, which takes one question at a time.
            DatabaseError: the database cannot be opened any more.
        """
        if self._twin is None:
            raise InputError("a parser answers one question at a time", field="jobs", hint="leave it out")
        return self._twin()

    def _reading(self, question: QuestionText, *, at_once: bool = False) -> Session:
        """Return the session for the language of a question."""
        self._renewed(at_once=at_once)
        if question.language not in self._open:
            self._open[question.language] = self._opens(question.language)
        return self._open[question.language]

    def _renewed(self, *, at_once: bool = False) -> bool:
        """Read the schema again if it has changed or its index is complete; see `SchemaWatch.has_changed`."""
        if not self._session.outdated and not self._watch.has_changed(at_once=at_once):
            return False
        first = next(iter(self._open))
        with self._watch.reading():
            session = self._opens(first)
        self._close_sessions()
        self._session, self._open = session, {first: session}
        self.vanished.follow(self.schema)
        return True

    def _close_sessions(self) -> None:
        for opened in self._open.values():
            opened.close()

    def close(self) -> None:
        """Close the database and its index."""
        self._close_sessions()
        if self.database is not None:
            self.database.close()


def _with(options: AskOptions, how: dict[str, Any]) -> AskOptions:
    made = replace(options, **how) if how else options
    return replace(made, evidence=validated_question(made.evidence, field="evidence")) if made.evidence else made


@with_options(ConnectOptions)
def connect(
    database: str | Path | None, *, progress: Callable[[str], None] = lambda _: None, **options: Any
) -> Connection:
    """Open a database for questions.

    Args:
        database: a SQLite file, the URL of a server, the name of a shipped one (``plant``, ``shop``), or files of
            tables: CSV, TSV, Excel, Parquet, a folder or a pattern of such (docs/files.md); None writes queries on the
            database that the parser was trained for, and runs none.
        progress: a callback for messages about steps that take a while.
        options: fields of `ConnectOptions`. A ``parser`` that was loaded already (`network_of`) may serve several
            connections.

    Raises:
        DatabaseError: the database cannot be opened or read.
        SchemaError: the database has no tables.
        InputError: there is no such language or level, or no source of the schema; ``access`` names a table or column
            that does not exist, or the level does not check names; ``examples``, ``retriever`` or ``knowledge`` cannot
            be read.
        DomainError: the description cannot be read, or names a table or column that does not exist.
        RunError: the folder holds no network of this version.

    Warns:
        UserWarning: the parser was trained for another database; it reads this one as the base does.
    """
    return open_connection(database, ConnectOptions(**options), progress)


def open_connection(
    database: str | Path | None, options: ConnectOptions, progress: Callable[[str], None] = lambda _: None
) -> Connection:
    """Open a database in the same way as `connect`, with options that were built already."""
    with ExitStack() as stack:
        role = options.role.role if options.role else ""
        place = None if database is None else database_place(str(database), progress, role=role)
        opened = None if place is None else stack.enter_context(Database.open(place, timeout=options.timeout))
        progress("loading the network")
        loaded = network_of(options.parser)
        bank = open_banks(options.knowledge) if options.knowledge else None
        functions = () if database is None else functions_of(str(database))

        def opens(language: str) -> ParserSession:
            shared: dict[str, Any] = {"functions": functions, "bank": bank, "progress": progress}
            return ParserSession.open(place, opened, loaded, language, options=options, **shared)

        first = options.language or loaded.languages[0]
        only = options.language or (None if set(LANGUAGES) <= set(loaded.languages) else first)
        made = Connection(opened, opens, language=only, first=first, options=options)
        stack.pop_all()  # the connection closes it from now on
        return made
