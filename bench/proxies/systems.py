"""The systems that are compared: each question alone, with what came before, with a user who answers and corrects."""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import querent
from querent.data.answer import Answer
from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.domains.dialogues import Turn
from querent.data.feedback import Feedback
from querent.data.schema.schema import Schema
from querent.dialogue.conversation import Conversation, Talks

from .judging import equal, faults

__all__ = ["SYSTEMS", "System", "asked", "talked"]


@dataclass(frozen=True)
class System:
    """What a system knows and what its user does.

    Attributes:
        utterances, query: whether a question is read with the earlier ones, and with the query before.
        examples: whether solved questions of the same database are followed.
        clarifies: whether the user answers what is asked back.
        corrects: whether the user puts a wrong query right, so that the next question leans on the right one.
    """

    utterances: bool = True
    query: bool = True
    examples: bool = False
    clarifies: bool = False
    corrects: bool = False


SYSTEMS: Mapping[str, System] = {
    "alone": System(utterances=False, query=False),
    "state": System(),
    "state, examples": System(examples=True),
    "state, no query": System(query=False),
    "state, no utterances": System(utterances=False),
    "feedback": System(clarifies=True, corrects=True),
    "feedback, no clarification": System(corrects=True),
    "feedback, no correction": System(clarifies=True),
}


class _Recalling:
    """A connection that is told only a part of what came before."""

    def __init__(self, connection: Talks, system: System) -> None:
        self._connection, self._system = connection, system

    @property
    def database(self) -> Database | None:
        return self._connection.database

    @property
    def schema(self) -> Schema:
        return self._connection.schema

    @property
    def feedback(self) -> Feedback | None:
        return self._connection.feedback

    def ask(self, question: str, *, beam: int = 4, evidence: str = "", before: Sequence[Turn] = ()) -> Answer:
        kept = [
            Turn(turn.utterance * self._system.utterances, turn.sql * self._system.query)
            for turn in before
            if self._system.utterances or self._system.query
        ]
        return self._connection.ask(question, beam=beam, evidence=evidence, before=kept)

    def query(self, sql: str) -> Rows:
        return self._connection.query(sql)


def asked(parser: Path | None, systems: Sequence[str], talks: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a record of each turn under each system.

    Args:
        parser: a saved one, the shipped one if None.
        talks: dialogues, each with its database's ``file`` and, for systems with examples, its ``solved`` questions.
    """
    for file in dict.fromkeys(talk["file"] for talk in talks):
        own = [(number, talk) for number, talk in enumerate(talks) if talk["file"] == file]
        for examples in sorted({SYSTEMS[system].examples for system in systems}):
            solved = own[0][1]["solved"] if examples else None
            with querent.connect(file, parser=parser, examples=solved) as connection:
                for system in (one for one in systems if SYSTEMS[one].examples == examples):
                    for number, talk in own:
                        told = {"system": system, "dialogue": number, "database": talk["database_id"]}
                        records = talked(connection, SYSTEMS[system], talk["interaction"])
                        yield from (told | record for record in records)


def talked(connection: Talks, system: System, turns: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a record of each turn of a dialogue under one system.

    A user who is asked back says nothing more of it where an option was right, nor where the answer was.
    """
    database = connection.database
    assert database is not None
    talk, settled = Conversation(_Recalling(connection, system)), False
    for number, turn in enumerate(turns):
        if turn["kind"] == "reply" and settled and system.clarifies:
            continue
        record = _turn(talk, database, system, turn)
        settled = record["meant"]
        yield {"number": number, "length": len(turns), **record}


def _turn(talk: Conversation, database: Database, system: System, turn: Mapping[str, Any]) -> dict[str, Any]:
    before = len(talk.turns)
    answer = talk.ask(turn["utterance"])
    golds = [database.attempt(sql) for sql in turn.get("readings", [turn["query"]] if turn["query"] else [])]
    meant = database.attempt(turn["query"])
    rows = database.attempt(answer.sql)
    found = answer.clarification
    offered = [] if found is None else [database.attempt(option.sql) for option in found.options]
    right = any(equal(rows, gold, ordered=turn["ordered"]) for gold in golds)
    chosen = [place for place, some in enumerate(offered) if equal(some, meant, ordered=turn["ordered"])]
    taken = bool(system.clarifies and chosen)
    settled = taken or equal(rows, meant, ordered=turn["ordered"])
    if taken and len(talk.turns) > before:
        talk.choose(chosen[0], of="options")
    elif system.corrects and not settled and turn["query"] and "reply" not in turn and len(talk.turns) > before:
        talk.correct(turn["query"])
    others = [*offered, *(database.attempt(one.sql) for one in answer.alternatives), rows]
    return {
        "kind": turn["kind"],
        "template": turn.get("template", ""),
        "question": turn["utterance"],
        "gold": turn["query"],
        "sql": answer.sql,
        "status": answer.status,
        "confidence": round(answer.confidence, 4),
        "right at once": right,
        "right": right or taken,
        "meant": settled,
        "asked": None if found is None else found.kind,
        "right option": bool(chosen),
        "all offered": bool(golds) and all(any(equal(o, g, ordered=False) for o in offered) for g in golds),
        "all found": bool(golds) and all(any(equal(o, g, ordered=False) for o in others) for g in golds),
        "faults": () if right or not turn["query"] else faults(answer.sql, turn["query"]),
        "seconds": round(answer.seconds, 3),
    }
