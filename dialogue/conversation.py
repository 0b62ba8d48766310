"""A conversation about one database: questions that may lean on those before them.

After what SParC, CoSQL and CHASE measure (Yu et al. 2019a, 2019b; Guo et al. 2021): a turn is read with the utterances
before it and the query that answered the last of them. Whether it needs them the network says
(`parser.decoding.ways.CARRIES`); what of that query stands in the new one, `Answer.carried`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Protocol, Self

from rapidfuzz import fuzz, process, utils

from ..answers.answer import Alternative, Answer, Clarification
from ..answers.feedback import Feedback, Judged, Verdict
from ..data.databases.database import Database
from ..data.databases.rows import Rows
from ..data.domains.dialogues import Turn
from ..data.errors import InputError
from ..data.hashed_folder import write_json
from ..data.records import Record, read_json
from ..data.schema.schema import Schema
from ..data.values.numerals import CHINESE_DIGITS, ENGLISH_ORDINALS
from ..ner.language.words import units
from ..parser.answering.answerer import SURE

__all__ = ["Conversation", "Talks"]

_VERSION = 1
_ONE_OF = {"alternatives": "alternative", "options": "option"}


class Talks(Protocol):
    """What answers a question with those before it: a `Connection`."""

    database: Database | None

    @property
    def schema(self) -> Schema:
        """The schema that may be read."""
        ...

    @property
    def feedback(self) -> Feedback | None:
        """The file of what was said of answers."""
        ...

    def ask(self, question: str, before: Sequence[Turn] = (), **how: Any) -> Answer:
        """Return the answer to a question."""
        ...

    def query(self, sql: str) -> Rows:
        """Run a query that a person wrote, for reading only."""
        ...


class Conversation:
    """Questions one after the other; made by `Connection.conversation`.

    Args:
        connection: answers them.
        turns: what was asked and answered before.
        user: whose verdicts on answers these are.
    """

    def __init__(self, connection: Talks, turns: Sequence[Turn] = (), *, user: str = "") -> None:
        self.user = user
        self.turns = list(turns)
        self._connection = connection
        self._last: Answer | None = None
        self._unanswered = ""  # the last question, if it has no query

    def ask(self, question: str, **how: Any) -> Answer:
        """Return the answer to a question, read with the turns before it.

        One that has no answer is no turn: what comes next leans on what came before it. Where the last answer asked
        back, «the second one» or the label of an option chooses it.

        Args:
            how: further arguments of the connection's `ask`.

        Raises:
            InputError: as from the connection's `ask`.
        """
        asked = self._asked_back(question)
        if asked is not None and (place := chosen_option(question, asked)) is not None:
            return self.choose(place, of="options")
        answer = self._connection.ask(question, self.turns, **how)
        if answer.sql is not None and answer.status != "error":
            self.turns.append(Turn(answer.question, answer.sql, confidence=answer.confidence))
            self._last, self._unanswered = answer, ""
        else:
            self._unanswered = answer.question
        return answer

    def choose(self, place: int, *, of: Literal["alternatives", "options"] = "alternatives") -> Answer:
        """Take another of the last answer's queries for what was meant; what comes next leans on it.

        Of a conversation that was read from JSON the last question is asked again, to know what there is to choose.

        Args:
            place: from 0.
            of: the answer's alternatives, or the options of its clarification.

        Raises:
            InputError: there is no such one, or no database.
            DatabaseError: its query fails.
        """
        found = self._others() if of == "alternatives" else self._options()
        if not 0 <= place < len(found):
            told = f"there are {len(found)}" if found else "the last answer has none"
            raise InputError(f"no {_ONE_OF[of]} {place + 1}", field=_ONE_OF[of], hint=told)
        database = self._connection.database
        if database is None:
            raise InputError("no database to run it on", field=_ONE_OF[of], hint="give one")
        return self._taken(found[place], database.query(found[place]))

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """Return the other readings of the last question, the likeliest first."""
        last = self._answer()
        return () if last is None else last.alternatives

    def correct(self, sql: str, found: Rows | None = None) -> Answer:
        """Run a query in place of the last answer's, or for a question that had none; what comes next leans on it.

        It is for reading only.

        Args:
            found: its rows, where it has run already.

        Raises:
            InputError: nothing was asked yet, or as from `Connection.query`.
            DatabaseError: it fails, or does more than read.
        """
        if not self.turns and not self._unanswered:
            raise InputError("nothing was asked yet", field="sql", hint="ask first")
        found = found or self._connection.query(sql)
        if self._unanswered:
            self.turns.append(Turn(self._unanswered, sql))
            self._last, self._unanswered = None, ""
        return self._taken(sql, found)

    def judge(self, verdict: Verdict) -> Judged:
        """Say whether the last answer is right, to be learnt at once; a choice or a correction says it by itself.

        Raises:
            InputError: nothing was asked yet, or there is no file to keep it in.
        """
        if not self.turns or self._unanswered:
            problem = "the last question has no query" if self._unanswered else "nothing was asked yet"
            raise InputError(problem, field="verdict", hint="ask first")
        if self._connection.feedback is None:
            raise InputError("no file to keep it in", field="feedback", hint="connect with feedback='feedback.jsonl'")
        last, answer = self.turns[-1], self._answer()
        leans = answer is not None and answer.carried is not None and not answer.carried.new_topic
        before = tuple(self.turns[:-1]) if leans else ()
        database = self._connection.schema.fingerprint
        judged = Judged(last.utterance, last.sql, verdict, before, self.user, database)
        self._connection.feedback.add(judged)
        return judged

    def _asked_back(self, reply: str) -> Clarification | None:
        """Return what the last answer asked back; of one read from JSON it is looked up where a reply may be meant."""
        if self._last is None and self.turns and self.turns[-1].confidence < SURE and may_choose(reply):
            self._answer()
        return None if self._last is None else self._last.clarification

    def _others(self) -> list[str]:
        """Return the queries of the other readings.

        Of one that was called wrong and is asked again the first of these has come in its place.
        """
        last = self._answer()
        found = [] if last is None else [last.sql, *(one.sql for one in last.alternatives)]
        return [sql for sql in found if sql is not None and sql != self.turns[-1].sql]

    def _options(self) -> list[str]:
        last = self._answer()
        return [one.sql for one in last.clarification.options] if last and last.clarification else []

    def _answer(self) -> Answer | None:
        """Return the answer to the last question; asked again where the conversation was read from JSON."""
        if self._unanswered:
            return None
        if self._last is None and self.turns:
            self._last = self._connection.ask(self.turns[-1].utterance, self.turns[:-1])
        return self._last

    def _taken(self, sql: str, found: Rows) -> Answer:
        question = self.turns[-1].utterance
        self.turns[-1] = Turn(question, sql)
        if self._connection.feedback is not None:
            self.judge("corrected")
        rows = (found.columns, tuple(found.rows), found.truncated)
        return Answer(question, sql, *rows, confidence=1.0, notes=found.notes)

    def undo(self) -> Turn:
        """Forget the last turn, and return it.

        Raises:
            InputError: there is none.
        """
        if not self.turns:
            raise InputError("nothing to undo", field="turns", hint="ask first")
        self._last, self._unanswered = None, ""
        return self.turns.pop()

    def clear(self) -> None:
        """Forget all turns, and the answer that alternatives were of."""
        self.turns.clear()
        self._last, self._unanswered = None, ""

    def to_json(self) -> dict[str, Any]:
        """Return plain dicts and lists, from which `from_json` goes on."""
        turns = [{"question": t.utterance, "sql": t.sql, "confidence": t.confidence} for t in self.turns]
        return {"version": _VERSION, "turns": turns}

    @classmethod
    def from_json(cls, told: Any, connection: Talks, *, user: str = "") -> Self:
        """Go on with a conversation.

        Raises:
            InputError: it is none of this version.
        """
        if not isinstance(told, dict) or told.get("version") != _VERSION:
            raise InputError(f"no conversation of version {_VERSION}", field="version", hint="begin a new one")
        found: list[Turn] = []
        for number, turn in enumerate(Record(told, Path("turns")).objects("turns"), 1):
            sure = turn.data.get("confidence", 1.0)
            if not isinstance(sure, (int, float)) or not 0 <= sure <= 1:
                raise InputError(f"turn {number} has none from 0 to 1", field="confidence")
            sql = turn.text("sql", "" if "sql" in turn.data else None)  # a query may be empty, and not missing
            found.append(Turn(turn.text("question"), sql, confidence=float(sure)))
        return cls(connection, found, user=user)

    def save(self, path: str | Path) -> None:
        """Write it to a file of JSON, with the fingerprint of the schema that it is about."""
        write_json(Path(path), {**self.to_json(), "database": self._connection.schema.fingerprint})

    @classmethod
    def load(cls, path: str | Path, connection: Talks) -> Self:
        """Go on with a conversation that was saved.

        Raises:
            InputError: the file cannot be read, is none of this version, or is about a database with another schema.
        """
        told = read_json(Path(path), InputError)
        try:
            found = cls.from_json(told, connection)
        except InputError as error:
            raise InputError(error.problem, file=path, field=error.field, hint=error.hint) from error
        here = connection.schema.fingerprint
        if told.get("database", here) != here:
            problem, hint = "it is about a database with another schema", "open that, or begin a new one"
            raise InputError(problem, file=path, field="database", hint=hint)
        return found


_ALIKE = 88.0
"""Likeness of letters, of 100, from which a text is a label."""

_FEW_WORDS = 4
"""Of a text that says which one and nothing else: «the second one please»."""


def may_choose(text: str) -> bool:
    """Say whether a text is short enough to say which option is meant."""
    return len(units(text)) <= _FEW_WORDS


def chosen_option(text: str, asked: Clarification) -> int | None:
    """Return the place of the option that a text names, from 0; None where it is another question.

    >>> asked = Clarification("near", "…", (Option("Oslo", "…"), Option("Lisbon", "…")))
    >>> [chosen_option(text, asked) for text in ("lisbon", "the second one", "第二个", "how many are there?")]
    [1, 1, 1, None]
    """
    labels = [option.label for option in asked.options]
    like = process.extractOne(text, labels, scorer=fuzz.ratio, processor=utils.default_process, score_cutoff=_ALIKE)
    if like is not None:
        return like[2]
    words = [unit.text.lower() for unit in units(text)]
    which = [ENGLISH_ORDINALS[word] for word in words if word in ENGLISH_ORDINALS]
    which += [CHINESE_DIGITS[word] for th, word in pairwise(words) if th == "第" and word in CHINESE_DIGITS]
    if len(which) != 1 or not may_choose(text):
        return None
    place = which[0] - 1
    return place if 0 <= place < len(labels) else None
