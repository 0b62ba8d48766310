"""Sessions answer the questions of one language on one database; `ParserSession` does so with a parser."""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, lru_cache, reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, Self

from ..answers.answer import Answer
from ..answers.feedback import Feedback, Judged
from ..classifiers.heads import GlobalConstraint
from ..data.databases.database import Database, FoundTables
from ..data.databases.schema_readers import read_schema
from ..data.domains.dialogues import Turn
from ..data.domains.domain import Domain, Example
from ..data.errors import InputError
from ..data.schema.schema import Function, Schema
from ..data.urls import dialect_of
from ..encoders.functions import one_thread
from ..grammar import Constraint
from ..knowledge.formulas.bank import Bank
from ..knowledge.linked_formulas import FormulaLinker
from ..knowledge.solved import Solved, shot_store
from ..ner.language.question import QuestionText
from ..retrieval.schema_retriever.table_scorer import open_scorer
from ..retrieval.shots import Shot
from .answering.answerer import Answerer
from .answering.asking import AskOptions, ConnectOptions
from .answering.explaining import Explanation, explained_answer
from .decoding.parsing import SchemaParser
from .decoding.solved import SolvedQuestions
from .network.saved import Loaded
from .reader.catalogue import TableCatalogue, TableChoice, TableRetriever
from .reader.formula_items import formula_linker, formulas_on
from .reader.profile import BUDGET, SOURCES, Profile, domain_profile

_KEPT = 32
"""The number of sets of tables whose answerers are cached; one of twelve tables takes a megabyte."""


class Session(Protocol):
    """A parser or language model that answers the questions of one language on one database.

    Attributes:
        database: the database, None where queries are only written.
        schema: the part of the schema that may be read.
        dialect: sqlite, mysql or postgres.
        answer_type: the class of its answers.
        outdated: whether its sources have changed, so that it must be opened again.
    """

    @property
    def database(self) -> Database | None: ...

    @property
    def schema(self) -> Schema: ...

    @property
    def dialect(self) -> str: ...

    @property
    def answer_type(self) -> type[Answer]: ...

    @property
    def outdated(self) -> bool: ...

    def answer(self, question: QuestionText, turns: Sequence[Turn], options: AskOptions) -> Answer:
        """Return the answer to a question.

        Args:
            question: a question that was validated by `validated_question`, in the language of the session.
            turns: the earlier turns, the latest last.

        Raises:
            InputError: there is no such table, or an option is not supported.
        """
        ...

    def explain(self, question: QuestionText, turns: Sequence[Turn], options: AskOptions) -> Explanation | None:
        """Return the explanation of a question's query; None if this session cannot give one."""
        ...

    def close(self) -> None:
        """Close the value index."""
        ...


