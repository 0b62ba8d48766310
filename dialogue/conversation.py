"""A conversation about one database: questions that may refer to earlier turns.

The setting is that of SParC, CoSQL and CHASE (Yu et al. 2019a, 2019b; Guo et al. 2021): a turn is read with the earlier
utterances and the query that answered the last of them. The network predicts whether it needs them
(`parser.decoding.parsing.CARRIES`); `Answer.carried` is the edit between the two queries.
"""

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
from ..data.records import Record
from ..data.schema.schema import Schema
from ..data.values.numerals import CHINESE_DIGITS, ENGLISH_ORDINALS
from ..ner.language.words import units
from ..parser.answering.answerer import SURE

_VERSION = 1
_ONE_OF = {"alternatives": "alternative", "options": "option"}


class Answering(Protocol):
    """The part of a `Connection` that a conversation needs."""

    database: Database | None

    @property
    def schema(self) -> Schema: ...

    @property
    def feedback(self) -> Feedback | None: ...

    def ask(self, question: str, before: Sequence[Turn] = (), **how: Any) -> Answer: ...

    def query(self, sql: str) -> Rows: ...


class Conversation:
    """A sequence of questions; `Connection.conversation` returns one.

    Args:
        connection: the connection that answers the questions.
        turns: the earlier turns.
        user: the name of the user who gives verdicts on answers.
    """

    def __init__(self, connection: Answering, turns: Sequence[Turn] = (), *, user: str = "") -> None:
        self.user = user
        self.turns = list(turns)
        self._connection = connection
        self._last: Answer | None = None
        self._unanswered = ""  # the last question, if it has no query

    def ask(self, question: str, **how: Any) -> Answer:
        """Return the answer to a question, read with the turns before it.

        A question without an answer is no turn, so the next question refers to the turns before it. After a
        clarification question, «the second one» or the label of an option chooses that option.

        Args:
            how: further arguments of the connection's `ask`.

        Raises:
            InputError: the same as in the connection's `ask`.
        """
        clarification = self._pending_clarification(question)
        if clarification is not None and (place := _chosen_option(question, clarification)) is not None:
            return self.choose(place, of="options")
        answer = self._connection.ask(question, self.turns, **how)
        if answer.sql is not None and answer.status != "error":
            self.turns.append(Turn(answer.question, answer.sql, confidence=answer.confidence))
            self._last, self._unanswered = answer, ""
        else:
            self._unanswered = answer.question
        return answer

    def choose(self, place: int, *, of: Literal["alternatives", "options"] = "alternatives") -> Answer:
        """Choose another query of the last answer as the right one; the next question refers to it.

        In a conversation that was read from JSON, the last question is asked again to get its queries.

        Args:
            place: the number of the query, from 0.
            of: the answer's alternatives, or the options of its clarification.

        Raises:
            InputError: there is no such query, or no database.
            DatabaseError: the query fails.
        """
        queries = self._other_queries() if of == "alternatives" else self._option_queries()
        if not 0 <= place < len(queries):
            hint = f"there are {len(queries)}" if queries else "the last answer has none"
            raise InputError(f"no {_ONE_OF[of]} {place + 1}", field=_ONE_OF[of], hint=hint)
        database = self._connection.database
        if database is None:
            raise InputError("no database to run it on", field=_ONE_OF[of], hint="give one")
        return self._recorded(queries[place], database.query(queries[place]))

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """Return the other readings of the last question, the likeliest first."""
        last = self._answer()
        return () if last is None else last.alternatives

    def correct(self, sql: str, rows: Rows | None = None) -> Answer:
        """Run a query in place of the last answer's, or for a question without one; the next question refers to it.

        The query must only read.

        Args:
            rows: the rows of the query, if it has run already.

        Raises:
            InputError: no question was asked yet, or the same as in `Answering.query`.
            DatabaseError: the query fails, or does more than read.
        """
        if not self.turns and not self._unanswered:
            raise InputError("nothing was asked yet", field="sql", hint="ask first")
        rows = rows or self._connection.query(sql)
        if self._unanswered:
            self.turns.append(Turn(self._unanswered, sql))
            self._last, self._unanswered = None, ""
        return self._recorded(sql, rows)

    def judge(self, verdict: Verdict) -> Judged:
        """Record a verdict on the last answer, which is learnt at once; `choose` and `correct` record one themselves.

        Raises:
            InputError: no question was asked yet, or there is no file of feedback.
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

    def _pending_clarification(self, reply: str) -> Clarification | None:
        """Return the last answer's clarification; after reading from JSON, only if the reply may choose an option."""
        if self._last is None and self.turns and self.turns[-1].confidence < SURE and _may_choose(reply):
            self._answer()
        return None if self._last is None else self._last.clarification

    def _other_queries(self) -> list[str]:
        """Return the queries of the other readings.

        When a question is asked again after a verdict of wrong, the first of these has replaced the wrong query.
        """
        last = self._answer()
        queries = [] if last is None else [last.sql, *(alternative.sql for alternative in last.alternatives)]
        return [sql for sql in queries if sql is not None and sql != self.turns[-1].sql]

    def _option_queries(self) -> list[str]:
        last = self._answer()
        return [option.sql for option in last.clarification.options] if last and last.clarification else []

    def _answer(self) -> Answer | None:
        """Return the answer to the last question, which is asked again if the conversation was read from JSON."""
        if self._unanswered:
            return None
        if self._last is None and self.turns:
            self._last = self._connection.ask(self.turns[-1].utterance, self.turns[:-1])
        return self._last

    def _recorded(self, sql: str, rows: Rows) -> Answer:
        question = self.turns[-1].utterance
        self.turns[-1] = Turn(question, sql)
        if self._connection.feedback is not None:
            self.judge("corrected")
        table = (rows.columns, tuple(rows.rows), rows.truncated)
        return Answer(question, sql, *table, confidence=1.0, notes=rows.notes)

    def undo(self) -> Turn:
        """Forget the last turn, and return it.

        Raises:
            InputError: there is no turn.
        """
        if not self.turns:
            raise InputError("nothing to undo", field="turns", hint="ask first")
        self._last, self._unanswered = None, ""
        return self.turns.pop()

    def clear(self) -> None:
        """Forget all turns, and the last answer with its alternatives."""
        self.turns.clear()
        self._last, self._unanswered = None, ""

    def to_json(self) -> dict[str, Any]:
        """Return the conversation as dicts and lists, for `from_json`."""
        turns = [{"question": t.utterance, "sql": t.sql, "confidence": t.confidence} for t in self.turns]
        return {"version": _VERSION, "turns": turns}

    @classmethod
    def from_json(cls, data: Any, connection: Answering, *, user: str = "") -> Self:
        """Return the conversation that `to_json` returned.

        Raises:
            InputError: the data is no conversation of this version.
        """
        if not isinstance(data, dict) or data.get("version") != _VERSION:
            raise InputError(f"no conversation of version {_VERSION}", field="version", hint="begin a new one")
        turns: list[Turn] = []
        for number, turn in enumerate(Record(data, Path("turns")).objects("turns"), 1):
            sure = turn.data.get("confidence", 1.0)
            if not isinstance(sure, (int, float)) or not 0 <= sure <= 1:
                raise InputError(f"turn {number} has none from 0 to 1", field="confidence")
            sql = turn.text("sql", "" if "sql" in turn.data else None)  # a query may be empty, and not missing
            turns.append(Turn(turn.text("question"), sql, confidence=float(sure)))
        return cls(connection, turns, user=user)


