"""`querent.connect` and `connect_llm`: a database to ask, from one call, whoever answers."""

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
from ..ner.language.question import QuestionText, asked
from ..parser.answering.asking import USUAL, AskOptions, ConnectOptions, Session, with_options
from ..parser.answering.explanation import Explanation
from ..parser.answering.unlinked import Vanished
from ..parser.network.saved import network_of
from ..parser.session import ParserSession, check_level
from .conversation import Conversation

__all__ = ["Connection", "connect", "open_connection"]


class Connection(Closing):
    """A database that can be asked; a context manager. Made by `connect`, or `connect_llm`.

    Args:
        database: None where queries are only written.
        opens: opens what answers the questions of a language, by the schema as it is then.
        language: of all questions; if None, each question's own.
        first: the language that is opened at once.
        options: with which it was opened.
        twin: opens it once more, for another thread; None of a parser, which answers one question at a time.

    Attributes:
        database: the database.
        vanished: what it had and has no longer.
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
        """Return the schema that may be read, with the foreign keys that its names tell beside those declared."""
        return self._session.schema

    @property
    def dialect(self) -> str:
        """Return what its queries are written in: sqlite, mysql or postgres."""
        return self._session.dialect

    @property
    def parser(self) -> ParserSession | None:
        """Return the parser that answers, None where a language model does."""
        return self._session if isinstance(self._session, ParserSession) else None

    @property
    def profile(self) -> DatabaseProfile:
        """Return what the columns that may be read hold."""
        return (self.parser and self.parser.catalogue.profile) or DatabaseProfile()

    def values(self, beginning: str, most: int = 8) -> tuple[tuple[str, str, str], ...]:
        """Return (cell, table, column) of texts in the database that begin so, see `ValueIndex.beginning`."""
        return () if self.parser is None else self.parser.values(beginning, most)

    @property
    def knowledge(self) -> FormulaLinker | None:
        """Return what finds and grounds the formulas that questions name, None where there are none."""
        return self.parser and self.parser.knowledge

    @property
    def feedback(self) -> Feedback | None:
        """Return the file of what was said of answers, None where there is none."""
        return None if self._options.feedback is None else Feedback(Path(self._options.feedback))

    def conversation(self, *, user: str = "") -> Conversation:
        """Return a new conversation about the database, in which questions may lean on those before them.

        Args:
            user: whose verdicts on answers these are.
        """
        return Conversation(self, user=user)

    @with_options(AskOptions)
    def ask(self, question: str, before: Sequence[Turn] = (), options: AskOptions = USUAL, **how: Any) -> Answer:
        """Return the answer to a question in plain words.

        It is over the tables that are there: where some have come, gone or changed, the schema is read anew. A question
        for what is gone since has no answer, which says so. All queries of an answer have the `timeout` together.

        Args:
            before: what was asked and answered before it, the latest last; `conversation` keeps it.
            options: how it is asked.
            how: fields of these, one by one.

        Raises:
            InputError: there is no such table, the question is empty or too long (`asked`), its language needs an
                encoder that is not installed, or there is evidence and no constraint.
            QuerentError: the tables have changed, and cannot be read anew, as from `connect`.
        """
        options, text = _with(options, how), asked(question)
        said = QuestionText(text, self._language or language_of(text))
        session = self._reading(said, at_once=any(self.schema.by_name.get(name) is None for name in options.tables))
        if (gone := self.vanished.gone(said)) is not None:
            return self.refusal(text, gone, "no_answer")
        with nullcontext() if self.database is None else self.database.one_limit():
            found = session.answer(said, before, options)
        renewed = found.status == "error" and self._renewed(at_once=True)  # what it names may be gone
        leans = found.carried is not None and not found.carried.new_topic
        queries = (*found.tried, *(turn.sql for turn in before[-1:] if leans))
        if (gone := self.vanished.gone(said, *queries)) is not None:
            return found.refused(gone)
        return self.ask(text, before, options) if renewed else found

    @with_options(AskOptions)
    def explain(
        self, question: str, before: Sequence[Turn] = (), options: AskOptions = USUAL, **how: Any
    ) -> Explanation | None:
        """Return how the query of a question comes about: what was read, and what was refused beside each word.

        None where a language model answers: its answers tell their attempts.

        Args:
            before, options, how: as those of `ask`.

        Raises:
            InputError: as from `ask`.
        """
        text = asked(question)
        said = QuestionText(text, self._language or language_of(text))
        return self._reading(said).explain(said, before, replace(_with(options, how), tell=None))

    def query(self, sql: str) -> Rows:
        """Run a query that a person wrote, for reading only.

        Raises:
            InputError: queries are only written here, or not all may be read: whether a query of others keeps to that,
                names alone do not tell.
            DatabaseError: it fails, or does more than read.
        """
        if self.database is None:
            raise InputError("no database to run it on", field="sql", hint="give one")
        if self._options.access is not None:  # what «SELECT *» reads, the engine decides
            raise InputError("a role runs no queries of its own", field="sql", hint="ask, or take an alternative")
        return self.database.query(sql)

    def refusal(self, question: str, reason: str, status: Status = "error") -> Answer:
        """Return the answer to a text that is not asked at all."""
        return self._session.answer_type(question, None, status=status, reason=reason)

    def probe(self) -> None:
        """Look whether the database can be read, where there is one; see `Database.probe`."""
        if self.database is not None:
            self.database.probe(self.schema)

    def twin(self) -> Connection:
        """Open the same database for the same model once more, for another thread: a connection belongs to one.

        Raises:
            InputError: who answers answers one question at a time.
            DatabaseError: the database is gone.
        """
        if self._twin is None:
            raise InputError("a parser answers one question at a time", field="jobs", hint="leave it out")
        return self._twin()

    def _reading(self, question: QuestionText, *, at_once: bool = False) -> Session:
        """Return what reads the language of a question."""
        self._renewed(at_once=at_once)
        if question.language not in self._open:
            self._open[question.language] = self._opens(question.language)
        return self._open[question.language]

    def _renewed(self, *, at_once: bool = False) -> bool:
        """Read the schema anew if it has changed or its index has come; see `SchemaWatch.has_changed`."""
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
    return replace(made, evidence=asked(made.evidence, field="evidence")) if made.evidence else made


@with_options(ConnectOptions)
def connect(
    database: str | Path | None, *, progress: Callable[[str], None] = lambda _: None, **options: Any
) -> Connection:
    """Open a database for questions.

    Args:
        database: a SQLite file, the URL of a server, the name of a shipped one (``plant``, ``shop``), or files of
            tables: CSV, TSV, Excel, Parquet, a folder or a pattern of such (docs/files.md); None writes queries on the
            database that the parser was trained for, and runs none.
        progress: called with what is being done where it takes a while.
        options: fields of `ConnectOptions`. A ``parser`` that was read already (`network_of`) may serve several
            connections.

    Raises:
        DatabaseError: it cannot be opened or read.
        SchemaError: it has no tables.
        InputError: there is no such language, no such level, or nothing tells the schema; ``access`` names
            what it does not have, or the level holds names to nothing; ``examples``, ``retriever`` or ``knowledge``
            cannot be read.
        DomainError: the description cannot be read, or names what does not exist.
        RunError: the folder holds no network of this version.

    Warns:
        UserWarning: the parser was trained for another database; it reads this one as the base does.
    """
    return open_connection(database, ConnectOptions(**options), progress)


def open_connection(
    database: str | Path | None, options: ConnectOptions, progress: Callable[[str], None] = lambda _: None
) -> Connection:
    """Open a database as `connect` does, by options that are there already."""
    solved = options.examples is not None or options.feedback is not None
    check_level(options.level, access=options.role, examples=solved, knowledge=bool(options.knowledge))
    with ExitStack() as stack:
        role = options.role.role if options.role else ""
        place = None if database is None else database_place(str(database), progress, role=role)
        opened = None if place is None else stack.enter_context(Database.open(place, timeout=options.timeout))
        progress("loading the network")
        loaded = network_of(options.parser)
        bank = open_banks(options.knowledge) if options.knowledge else None
        functions = () if database is None else functions_of(str(database))

        def opens(language: str) -> ParserSession:
            told: dict[str, Any] = {"functions": functions, "bank": bank, "progress": progress}
            return ParserSession.open(place, opened, loaded, language, options=options, **told)

        first = options.language or loaded.languages[0]
        only = options.language or (None if set(LANGUAGES) <= set(loaded.languages) else first)
        made = Connection(opened, opens, language=only, first=first, options=options)
        stack.pop_all()  # the connection closes it from now on
        return made
