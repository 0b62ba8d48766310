"""The work for each kind of request on an open database, in the thread that answers."""

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
"""The most words of an incomplete value."""

_MOST_KEPT = 50_000_000
"""The bytes of a file of feedback, which is read whole whenever it grows; each request may add a megabyte."""


def ask(opened: OpenDatabase, request: Asking, most: int | None) -> dict[str, Any]:
    """Answer a question.

    Args:
        most: the number of rows to return, all if None.
    """
    talk = _talk(opened, request.conversation)
    before = tuple(talk.turns)
    answer = talk.ask(request.question, options=request.options)
    if answer.status == "error":  # is the query wrong, or is the database gone?
        opened.check()
        answer = replace(answer, reason=opened.without_place(answer.reason or ""))
    reply = _reply(answer, talk, most)
    if request.explain:
        explained = opened.connection.explain(request.question, before, request.options)
        reply["explanation"] = explained and explained.to_json()
    return reply


def choose(opened: OpenDatabase, request: Choosing, most: int | None) -> dict[str, Any]:
    """Choose another reading of the last question."""
    talk = _judged_talk(opened, request.conversation)
    return _reply(talk.choose(request.place, of=request.of), talk, most)


def correct(opened: OpenDatabase, request: Correcting, rows: Rows, most: int | None) -> dict[str, Any]:
    """Put a user's own query, which found ``rows``, in place of the last answer's."""
    talk = _judged_talk(opened, request.conversation)
    return _reply(talk.correct(request.sql, rows), talk, most)


def own_query(opened: OpenDatabase, request: Judging) -> str | None:
    """Return the query of a verdict of right that was never an answer, None if it was one.

    The JSON of a conversation may contain any query, so that such a query is learnt only after it has run.

    Raises:
        InputError: there is no file of feedback for this role.
    """
    if opened.connection.feedback is None:
        hint = "start the server with --feedback FILE"
        raise InputError("what is said of answers is not kept here", field="feedback", hint=hint)
    talk = _judged_talk(opened, request.conversation)
    if not talk.turns or request.verdict != "right":
        return None
    last = talk.turns[-1]
    answer = opened.connection.ask(last.utterance, before=talk.turns[:-1])
    options = answer.clarification.options if answer.clarification else ()
    given = (answer.sql, *(one.sql for one in (*answer.alternatives, *options)))
    return None if last.sql in given else last.sql


def judge(opened: OpenDatabase, request: Judging) -> dict[str, Any]:
    """Record a verdict on the last answer, after `own_query`."""
    judged = _judged_talk(opened, request.conversation).judge(request.verdict)
    return {"question": judged.question, "verdict": judged.verdict}


def complete(opened: OpenDatabase, text: str) -> dict[str, Any]:
    """Return the values with the last words of a text as their prefix, and with as many words as possible.

    Each has ``start``, the place of its prefix in the text.
    """
    for start in [word.start for word in QuestionText(text).words][-_WORDS:]:
        if found := opened.connection.values(text[start:]):
            return {"values": [{"value": v, "table": t, "column": c, "start": start} for v, t, c in found]}
    return {"values": []}


def _talk(opened: OpenDatabase, talk: Talk | None) -> Conversation:
    user = opened.role.name
    if talk is None:
        return opened.connection.conversation(user=user)
    return Conversation.from_json(talk.model_dump(), opened.connection, user=user)


def _judged_talk(opened: OpenDatabase, talk: Talk) -> Conversation:
    """Return a conversation for a verdict.

    Raises:
        InputError: the file of feedback is full.
    """
    feedback = opened.connection.feedback
    if feedback is not None and feedback.stamp[1] > _MOST_KEPT:
        hint = "whoever runs the server moves it away"
        raise InputError("the file of what is said of answers is full", field="feedback", hint=hint)
    return _talk(opened, talk)


def _reply(answer: Answer, talk: Conversation, most: int | None) -> dict[str, Any]:
    return {"answer": answer_json(answer, most), "conversation": talk.to_json()}