class ParserSession:
    """A `Session` of a parser.

    If the first tables give no sure answer, more tables are read, and a sure answer from these is taken.

    Args:
        catalogue: the catalogue of the database.
        loaded: the network.
        profile: the bounds of queries.
        database: the database, None to write queries without running them.
        options: the options of the connection.
        bank: the bank of formulas that questions may name.
        retriever: the retriever of relevant tables; None for a database whose tables are all read.
        examples: the solved questions.
        global_constraint: the global constraint, None for the usual one.
    """

    answer_type = Answer

    def __init__(
        self,
        catalogue: TableCatalogue,
        loaded: Loaded,
        profile: Profile,
        database: Database | None,
        *,
        options: ConnectOptions | None = None,
        bank: Bank | None = None,
        retriever: TableRetriever | None = None,
        examples: Solved | None = None,
        global_constraint: GlobalConstraint | None = None,
    ) -> None:
        self.catalogue, self.database = catalogue, database
        self.schema, self.dialect = catalogue.readable, catalogue.dialect
        self.tables = TableChoice(catalogue, retriever, bank)
        self._parser = SchemaParser(loaded.network, global_constraint=global_constraint)
        self._loaded, self._profile, self._bank, self._examples = loaded, profile, bank, examples
        self._options = options or ConnectOptions()
        self._closing = ExitStack()
        self._like: Constraint | None = None
        self._over = lru_cache(maxsize=_KEPT)(self._made)
        self._judged: Mapping[tuple[str, ...], Judged] = {}
        self._solved: SolvedQuestions | None = None
        self._learnt: tuple[object] | None = None

    @classmethod
    @FoundTables.opening()
    def open(
        cls,
        place: str | None,
        database: Database | None,
        loaded: Loaded,
        language: str,
        *,
        options: ConnectOptions,
        functions: tuple[Function, ...] = (),
        bank: Bank | None = None,
        progress: Callable[[str], None] = lambda _: None,
    ) -> Self:
        """Open a database for questions in a language.

        Args:
            place: the place of the database, see `database_place`; None for the one that the parser was trained for.
            functions: the functions of a shipped database.
            progress: a callback for messages about steps that take a while.

        Raises:
            InputError: there is no source of the schema, or the solved questions cannot be read.
        """
        progress("looking up the values of the database")
        role = options.role
        schema = None if place is None else replace(read_schema(place), functions=functions)
        with ExitStack() as stack:
            solved = None
            if options.examples is not None:
                about: dict[str, Any] = {"schema": schema, "dialect": None if place is None else dialect_of(place)}
                if place is None and (trained := loaded.profile) is not None:
                    about = {"schema": trained.schema, "dialect": trained.dialect}
                solved = Solved.read(str(options.examples), language=language, **about)
            profile = _profile(language, schema, place, loaded, solved=solved, stack=stack)
            if role is not None:  # a function may read anything
                profile = replace(profile, schema=replace(profile.schema, functions=()))
            if database is not None:
                database.define(profile.schema.functions)
                database.confine(role.narrowed(profile.schema) if role else profile.schema)
            description = None if options.description is None else Path(options.description)
            catalogue = profile.catalogue(place, access=role, description=description, wait=options.wait)
            if catalogue.index is not None:
                stack.enter_context(catalogue.index)
            progress("reading the names of the schema")
            scorer = open_scorer(options.schema_retriever)
            with one_thread():
                retriever = TableRetriever(catalogue, scorer) if catalogue.is_large else None
            more: dict[str, Any] = {"options": options, "bank": bank, "retriever": retriever, "examples": solved}
            made = cls(catalogue, loaded, profile, database, **more)
            made._closing = stack.pop_all()
        made.learn()
        if retriever is None:
            _ = made.whole  # so that the first question need not wait
        return made

    @property
    def outdated(self) -> bool:
        """Say whether another process has built the index of a large database by now."""
        return self.catalogue.index is not None and self.catalogue.index.is_outdated

    @property
    def whole(self) -> Answerer:
        """Return the answerer of questions on all tables."""
        return self.over(self.tables.all_tables)

    @cached_property
    def knowledge(self) -> FormulaLinker | None:
        """Return the linker of the formulas that questions name, on all tables; None if there are no banks."""
        if self.tables.retriever is None:
            return self.whole.knowledge
        if self._bank is None:
            return None
        now, catalogue = self._options.clock or self.catalogue.now, self.catalogue  # no grammar of many tables is made
        about: dict[str, Any] = {"index": catalogue.index, "now": now, "language": catalogue.language}
        return formulas_on(self.schema, self._bank, self._parser.vectors, **about)

    def over(self, tables: Sequence[str]) -> Answerer:
        """Return the answerer of questions on some tables, one of the last 32 if possible.

        Args:
            tables: their names in the spelling and order of the schema.
        """
        return self._over(tuple(tables))

    def _made(self, tables: tuple[str, ...]) -> Answerer:
        context = self.catalogue.whole if tables == self.tables.all_tables else self.catalogue.over(tables)
        if (now := self._options.clock) is not None:
            context = replace(context, now=now)
        self._parser.prepare(context)
        made = Answerer(
            self._parser,
            context,
            self.database,
            level=self._options.level,
            like=self._like,
            calibration=self._loaded.calibration,
            profile=self._profile,
            knowledge=None if self._bank is None else formula_linker(self._bank, context, self._parser.vectors),
        )
        if made.constraint is not None and self._like is None:
            self._like = made.constraint.constraint
        made.judged, made.solved = self._judged, self._solved and self._solved.over(context)
        return made

    def learn(self) -> None:
        """Read the feedback file if it has changed, and answer by its verdicts and corrections from now on.

        Raises:
            InputError: the file cannot be read.
        """
        feedback = None if self._options.feedback is None else Feedback(Path(self._options.feedback))
        stamp = (None if feedback is None else feedback.stamp,)
        if self._learnt == stamp:
            return
        verdicts = [] if feedback is None else feedback.standing()
        here = ("", self.schema.fingerprint) if verdicts else ()
        self._judged, self._learnt = {one.key: one for one in verdicts if one.database in here}, stamp
        about: dict[str, Any] = {"language": self.catalogue.language, "schema": self.schema, "dialect": self.dialect}
        shots = [Shot(one.question, one.sql) for one in verdicts if one.solves]
        known = [*filter(None, [self._examples]), *([Solved.of_shots("feedback", shots, **about)] if shots else [])]
        if known:
            catalogue = self.catalogue
            context = catalogue.over(self.tables.all_tables[:1]) if catalogue.is_large else catalogue.whole
            solved, retriever = reduce(Solved.with_more, known), self._options.retriever
            slotted = dict(zip(solved.shots, solved.slotted, strict=False))
            with one_thread():
                store = shot_store(solved.shots, catalogue.language, index=catalogue.index, retriever=retriever)
                self._solved = SolvedQuestions(context, store, slotted, nearest=self._examples is None)
        self._over.cache_clear()

    def answer(self, question: QuestionText, turns: Sequence[Turn], options: AskOptions) -> Answer:
        """Return the answer to a question; see `Session.answer`."""
        begun = time.perf_counter()
        if options.evidence and self._options.level is None:
            raise InputError("evidence without a constraint", field="level", hint="its formulas are held to it")
        self.learn()
        found = reduce(_better, self._answers(question, turns, options))
        index = self.catalogue.index
        notes = (*found.notes, *(() if index is None else index.notes()))
        return replace(found, notes=notes, seconds=time.perf_counter() - begun)

    def explain(self, question: QuestionText, turns: Sequence[Turn], options: AskOptions) -> Explanation:
        """Explain the query that answers a question; see `Session.explain`."""
        read = self.answer(question, turns, options).tables
        explained = explained_answer(self.over(read), question, turns, options)
        return replace(explained, read=read, of_tables=len(self.tables.all_tables))

    def _answers(self, question: QuestionText, turns: Sequence[Turn], options: AskOptions) -> Iterator[Answer]:
        """Yield the answer from each set of tables, until one is sure or the database fails."""
        for chosen in self._sets(question, turns, options):
            answer = self.over(chosen).answer(question, turns, options)
            yield replace(answer, tables=chosen, notes=(*answer.notes, *self.tables.notes(chosen)))
            if answer.status == "ok" or (answer.status == "error" and answer.sql is not None):
                return

    def _sets(self, question: QuestionText, turns: Sequence[Turn], options: AskOptions) -> list[tuple[str, ...]]:
        if options.tables:
            return [self.tables.named(options.tables)]
        large = self.tables.retriever is not None
        alike = [self._solved.nearest_query(question.text)] if large and self._solved is not None else []
        found = self.tables.sets(question, before=turns, evidence=options.evidence, queries=alike)
        return [self.tables.in_order(one) for one in found]

    def values(self, beginning: str, most: int) -> tuple[tuple[str, str, str], ...]:
        """Return (cell, table, column) of texts in the database that begin so, see `ValueIndex.beginning`."""
        return () if self.catalogue.index is None else self.catalogue.index.beginning(beginning, most)

    def close(self) -> None:
        """Close the value index."""
        self._closing.close()


