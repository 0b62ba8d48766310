"""Batch prediction: questions stream in, records stream out, a killed run goes on where it stopped.

The output file is also the checkpoint: one JSON record a line, in the order of the questions.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from ..answers.answer import MAX_UNHEARD, Answer, Status
from ..data.closing import Closing
from ..data.domains.dialogues import Turn
from ..data.errors import InputError, LlmError
from ..data.texts import json_of
from ..ner.language.question import validated_question
from ..parser.answering.asking import USUAL, AskOptions
from .connection import Connection
from .questions import Question

Record = dict[str, Any]


@dataclass
class Tally:
    """What a prediction file holds.

    Attributes:
        ok: records of this status; ``unsure``, ``no_answer`` and ``error`` likewise.
        already: records that were there before this run.
        unheard: records in error because the language model gave no answer; ``again`` asks them anew.
    """

    ok: int = 0
    unsure: int = 0
    no_answer: int = 0
    error: int = 0
    already: int = 0
    unheard: int = 0

    @property
    def questions(self) -> int:
        """All records."""
        return self.ok + self.unsure + self.no_answer + self.error

    def count(self, record: Record, *, already: bool) -> None:
        """Count a record, which may have been there before."""
        setattr(self, record["status"], getattr(self, record["status"]) + 1)
        self.already += already
        self.unheard += _is_unheard(record)

    def to_json(self) -> dict[str, int]:
        """Return the counts by name."""
        return {"questions": self.questions, **asdict(self)}


class Predictor:
    """Makes a record of each question; the turns of a dialogue are answered with those before them.

    Args:
        connection: answers the questions.
        beam: the number of hypotheses that a parser's search follows; the parser's own number if None.
        explain: whether records explain how a parser came to its query.

    Attributes:
        fields: the optional fields of its records (``rows``, ``explain``, ``attempts``).

    Raises:
        InputError: ``beam`` or ``explain`` is given for a language model.
    """

    def __init__(self, connection: Connection, *, beam: int | None = None, explain: bool = False) -> None:
        self._connection, self._explain = connection, explain
        self._options = USUAL if beam is None else AskOptions(beam=beam)
        self._dialogue, self._turns = "", list[Turn]()
        if connection.parser is None and (explain or beam is not None):
            field = "explain" if explain else "beam"
            raise InputError("means nothing to a language model", field=field, hint="leave it out")
        there = {"rows": connection.database is not None, "explain": explain, "attempts": connection.parser is None}
        self.fields = {name for name, on in there.items() if on}

    def follow(self, question: Question, record: Record) -> None:
        """Take a question and its record for the last turn of its dialogue, as what comes next may lean on it."""
        if question.dialogue != self._dialogue:
            self._dialogue, self._turns = question.dialogue, []
        if question.dialogue and record["sql"] is not None and record["status"] != "error":
            self._turns.append(Turn(question.text, record["sql"], confidence=record["confidence"]))

    def record(self, question: Question) -> Record:
        """Return the record of a question; one that cannot be asked has one that says why.

        Raises:
            DatabaseError: the database is gone.
            InputError: prompts or examples of a language model cannot be read, or it gets evidence.
        """
        answer, explained = self._answered(question)
        if answer.status == "error":
            self._connection.probe()
        record: Record = {"id": question.id, **answer.to_json(), "question": question.text}
        record["seconds"] = round(answer.seconds, 4)
        if "rows" not in self.fields:
            record = {key: value for key, value in record.items() if key not in ("columns", "rows", "truncated")}
        self.follow(question, record)
        return {**record, "explain": explained} if self._explain else record

    def _answered(self, question: Question) -> tuple[Answer, Record | None]:
        connection, before = self._connection, list(self._turns) if question.dialogue == self._dialogue else []
        try:
            text, evidence = validated_question(question.text), validated_question(question.evidence, field="evidence")
        except InputError as error:
            return connection.refusal(question.text, error.problem), None
        if connection.parser is None:
            if evidence:
                problem = f"evidence beside question {question.id} means nothing to a language model"
                raise InputError(problem, field="evidence", hint="leave it out of the file, or ask a parser")
            return connection.ask(text, before), None
        options = replace(self._options, evidence=evidence) if evidence else self._options
        try:
            answer = connection.ask(text, before, options)
            explained = connection.explain(text, before, options) if self._explain and answer.sql else None
            return answer, explained and explained.to_json()
        except InputError as error:  # a language that no parser here reads
            return connection.refusal(question.text, str(error)), None


def predict(
    connection: Connection,
    questions: Iterable[Question],
    out: Path,
    *,
    beam: int | None = None,
    explain: bool = False,
    fresh: bool = False,
    again: bool = False,
    jobs: int = 1,
    progress: Callable[[], object] = lambda: None,
) -> Tally:
    """Answer ``questions`` in order into ``out``, one JSON line each, and count the records by status.

    A question that a language model gives no answer to costs its own record. After `MAX_UNHEARD` of them in a row the
    model counts as gone: none of these is written, so that the same call asks them first.

    Args:
        connection: the database and who answers, of `connect` or `connect_llm`; without a database records have no
            rows.
        beam: hypotheses that a parser's search follows; its own number if None.
        explain: add what a parser read, and what it refused beside each word.
        fresh: forget the records that ``out`` holds.
        again: ask those questions anew that a language model gave no answer to. The records are written to a file
            beside ``out``, ``.again`` behind its name, which takes its place at the end.
        jobs: questions that are asked at a time, of a language model behind a server.
        progress: called after each question.

    Raises:
        InputError: the questions, or the records already in ``out``, are malformed; options do not go together.
        DatabaseError: the database is gone, or another one; what was written before stays.
        LlmError: the language model is gone; what was written before stays.
    """
    if again and fresh:
        raise InputError("forgets what is to be asked again", field="fresh", hint="leave out fresh, or again")
    asking = Predictor(connection, beam=beam, explain=explain)
    if jobs > 1:
        with connection.twin():  # what cannot be is refused before a file is begun
            pass
    connection.probe()
    place = out.with_name(f"{out.name}.again") if again else out
    tally, held, unheard = Tally(), list[Record](), 0
    with ExitStack() as stack:
        file = stack.enter_context(_RecordFile(place, asking.fields, fresh=fresh))
        earlier = stack.enter_context(_RecordFile(out, asking.fields)) if again else None
        pairs = ((question, _known(question, file, earlier)) for question in questions)
        for record, origin in stack.enter_context(closing(_answered(pairs, asking, connection, jobs))):
            tally.count(record, already=origin != "answer")
            progress()
            if origin == "file":
                continue
            held.append(record)
            if origin == "answer":
                unheard = unheard + 1 if _is_unheard(record) else 0
            if unheard == MAX_UNHEARD:
                problem = f"{MAX_UNHEARD} questions in a row got no answer; the last: {record['reason']}"
                raise LlmError(problem, hint="when that is mended, the same call goes on where it stopped")
            if not unheard:  # the model is there
                file.append(held)
        file.append(held)
        for one in filter(None, (file, earlier)):
            one.finish()
    if again:
        place.replace(out)
    return tally


_Found = tuple[Record, str]
"""A record, and where it comes from: the ``file`` itself, the file from ``before``, or an ``answer``."""


def _known(question: Question, file: _RecordFile, earlier: _RecordFile | None) -> _Found | None:
    """Return the record that a question has; None if it is to be asked."""
    there, before = file.known(question), earlier.known(question) if earlier else None
    if there is not None:
        return there, "file"
    return None if before is None or _is_unheard(before) else (before, "before")


def _answered(
    pairs: Iterator[tuple[Question, _Found | None]], asking: Predictor, connection: Connection, jobs: int
) -> Generator[_Found]:
    """Yield what is known of each question, or its answer."""
    if jobs > 1:
        yield from side_by_side(pairs, connection.twin, _found_alone, jobs)
        return
    for question, known in pairs:
        if known:
            asking.follow(question, known[0])
        yield known or (asking.record(question), "answer")


def _found_alone(connection: Connection, pair: tuple[Question, _Found | None]) -> _Found:
    """Return what is known of a question that others need not wait for, or its answer."""
    question, known = pair
    if question.dialogue:
        where = f"question {question.id} is a turn of the dialogue {question.dialogue}"
        raise InputError(f"{where}, which waits for those before it", field="jobs", hint="leave it out")
    return known or (Predictor(connection).record(question), "answer")


Item = TypeVar("Item")
Tool = TypeVar("Tool")
Result = TypeVar("Result")

_AHEAD = 4
"""Items begun or done for each thread before the first of them must be taken: a slow one holds the others up late."""


def side_by_side(
    items: Iterable[Item],
    opened: Callable[[], AbstractContextManager[Tool]],
    work: Callable[[Tool, Item], Result],
    threads: int,
) -> Generator[Result]:
    """Yield the result of each item, in order; an error of ``work`` is raised in the place of its result.

    Args:
        items: read as far ahead as there is work for.
        opened: opens the tool of a thread, which is used and closed in that thread alone.
        work: makes a result of a thread's tool and an item.
        threads: how many items are worked on at a time.
    """
    waiting: deque[Future[Result]] = deque()
    with ExitStack() as stack:
        lanes: list[tuple[ThreadPoolExecutor, Tool]] = []
        for _ in range(threads):
            lane, own = stack.enter_context(ThreadPoolExecutor(1)), ExitStack()
            tool = lane.submit(opened).result()
            lanes.append((lane, lane.submit(own.enter_context, tool).result()))
            stack.callback(lane.submit, own.close)
        stack.callback(lambda: [future.cancel() for future in waiting])
        for number, item in enumerate(items):
            lane, tool = lanes[number % threads]
            waiting.append(lane.submit(work, tool, item))
            if len(waiting) == _AHEAD * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


# ---- the file of records

_STATUSES: tuple[Status, ...] = get_args(Status)
_START = b'{"id": '
_OPTIONAL = {"rows": "a database", "explain": "--explain", "attempts": "--llm"}


def _is_unheard(record: Record) -> bool:
    """Did the language model of a record give no answer at all, so that it may be worth asking again?"""
    attempts: Any = record.get("attempts")
    return record["status"] == "error" and bool(attempts) and not attempts[-1]["text"]


class _RecordFile(Closing):
    """A file of records that goes on where a killed run stopped.

    Records that are already there are read once, in step with the questions they must belong to; only
    then is the last line cut off, if it was left torn. Nothing else is ever removed.

    Args:
        path: the file; it and its folder are made if they are not there.
        fields: the optional fields of this run (``rows``, ``explain``, ``attempts``), which older records must share.
        fresh: forget what is there.

    Raises:
        InputError: the file cannot be written.
    """

    def __init__(self, path: Path, fields: set[str], *, fresh: bool = False) -> None:
        self._path, self._fields, self._line = path, fields, 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            self._stream = path.open("w+b" if fresh else "r+b")
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", file=path, field="--out") from error

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def known(self, question: Question) -> Record | None:
        """Return the record that is already there for the next question, checked; None behind the last one.

        Raises:
            InputError: the line is no record, or the record of another question or run.
        """
        start, line = self._stream.tell(), self._stream.readline()
        if line.endswith(b"\n"):
            self._line += 1
            return self._checked(line, question)
        if line and not (line.startswith(_START) or _START.startswith(line)):
            raise self._wrong("not a prediction record", self._line + 1)
        self._stream.seek(start)
        self._stream.truncate()
        return None

    def append(self, records: list[Record]) -> None:
        """Write records behind those that were read, and hand them to the system; the list is empty afterwards."""
        for record in records:
            text = json.dumps(record, ensure_ascii=False, allow_nan=False)
            self._stream.write(text.encode(errors="backslashreplace") + b"\n")
        self._stream.flush()
        records.clear()

    def finish(self) -> None:
        """Check that nothing stands behind the last question's record."""
        if self._stream.readline():
            raise self._wrong("a record behind the last question's", self._line + 1)

    def _checked(self, line: bytes, question: Question) -> Record:
        try:
            data: Any = json_of(line, halves=True)
        except ValueError:
            data = None
        record = cast(Record, data) if isinstance(data, dict) else {}
        if record.get("status") not in _STATUSES:
            raise self._wrong("not a prediction record")
        for field, there in (("id", question.id), ("question", question.text)):
            if (here := record.get(field)) != there:
                raise self._wrong(f"holds {_short(here)} where the questions have {_short(there)}", field=field)
        for field, option in _OPTIONAL.items():
            if (field in record) != (field in self._fields):
                raise self._wrong(f"written {'with' if field in record else 'without'} {option}", field=field)
        return record

    def _wrong(self, problem: str, line: int | None = None, *, field: str | None = None) -> InputError:
        hint = "write to another file with --out, or start over with --fresh"
        return InputError(problem, file=self._path, line=line or self._line, field=field, hint=hint)


def _short(value: object, limit: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
