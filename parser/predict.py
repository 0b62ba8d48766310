"""Batch prediction: questions stream in, records stream out, a killed run goes on where it stopped."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.errors import ConstraintError, DatabaseError, InputError, QuerentError
from .questions import Question
from .records import RecordFile

if TYPE_CHECKING:
    from ..data.database import Database
    from ..data.schema import Schema
    from .pipeline import Answer, Parser

__all__ = ["Tally", "explained", "predict"]


@dataclass(frozen=True)
class Tally:
    """What a prediction file holds: records by status, and how many were there before this run."""

    ok: int
    no_query: int
    error: int
    already: int

    @property
    def questions(self) -> int:
        """All records."""
        return self.ok + self.no_query + self.error

    def to_json(self) -> dict[str, int]:
        """Return the counts by name."""
        return {"questions": self.questions, **asdict(self)}


def predict(
    parser: Parser,
    questions: Iterable[Question],
    out: Path,
    *,
    beam: int = 1,
    batch_size: int = 32,
    explain: bool = False,
    database: Database | None = None,
    fresh: bool = False,
    progress: Callable[[int], object] = lambda n: None,
) -> Tally:
    """Answer ``questions`` in order into ``out``, one JSON line each, and count the records by status.

    A batch always holds the same questions, whether or not some of them were answered before: so a
    resumed run writes to the last digit what an uninterrupted one would have written. The time of a
    batch (``seconds``) is shared evenly among its questions.

    Args:
        explain: add what each constraint allowed and refused at every step.
        database: execute each query there and add ``columns`` and ``rows``.
        fresh: forget the records that ``out`` holds.
        progress: called with the number of questions done, after each batch.

    Raises:
        InputError: the questions, or the records already in ``out``, are malformed.
        DatabaseError: the database is gone, locked, or another one; what was written before stays.
    """
    counts: Counter[str] = Counter()
    already = 0
    executor = None if database is None else _Executor(database, parser.grammar.schema)
    answerer = _Answerer(parser, beam=beam, explain=explain, executor=executor)
    with RecordFile(out, fields=answerer.fields, fresh=fresh) as file:
        for batch in _batches(questions, batch_size):
            records = file.known(batch)
            already += len(records)
            if len(records) < len(batch):
                for record in islice(answerer.records(batch), len(records), None):
                    file.append(record)
                    records.append(record)
            counts.update(str(record["status"]) for record in records)
            progress(len(batch))
        file.finish()
    return Tally(counts["ok"], counts["no_query"], counts["error"], already)


def explained(answer: Answer) -> dict[str, Any]:
    """Return what the global constraint chose, and what each step allowed and refused."""
    return {
        "global": None if answer.account is None else answer.account.to_json(),
        "steps": [
            {
                "word": step.text,
                "probability": round(step.probability, 6),
                "allowed": step.allowed,
                "forbidden": step.forbidden,
                "forbidden_probability": round(step.mass, 6),
                "refused": [
                    {"word": r.text, "probability": round(r.probability, 6), "reason": r.reason} for r in step.refused
                ],
            }
            for step in answer.steps
        ],
    }


def _batches(questions: Iterable[Question], size: int) -> Iterator[list[Question]]:
    iterator = iter(questions)
    while batch := list(islice(iterator, size)):
        yield batch


class _Answerer:
    """Turns a batch of questions into records."""

    def __init__(self, parser: Parser, *, beam: int, explain: bool, executor: _Executor | None) -> None:
        self._parser, self._beam, self._explain, self._executor = parser, beam, explain, executor
        self.fields = [name for name, on in (("rows", executor is not None), ("explain", explain)) if on]

    def records(self, batch: Sequence[Question]) -> Iterator[dict[str, Any]]:
        """Yield one record a question, in order."""
        start = time.perf_counter()
        problems = [self._parser.problem(question.text) for question in batch]
        found = iter(self._answers([q.text for q, problem in zip(batch, problems, strict=True) if problem is None]))
        answers = [next(found) if problem is None else InputError(problem) for problem in problems]
        share = (time.perf_counter() - start) / len(batch)
        for question, answer in zip(batch, answers, strict=True):
            yield self._record(question, answer, share)

    def _answers(self, texts: list[str]) -> list[Answer | QuerentError]:
        """Answer all at once; if one of them cannot be answered, each alone, so that it costs only itself."""
        if not texts:
            return []
        try:
            return [*self._parser(texts, beam=self._beam, batch_size=len(texts), explain=self._explain)]
        except (InputError, ConstraintError) as error:
            if len(texts) == 1:
                return [error]
            return [answer for text in texts for answer in self._answers([text])]

    def _record(self, question: Question, answer: Answer | QuerentError, seconds: float) -> dict[str, Any]:
        start = time.perf_counter()
        record: dict[str, Any] = {"id": question.id, "question": question.text, **_outcome(answer)}
        if self._executor is not None:
            record |= {"columns": None, "rows": None, "truncated": None}
            if record["status"] == "ok":
                record |= self._executor(record["sql"])
        if self._explain:
            record["explain"] = None if isinstance(answer, QuerentError) else explained(answer)
        record["seconds"] = round(seconds + time.perf_counter() - start, 4)
        return record


def _outcome(answer: Answer | QuerentError) -> dict[str, Any]:
    """Return the fields ``sql`` to ``reason``."""
    nothing = {"sql": None, "score": None}
    if isinstance(answer, QuerentError):
        status = "no_query" if isinstance(answer, ConstraintError) else "error"
        reason = f"{answer.problem} ({answer.hint})" if answer.hint else answer.problem
        return {**nothing, "status": status, "reason": reason}
    if answer.problem is not None:
        return {**nothing, "status": "no_query", "reason": answer.problem}
    return {"sql": answer.sql, "score": round(answer.score, 6), "status": "ok", "reason": None}


class _Executor:
    """Runs queries, and tells a query that fails from a database that does."""

    def __init__(self, database: Database, schema: Schema) -> None:
        self._database = database
        self._probed = next((table.name, column.name) for table, column in schema.columns())
        self._probe()

    def __call__(self, sql: str) -> dict[str, Any]:
        """Return ``columns``, ``rows``, ``truncated``; or what failed, as ``status`` and ``reason``."""
        try:
            found = self._database.query(sql)
        except DatabaseError as error:
            self._probe()
            return {"status": "error", "reason": error.problem}
        rows = [[_plain(value) for value in row] for row in found.rows]
        return {"columns": list(found.columns), "rows": rows, "truncated": found.truncated}

    def _probe(self) -> None:
        """Raise DatabaseError unless the schema's first column can be read."""
        self._database.distinct(*self._probed, limit=1)


def _plain(value: Any) -> Any:
    """Return ``value`` as JSON can hold it: decimals, dates and the like as text, bytes in hexadecimal."""
    if isinstance(value, bytes):
        return value.hex()
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)
