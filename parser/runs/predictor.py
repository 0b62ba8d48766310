"""One question of a file into one record, whoever answers it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol, runtime_checkable

from ...data.answer import Answer
from ...data.asked import asked
from ...data.databases.database import Database
from ...data.domains.dialogues import Turn
from ...data.errors import InputError
from ..answering.explanation import Explanation
from .questions import Question

__all__ = ["CanAnswer", "Predictor"]


class CanAnswer(Protocol):
    """What answers questions on one database: a parser's `Connection`, or the one of a language model."""

    @property
    def database(self) -> Database | None:
        """The database, None where queries are only written."""
        ...

    def probe(self) -> None:
        """Look whether the database can be read.

        Raises:
            DatabaseError: it is gone, locked, or another one.
        """
        ...

    def ask(self, question: str, *, before: Sequence[Turn] = ()) -> Answer:
        """Return the answer to a question in plain words, read with the turns before it."""
        ...

    def refusal(self, question: str, reason: str) -> Answer:
        """Return the answer to a text that is not asked at all."""
        ...


@runtime_checkable
class _Parser(CanAnswer, Protocol):
    """What searches, and can tell how."""

    def ask(self, question: str, *, beam: int = 4, evidence: str = "", before: Sequence[Turn] = ()) -> Answer: ...

    def explain(
        self, question: str, *, beam: int = 4, evidence: str = "", before: Sequence[Turn] = ()
    ) -> Explanation: ...


@runtime_checkable
class _HasTwin(CanAnswer, Protocol):
    """What another thread can have one of its own of."""

    def twin(self) -> AbstractContextManager[CanAnswer]: ...


class Predictor:
    """Makes records of questions, those of a dialogue with the turns before them.

    Args:
        connection: answers them.
        beam: hypotheses that a parser's search follows; the parser's own number if None.
        explain: add what a parser read, and what it refused beside each word.

    Raises:
        InputError: ``beam`` or ``explain`` is given for a language model.
    """

    def __init__(self, connection: CanAnswer, *, beam: int | None = None, explain: bool = False) -> None:
        self._connection = connection
        self._parser = connection if isinstance(connection, _Parser) else None
        self._search = {} if beam is None else {"beam": beam}
        self._explain = explain
        self._dialogue, self._turns = "", list[Turn]()
        if self._parser is None and (explain or self._search):
            field = "explain" if explain else "beam"
            raise InputError("means nothing to a language model", field=field, hint="leave it out")

    @contextmanager
    def twin(self) -> Generator[Predictor]:
        """Open what another thread asks.

        Raises:
            InputError: who answers answers one question at a time.
        """
        if not isinstance(self._connection, _HasTwin):
            raise InputError("a parser answers one question at a time", field="jobs", hint="leave it out")
        with self._connection.twin() as other:
            yield Predictor(other)

    @property
    def fields(self) -> list[str]:
        """Return the fields that not all record files have."""
        there = {"rows": self._has_rows, "explain": self._explain, "attempts": self._parser is None}
        return [name for name, on in there.items() if on]

    @property
    def _has_rows(self) -> bool:
        return self._connection.database is not None

    def follow(self, question: Question, record: dict[str, Any]) -> None:
        """Take a question and its record for the last turn of its dialogue, as what comes next may lean on it."""
        if question.dialogue != self._dialogue:
            self._dialogue, self._turns = question.dialogue, []
        if question.dialogue and record["sql"] is not None and record["status"] != "error":
            self._turns.append(Turn(question.text, record["sql"], confidence=record["confidence"]))

    def _before(self, question: Question) -> list[Turn]:
        return list(self._turns) if question.dialogue == self._dialogue else []

    def record(self, question: Question) -> dict[str, Any]:
        """Return the record of a question; one that cannot be asked has one that says why.

        Raises:
            DatabaseError: the database is gone.
            InputError: prompts or examples of a language model cannot be read, or it gets evidence.
        """
        answer, explained = self._answered(question, self._before(question))
        if answer.status == "error":
            self._connection.probe()
        told: dict[str, Any] = {"id": question.id, **answer.to_json(), "question": question.text}
        told["seconds"] = round(answer.seconds, 4)
        if not self._has_rows:
            told = {key: value for key, value in told.items() if key not in ("columns", "rows", "truncated")}
        self.follow(question, told)
        return {**told, "explain": explained} if self._explain else told

    def _answered(self, question: Question, before: Sequence[Turn]) -> tuple[Answer, dict[str, Any] | None]:
        try:
            text, evidence = asked(question.text), asked(question.evidence, field="evidence")
        except InputError as error:
            return self._connection.refusal(question.text, error.problem), None
        if self._parser is None and evidence:
            problem = f"evidence beside question {question.id} means nothing to a language model"
            raise InputError(problem, field="evidence", hint="leave it out of the file, or ask a parser")
        if self._parser is None:
            return self._connection.ask(text, before=before), None
        try:
            answer = self._parser.ask(text, evidence=evidence, before=before, **self._search)
            wanted = self._explain and answer.sql
            told = self._parser.explain(text, evidence=evidence, before=before, **self._search) if wanted else None
            return answer, told.to_json() if told else None
        except InputError as error:  # a language that no parser here reads
            return self._connection.refusal(question.text, str(error)), None
