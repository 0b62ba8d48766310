"""Batch prediction: questions stream in, records stream out, a killed run goes on where it stopped."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..data.answer import Answer
from ..data.errors import InputError
from .connection import Connection
from .questions import Question
from .records import RecordFile

__all__ = ["MOST_CHARACTERS", "Tally", "predict"]

MOST_CHARACTERS = 2000
"""A longer text is a pasted document and not a question."""


@dataclass(frozen=True)
class Tally:
    """What a prediction file holds: records by status, and how many were there before this run."""

    ok: int
    unsure: int
    no_answer: int
    error: int
    already: int

    @property
    def questions(self) -> int:
        """All records."""
        return self.ok + self.unsure + self.no_answer + self.error

    def to_json(self) -> dict[str, int]:
        """Return the counts by name."""
        return {"questions": self.questions, **asdict(self)}


def predict(
    connection: Connection,
    questions: Iterable[Question],
    out: Path,
    *,
    beam: int = 4,
    explain: bool = False,
    fresh: bool = False,
    progress: Callable[[], object] = lambda: None,
) -> Tally:
    """Answer ``questions`` in order into ``out``, one JSON line each, and count the records by status.

    Args:
        connection: the database and its parser; without a database records have no rows.
        beam: hypotheses that the search follows.
        explain: add what was read, and what was refused beside each word.
        fresh: forget the records that ``out`` holds.
        progress: called after each question.

    Raises:
        InputError: the questions, or the records already in ``out``, are malformed.
        DatabaseError: the database is gone, or another one; what was written before stays.
    """
    counts: Counter[str] = Counter()
    already = 0
    fields = [name for name, on in (("rows", connection.database is not None), ("explain", explain)) if on]
    connection.probe()
    with RecordFile(out, fields=fields, fresh=fresh) as file:
        for question in questions:
            known = file.known([question])
            record = known[0] if known else _record(connection, question, beam=beam, explain=explain)
            if known:
                already += 1
            else:
                file.append(record)
            counts[str(record["status"])] += 1
            progress()
        file.finish()
    return Tally(counts["ok"], counts["unsure"], counts["no_answer"], counts["error"], already)


def _record(connection: Connection, question: Question, *, beam: int, explain: bool) -> dict[str, Any]:
    text = question.text.strip()
    if not text or len(text) > MOST_CHARACTERS:
        short = f"the question has {len(text)} characters; {MOST_CHARACTERS} are the most"
        answer = Answer(question.text, None, status="error", reason=short if text else "the question is empty")
        explained = None
    else:
        try:
            answer = connection.ask(text, beam=beam)
            explained = connection.explain(text, beam=beam).to_json() if explain and answer.sql else None
        except InputError as error:
            answer, explained = Answer(question.text, None, status="error", reason=str(error)), None
    if answer.status == "error":
        connection.probe()
    told: dict[str, Any] = {"id": question.id, **answer.to_json(), "question": question.text}
    told["seconds"] = round(answer.seconds, 4)
    told["rows"] = [[_plain(value) for value in row] for row in answer.rows]
    if connection.database is None:
        told = {key: value for key, value in told.items() if key not in ("columns", "rows", "truncated")}
    return {**told, "explain": explained} if explain else told


def _plain(value: Any) -> Any:
    """Return ``value`` as JSON can hold it: decimals, dates and the like as text, bytes in hexadecimal."""
    if isinstance(value, bytes):
        return value.hex()
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)