def _better(first: Answer, second: Answer) -> Answer:
    """Return the better of two answers, the second of which comes from more tables.

    The first is preferred, since more tables offer more wrong queries: the surer one of both has .73 right in place of
    .75 on 306 tables.
    """
    none = first.status in ("no_answer", "error") and second.status not in ("no_answer", "error")
    return second if second.status == "ok" or none else first


def _profile(
    language: str, schema: Schema | None, place: str | None, loaded: Loaded, *, solved: Solved | None, stack: ExitStack
) -> Profile:
    """Return the profile of the parser's domain, of the examples' domain, or of the schema, whichever fits first."""
    trained = loaded.profile
    if place is None or schema is None:
        if trained is None:
            hint = "give a database, or a parser that was trained on a domain"
            raise InputError("nothing tells which tables there are", field="database", hint=hint)
        return trained
    dialect = dialect_of(place)
    if trained is not None and trained.dialect == dialect and trained.fits(schema):
        return trained
    if trained is not None:
        problem = f"the parser was trained for {trained.name}, whose tables this database has not"
        warnings.warn(f"{problem}; it reads this one as it stands", stacklevel=5)
    domain = solved.domain if solved is not None and solved.describes(schema) else None
    if solved is not None and domain is not None and domain.dialect == dialect:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        return replace(untrained_profile(domain, solved.examples, folder), database=place)
    return Profile.of(schema, dialect=dialect, language=language, database=place)


def untrained_profile(domain: Domain, examples: Sequence[Example], folder: Path) -> Profile:
    """Return the profile of a domain for a parser that was not trained on it, with usual bounds at least.

    Args:
        examples: the examples of the domain whose values may be used.
        folder: the folder of the index of the values.
    """
    profile = domain_profile(domain, examples, folder / "values.sqlite")
    # constants that it never saw beside a question's values mislead it: GeoQuery .55 -> .12
    return replace(profile, constants=(), budget=max(profile.budget, BUDGET), sources=max(profile.sources, SOURCES))
