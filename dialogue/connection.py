"""`querent.connect`: a database to ask, from one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any

from ..data.answer import Answer, Tell
from ..data.asked import asked
from ..data.closing import Closing
from ..data.databases.database import Database
from ..data.databases.rows import Rows
from ..data.databases.schema_places import database_place, functions_of
from ..data.databases.schema_watch import SchemaWatch
from ..data.domains.dialogues import Turn
from ..data.errors import InputError, did_you_mean
from ..data.feedback import Feedback
from ..data.languages import LANGUAGES, language_of
from ..data.profiles.database_profile import DatabaseProfile
from ..data.schema.schema import Schema
from ..grammar import Access
from ..knowledge.formulas.reading import open_banks
from ..knowledge.linked_formulas import FormulaLinker
from ..parser.answering.database_answerer import DatabaseAnswerer
from ..parser.answering.explanation import Explanation
from ..parser.answering.vanished import Vanished
from ..parser.network.saved import Loaded
from ..parser.session_factory import SessionFactory, check_level
from .conversation import Conversation

__all__ = ["Connection", "connect"]


class Connection(Closing):
    """A database that can be asked; a context manager. Made by `connect`.

    Attributes:
        vanished: what it had and has no longer.
    """

    def __init__(
        self,
        answerer: DatabaseAnswerer,
        factory: SessionFactory,
        watch: SchemaWatch,
        *,
        more: bool,
        close: Callable[[], None],
    ) -> None:
        self._answerer, self._factory, self._watch = answerer, factory, watch
        self._more = more  # whether it is opened for questions in another language, too
        self._close = close
        self._opened = {answerer.catalogue.language: answerer}
        self._learnt = self._stamp()
        self.vanished = Vanished(answerer.catalogue.dialect)
        self.vanished.follow(self.schema)

    @property
    def database(self) -> Database | None:
        """Return the database, None where queries are only written."""
        return self._factory.database

    def probe(self) -> None:
        """Look whether the database can be read, where there is one; see `Database.probe`."""
        if self.database is not None:
            self.database.probe(self.schema)

    @property
    def schema(self) -> Schema:
        """Return the schema that may be read, with the foreign keys that its names tell beside those declared."""
        return self._answerer.catalogue.readable

    @property
    def profile(self) -> DatabaseProfile:
        """Return what the columns that may be read hold."""
        return self._answerer.catalogue.profile or DatabaseProfile()

    def values(self, beginning: str, most: int = 8) -> tuple[tuple[str, str, str], ...]:
        """Return (cell, table, column) of texts in the database that begin so, see `ValueIndex.beginning`."""
        index = self._answerer.catalogue.index
        return () if index is None else index.beginning(beginning, most)

    @property
    def knowledge(self) -> FormulaLinker | None:
        """Return what finds and grounds the formulas that questions name, None where there are none."""
        return self._answerer.knowledge

    @property
    def feedback(self) -> Feedback | None:
        """Return the file of what was said of answers, None where there is none."""
        return self._factory.feedback

    def conversation(self, *, user: str = "") -> Conversation:
        """Return a new conversation about the database, in which questions may lean on those before them.

        Args:
            user: whose verdicts on answers these are.
        """
        return Conversation(self, user=user)

    def ask(
        self,
        question: str,
        *,
        beam: int = 4,
        evidence: str = "",
        before: Sequence[Turn] = (),
        tables: Sequence[str] = (),
        tell: Tell | None = None,
    ) -> Answer:
        """Return the answer to a question in plain words.

        It is over the tables that are there: where some have come, gone or changed, the schema is read anew. A question
        for what is gone since has no answer, which says so. All queries of an answer have the `timeout` together.

        Args:
            beam: hypotheses that the search follows; 1 is fastest, and knows no alternatives.
            evidence: formulas for this question alone («long refers to distance > 100; gain = fare - cost»).
                What else stands there is ignored, and named in `Answer.unread`.
            before: what was asked and answered before it, the latest last; `conversation` keeps it.
            tables: that are read for it; if none are told all of a small database, the likeliest of a large one.
            tell: told what is done on the way, see `Tell`.

        Raises:
            InputError: there is no such table, the question is empty or too long (`asked`), its language needs an
                encoder that is not installed, or there is evidence and no constraint.
            QuerentError: the tables have changed, and cannot be read anew, as from `connect`.
        """
        text, told = asked(question), asked(evidence, field="evidence")
        how: dict[str, Any] = {"beam": beam, "evidence": told, "before": before, "tables": tables, "tell": tell}
        if any(self.schema.by_name.get(name) is None for name in tables):
            self._renewed(at_once=True)
        answerer = self._reading(text, told)
        if (gone := self.vanished.answer(text)) is not None:
            return gone
        with nullcontext() if self.database is None else self.database.one_limit():
            found = answerer.ask(text, **how)
        if found.status == "error" and self._renewed(at_once=True):  # what it names may be gone
            return self.vanished.answer(text, found.sql) or self.ask(text, **how)
        leans = found.carried is not None and not found.carried.new_topic
        return (self.vanished.answer(text, before[-1].sql) if leans else None) or found

    def query(self, sql: str) -> Rows:
        """Run a query that a person wrote, for reading only.

        Raises:
            InputError: queries are only written here, or not all may be read: whether a query of others keeps to that,
                names alone do not tell.
            DatabaseError: it fails, or does more than read.
        """
        if self.database is None:
            raise InputError("no database to run it on", field="sql", hint="give one")
        if self._factory.access is not None:  # what «SELECT *» reads, the engine decides
            raise InputError("a role runs no queries of its own", field="sql", hint="ask, or take an alternative")
        return self.database.query(sql)

    def refusal(self, question: str, reason: str) -> Answer:
        """Return the answer to a text that is not asked at all."""
        return Answer(question, None, status="error", reason=reason)

    def explain(
        self,
        question: str,
        *,
        beam: int = 4,
        evidence: str = "",
        before: Sequence[Turn] = (),
        tables: Sequence[str] = (),
    ) -> Explanation:
        """Return how the query of a question comes about: what was read, and what was refused beside each word.

        Args:
            beam, evidence, before, tables: as those of `ask`.

        Raises:
            InputError: as from `ask`.
        """
        text, told = asked(question), asked(evidence, field="evidence")
        explaining = self._reading(text, told).explain
        return explaining(text, beam=beam, evidence=told, before=before, tables=tables)

    def _reading(self, question: str, evidence: str = "") -> DatabaseAnswerer:
        """Return what reads the language of a question; the only one there is, where it was chosen."""
        if evidence.strip() and self._factory.level is None:
            raise InputError("evidence without a constraint", field="level", hint="its formulas are held to it")
        self._renewed()
        language = language_of(question) if self._more else self._answerer.catalogue.language
        if self._learnt != (stamp := self._stamp()):  # somebody said something of an answer, here or elsewhere
            for opened in self._opened.values():
                self._factory.learn(opened)
            self._learnt = stamp
        if language not in self._opened:
            self._opened[language] = self._factory.answerer(language)
        return self._opened[language]

    def _renewed(self, *, at_once: bool = False) -> bool:
        """Read the schema anew if it has changed or its index has come; see `SchemaWatch.has_changed`."""
        index = self._answerer.catalogue.index
        if not (index is not None and index.is_outdated) and not self._watch.has_changed(at_once=at_once):
            return False
        with self._watch.reading():
            self._answerer = self._factory.answerer(self._answerer.catalogue.language)
        for opened in self._opened.values():
            if opened.catalogue.index is not None:
                opened.catalogue.index.close()
        self._opened = {self._answerer.catalogue.language: self._answerer}
        self.vanished.follow(self.schema)
        return True

    def _stamp(self) -> tuple[int, int] | None:
        return None if self.feedback is None else self.feedback.stamp

    def close(self) -> None:
        """Close the database and its index."""
        self._close()


def connect(
    database: str | Path | None,
    *,
    parser: str | Path | Loaded | None = None,
    language: str | None = None,
    level: str | None = "runs",
    now: datetime | None = None,
    timeout: float = 5.0,
    access: Access | None = None,
    examples: str | Path | None = None,
    retriever: str | None = None,
    knowledge: str | Path | Sequence[str | Path] = (),
    description: str | Path | None = None,
    feedback: str | Path | None = None,
    schema_retriever: str | Path | None = None,
    wait: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Connection:
    """Open a database for questions.

    Args:
        database: a SQLite file, the URL of a server, the name of a shipped one (``plant``, ``shop``), or files of
            tables: CSV, TSV, Excel, Parquet, a folder or a pattern of such (docs/files.md); None writes queries on the
            database that the parser was trained for, and runs none.
        parser: a run folder, or the folder of a saved parser; the shipped one if None. What was read of it already
            (`network_of`) may serve several connections.
        language: of the questions; None is that of each question, where the parser reads more than one.
        level: what the local constraint promises, one of `grammar.LEVELS`; None is without it.
        now: what «yesterday» is seen from; None is what the description tells or the parser was trained with, or else
            the system's clock.
        timeout: seconds that a query may take.
        access: what may be read of the database, all if None. No query reads anything else, and no answer or
            explanation names it: neither the network nor the index of values gets to see it.
        examples: solved questions, a ``.jsonl`` file or a domain: where one is like the question asked, its query is
            written with the question's own values. What a domain on this database describes is told, too.
        retriever: finds them, by questions whose values are masked: ``e5``, or the folder of a trained
            bi-encoder; E5 if None.
        knowledge: formulas that questions may name (EBIT = revenue - costs): files, folders with a ``knowledge.toml``,
            names of shipped banks (``finance``), or ``all`` of these. What is grounded here is one word of a query.
        description: a file of what a person says of the database, as `querent describe --write` writes it: names in
            words, kinds, keys, what is hidden, the clock.
        feedback: a ``.jsonl`` file that gets what is said of answers (`Conversation.judge`), made when the first comes.
            What was said to be right is a solved question from then on, as those of ``examples`` are; what was said to
            be wrong is not answered again.
        schema_retriever: finds the tables of a large database that a question may need, a file that
            `train_schema_retriever` wrote; the shipped one if None.
        wait: for the index of the values of a large database. Else another process builds it, and until it is there
            what a question quotes or names is looked up in the database, as `Answer.notes` then tell.
        progress: told what is being done where it takes a while.

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
    check_level(level, access=access, examples=(examples or feedback) is not None, knowledge=bool(knowledge))
    _check_language(language)
    with ExitStack() as stack:
        role = access.role if access else ""
        path = None if database is None else database_place(str(database), progress, role=role)
        opened = None if path is None else stack.enter_context(Database.open(path, timeout=timeout))
        shared = stack.enter_context(ExitStack())
        functions = () if database is None else functions_of(str(database))
        known = None if examples is None else str(examples)
        bank = open_banks(knowledge) if knowledge else None
        factory = SessionFactory(
            *(parser, path, opened, functions, level, now, access, known, retriever, bank, progress, shared),
            description=None if description is None else Path(description),
            feedback=None if feedback is None else _feedback(Path(feedback)),
            schema_retriever=None if schema_retriever is None else Path(schema_retriever),
            wait=wait,
        )
        read = factory.loaded.languages
        more = language is None and set(LANGUAGES) <= set(read)
        watch = SchemaWatch(opened)
        with watch.reading():
            answerer = factory.answerer(language or read[0])
        return Connection(answerer, factory, watch, more=more, close=stack.pop_all().close)


def _feedback(file: Path) -> Feedback:
    if file.suffix != ".jsonl":
        raise InputError(
            f"{str(file)!r} is no .jsonl file", field="feedback", hint="feedback.jsonl; it need not be there"
        )
    return Feedback(file)


def _check_language(language: str | None) -> None:
    if language not in (None, *LANGUAGES):
        hint = did_you_mean(language, LANGUAGES) or f"use {' or '.join(LANGUAGES)}, or give a parser of your own"
        raise InputError(f"no shipped network for the language {language!r}", field="language", hint=hint)
