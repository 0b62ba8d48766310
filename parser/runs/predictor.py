"""One question of a file into one record, whoever answers it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, Protocol

from ...answers.answer import Answer
from ...data.databases.database import Database
from ...data.domains.dialogues import Turn
from ...data.errors import InputError
from ...ner.language.question import validated_question
from ..answering.asking import USUAL, AskOptions
from ..answering.explaining import Explanation
from .questions import Question

__all__ = ["CanAnswer", "Predictor"]


class CanAnswer(Protocol):
    """What answers questions on one database: `dialogue.connection.Connection`, of which these are methods."""

    database: Database | None

    @property
    def parser(self) -> object | None:
        """What searches, None where a language model answers."""
        ...

    def probe(self) -> None:
        """Look whether the database can be read."""
        ...

    def ask(self, question: str, before: Sequence[Turn] = (), options: AskOptions = USUAL) -> Answer:
        """Return the answer to a question in plain words, read with the turns before it."""
        ...

    def explain(self, question: str, before: Sequence[Turn] = (), options: AskOptions = USUAL) -> Explanation | None:
        """Return how its query comes about, None where nobody can say."""
        ...

    def refusal(self, question: str, reason: str) -> Answer:
        """Return the answer to a text that is not asked at all."""
        ...

    def twin(self) -> AbstractContextManager[CanAnswer]:
        """Open it once more, for another thread."""
        ...


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
        self._options = USUAL if beam is None else AskOptions(beam=beam)
        self._explain = explain
        self._dialogue, self._turns = "", list[Turn]()
        if connection.parser is None and (explain or beam is not None):
            field = "explain" if explain else "beam"
            raise InputError("means nothing to a language model", field=field, hint="leave it out")

    @contextmanager
    def twin(self) -> Generator[Predictor]:
        """Open what another thread asks.

        Raises:
            InputError: who answers answers one question at a time.
        """
        with self._connection.twin() as other:
            yield Predictor(other)

    @property
    def fields(self) -> list[str]:
        """Return the fields that not all record files have."""
        there = {"rows": self._has_rows, "explain": self._explain, "attempts": self._connection.parser is None}
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
            text, evidence = validated_question(question.text), validated_question(question.evidence, field="evidence")
        except InputError as error:
            return self._connection.refusal(question.text, error.problem), None
        if self._connection.parser is None:
            if evidence:
                problem = f"evidence beside question {question.id} means nothing to a language model"
                raise InputError(problem, field="evidence", hint="leave it out of the file, or ask a parser")
            return self._connection.ask(text, before), None
        options = replace(self._options, evidence=evidence) if evidence else self._options
        try:
            answer = self._connection.ask(text, before, options)
            explained = self._connection.explain(text, before, options) if self._explain and answer.sql else None
            return answer, explained and explained.to_json()
        except InputError as error:  # a language that no parser here reads
            return self._connection.refusal(question.text, str(error)), None