_ALIKE = 88.0
"""The least similarity of spelling, of 100, from which a text counts as a label."""

_FEW_WORDS = 4
"""The greatest length of a text that only chooses an option: «the second one please»."""


def _may_choose(text: str) -> bool:
    """Say whether a text is short enough to choose an option."""
    return len(units(text)) <= _FEW_WORDS


def _chosen_option(text: str, clarification: Clarification) -> int | None:
    """Return the number of the option that a text names, from 0; None if the text is another question.

    >>> asked = Clarification("near", "…", (Option("Oslo", "…"), Option("Lisbon", "…")))
    >>> [chosen_option(text, asked) for text in ("lisbon", "the second one", "第二个", "how many are there?")]
    [1, 1, 1, None]
    """
    labels = [option.label for option in clarification.options]
    like = process.extractOne(text, labels, scorer=fuzz.ratio, processor=utils.default_process, score_cutoff=_ALIKE)
    if like is not None:
        return like[2]
    words = [unit.text.lower() for unit in units(text)]
    which = [ENGLISH_ORDINALS[word] for word in words if word in ENGLISH_ORDINALS]
    which += [CHINESE_DIGITS[word] for th, word in pairwise(words) if th == "第" and word in CHINESE_DIGITS]
    if len(which) != 1 or not _may_choose(text):
        return None
    place = which[0] - 1
    return place if 0 <= place < len(labels) else None
