"""What is done with an open database for each kind of request, in the thread that answers."""

from dataclasses import replace
from typing import Any

from ..answers.answer import Answer
from ..data.databases.rows import Rows
from ..data.errors import InputError
from ..dialogue.conversation import Conversation
from ..ner.language.question import QuestionText
from .messages import Asking, Choosing, Correcting, Judging, Talk
from .open_databases import OpenDatabase
from .replies import answer_json

_WORDS = 5
"""Words that a value may be begun with."""

_MOST_KEPT = 50_000_000
"""Bytes of a file of feedback: it is read whole whenever it grows, and anybody may send a megabyte to be kept."""


def ask(opened: OpenDatabase, told: Asking, most: int | None) -> dict[str, Any]:
    """Answer a question.

    Args:
        most: the number of rows that are wanted, all if None.
    """
    talk = _talk(opened, told.conversation)
    before = tuple(talk.turns)
    answer = talk.ask(told.question, options=told.options)
    if answer.status == "error":  # is the query wrong, or is the database gone?
        opened.check()
        answer = replace(answer, reason=opened.unplaced(answer.reason or ""))
    shown = _shown(answer, talk, most)
    if told.explain:
        explained = opened.connection.explain(told.question, before, told.options)
        shown["explanation"] = explained and explained.to_json()
    return shown


def choose(opened: OpenDatabase, told: Choosing, most: int | None) -> dict[str, Any]:
    """Take another reading of the last question."""
    talk = _judging(opened, told.conversation)
    return _shown(talk.choose(told.place, of=told.of), talk, most)


def correct(opened: OpenDatabase, told: Correcting, rows: Rows, most: int | None) -> dict[str, Any]:
    """Take somebody's own query, which found ``rows``, in place of the last answer's."""
    talk = _judging(opened, told.conversation)
    return _shown(talk.correct(told.sql, rows), talk, most)


def own_query(opened: OpenDatabase, told: Judging) -> str | None:
    """Return the query that is called right and never was an answer, None if it was one.

    Anybody may write the JSON of a conversation: such a query is only learnt once it has run.

    Raises:
        InputError: nothing is kept for this role.
    """
    if opened.connection.feedback is None:
        hint = "start the server with --feedback FILE"
        raise InputError("what is said of answers is not kept here", field="feedback", hint=hint)
    talk = _judging(opened, told.conversation)
    if not talk.turns or told.verdict != "right":
        return None
    last = talk.turns[-1]
    answer = opened.connection.ask(last.utterance, before=talk.turns[:-1])
    options = answer.clarification.options if answer.clarification else ()
    given = (answer.sql, *(one.sql for one in (*answer.alternatives, *options)))
    return None if last.sql in given else last.sql


def judge(opened: OpenDatabase, told: Judging) -> dict[str, Any]:
    """Keep what somebody says of the last answer; see `own_query`, which comes first."""
    judged = _judging(opened, told.conversation).judge(told.verdict)
    return {"question": judged.question, "verdict": judged.verdict}


def complete(opened: OpenDatabase, text: str) -> dict[str, Any]:
    """Return values that begin with the last words of a text, as many of these as there can be.

    Each has ``start``, where it begins in the text.
    """
    starts = [word.start for word in QuestionText(text).words][-_WORDS:]
    for start in starts:
        if found := opened.connection.values(text[start:]):
            told = [{"value": value, "table": table, "column": column} for value, table, column in found]
            return {"values": [{**one, "start": start} for one in told]}
    return {"values": []}


def _talk(opened: OpenDatabase, told: Talk | None) -> Conversation:
    user = opened.role.name
    if told is None:
        return opened.connection.conversation(user=user)
    return Conversation.from_json(told.told, opened.connection, user=user)


def _judging(opened: OpenDatabase, told: Talk) -> Conversation:
    """Return a conversation of which something is said, to be kept where anything is.

    Raises:
        InputError: the file of feedback is full.
    """
    kept = opened.connection.feedback
    if kept is not None and kept.stamp[1] > _MOST_KEPT:
        hint = "whoever runs the server moves it away"
        raise InputError("the file of what is said of answers is full", field="feedback", hint=hint)
    return _talk(opened, told)


def _shown(answer: Answer, talk: Conversation, most: int | None) -> dict[str, Any]:
    return {"answer": answer_json(answer, most), "conversation": talk.to_json()}
