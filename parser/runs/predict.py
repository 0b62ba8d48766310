"""Batch prediction: questions stream in, records stream out, a killed run goes on where it stopped.

The output file is also the checkpoint: one JSON record a line, in the order of the questions.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Literal, TypeVar, cast, get_args

from ...answers.answer import Status
from ...data.closing import Closing
from ...data.errors import InputError, LlmError
from ...data.texts import json_of
from .predictor import CanAnswer, Predictor
from .questions import Question

__all__ = ["MAX_UNHEARD", "Tally", "ordered_map", "predict"]

MAX_UNHEARD = 10
"""Questions in a row that a language model gives no answer to, after which it counts as gone."""


@dataclass(frozen=True)
class Tally:
    """What a prediction file holds.

    Attributes:
        ok: records of this status; ``unsure``, ``no_answer`` and ``error`` likewise.
        already: records that were there before this run.
        unheard: records in error because the language model gave no answer; ``again`` asks them anew.
    """

    ok: int
    unsure: int
    no_answer: int
    error: int
    already: int
    unheard: int = 0

    @property
    def questions(self) -> int:
        """All records."""
        return self.ok + self.unsure + self.no_answer + self.error

    def to_json(self) -> dict[str, int]:
        """Return the counts by name."""
        return {"questions": self.questions, **asdict(self)}


def predict(
    connection: CanAnswer,
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
        with asking.twin():  # what cannot be is refused before a file is begun
            pass
    connection.probe()
    place = out.with_name(f"{out.name}.again") if again else out
    with ExitStack() as stack:
        file = stack.enter_context(RecordFile(place, fields=asking.fields, fresh=fresh))
        earlier = stack.enter_context(RecordFile(out, fields=asking.fields)) if again else None
        writer = _Writer(file)
        pairs = ((question, _known(question, file, earlier)) for question in questions)
        for found in stack.enter_context(closing(_answered(pairs, asking, jobs))):
            writer.write(found)
            progress()
        writer.flush()
        file.finish()
        if earlier is not None:
            earlier.finish()
    if again:
        place.replace(out)
    return writer.tally


@dataclass(frozen=True)
class _FoundRecord:
    """The record of a question, and where it comes from: the file itself, the file of before, or an answer."""

    record: dict[str, Any]
    origin: Literal["file", "before", "answer"] = "answer"


def _known(question: Question, file: RecordFile, earlier: RecordFile | None) -> _FoundRecord | None:
    """Return the record that a question has; None if it is to be asked."""
    there = file.known([question])
    before = earlier.known([question]) if earlier else []
    if there:
        return _FoundRecord(there[0], "file")
    return _FoundRecord(before[0], "before") if before and not is_unheard(before[0]) else None


def _answered(
    pairs: Iterable[tuple[Question, _FoundRecord | None]], asking: Predictor, jobs: int
) -> Generator[_FoundRecord]:
    """Yield what is known of each question, or its answer."""

    @contextmanager
    def opened() -> Generator[Callable[[tuple[Question, _FoundRecord | None]], _FoundRecord]]:
        with asking.twin() as own:
            yield lambda pair: pair[1] or _FoundRecord(own.record(_alone(pair[0])))

    if jobs > 1:
        yield from ordered_map(pairs, opened, jobs)
    else:
        for question, known in pairs:
            if known:
                asking.follow(question, known.record)
            yield known or _FoundRecord(asking.record(question))


def _alone(question: Question) -> Question:
    """Return a question that others need not wait for."""
    if question.dialogue:
        problem = (
            f"question {question.id} is a turn of the dialogue {question.dialogue}, which waits for those before it"
        )
        raise InputError(problem, field="jobs", hint="leave it out")
    return question


class _Writer:
    """Writes records in order; holds back those without an answer until the model proves to be there."""

    def __init__(self, file: RecordFile) -> None:
        self._file = file
        self._held: list[dict[str, Any]] = []
        self._unheard = 0
        self._counts: Counter[str] = Counter()

    @property
    def tally(self) -> Tally:
        """Return what was written."""
        count = self._counts
        statuses = (count["ok"], count["unsure"], count["no_answer"], count["error"])
        return Tally(*statuses, already=count["already"], unheard=count["unheard"])

    def write(self, found: _FoundRecord) -> None:
        """Take the next record.

        Raises:
            LlmError: too many in a row have no answer.
        """
        record, new = found.record, found.origin == "answer"
        unheard = is_unheard(record)
        self._counts.update([record["status"], *["already"] * (not new), *["unheard"] * unheard])
        if found.origin == "file":
            return
        self._held.append(record)
        if new:
            self._unheard = self._unheard + 1 if unheard else 0
        if self._unheard == MAX_UNHEARD:
            problem = f"{MAX_UNHEARD} questions in a row got no answer; the last: {record['reason']}"
            raise LlmError(problem, hint="when that is mended, the same call goes on where it stopped")
        if not self._unheard:
            self.flush()

    def flush(self) -> None:
        """Write what is held back."""
        for record in self._held:
            self._file.append(record)
        self._held.clear()


Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 4
"""Items begun or done for each thread before the first of them must be taken: a slow one holds the others up late."""


def ordered_map(
    items: Iterable[Item], opened: Callable[[], AbstractContextManager[Callable[[Item], Result]]], threads: int
) -> Iterator[Result]:
    """Yield the result of each item, in order.

    Args:
        items: read as far ahead as there is work for.
        opened: called in each thread; opens what works there and nowhere else, and closes it in that thread.
        threads: how many items are worked on at a time.

    Raises:
        Exception: what ``opened`` or the work of an item raised, in place of that item's result.
    """
    inbox: SimpleQueue[tuple[Item, Future[Result]] | None] = SimpleQueue()
    # a daemon, so that an interrupt does not wait for a server
    workers = [Thread(target=_work, args=(inbox, opened), daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(Future())
            inbox.put((item, waiting[-1]))
            if len(waiting) == _AHEAD * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        for _ in workers:
            inbox.put(None)
    for worker in workers:
        worker.join()


def _work(
    inbox: SimpleQueue[tuple[Item, Future[Result]] | None],
    opened: Callable[[], AbstractContextManager[Callable[[Item], Result]]],
) -> None:
    try:
        with opened() as work:
            while (task := inbox.get()) is not None:
                _finish(task[1], work, task[0])
    except Exception as error:  # it cannot work at all: whoever waits is to know
        while (task := inbox.get()) is not None:
            if task[1].set_running_or_notify_cancel():
                task[1].set_exception(error)


def _finish(future: Future[Result], work: Callable[[Item], Result], item: Item) -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(work(item))
        except BaseException as error:
            future.set_exception(error)


# ---- the file of records

STATUSES: tuple[Status, ...] = get_args(Status)
_START = b'{"id": '
_OPTIONAL = {"rows": "a database", "explain": "--explain", "attempts": "--llm"}


def is_unheard(record: dict[str, Any]) -> bool:
    """Did the language model of a record give no answer at all, so that it may be worth asking again?"""
    attempts: Any = record.get("attempts")
    return record["status"] == "error" and bool(attempts) and not attempts[-1]["text"]


class RecordFile(Closing):
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

    def __init__(self, path: Path, *, fields: Iterable[str] = (), fresh: bool = False) -> None:
        self.path = path
        self._fields = frozenset(fields)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = path.open("wb" if fresh else "ab")
            self._reader = path.open("rb")
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", file=path, field="--out") from error
        self._line = 0
        self._whole = False

    def close(self) -> None:
        """Close the file."""
        self._reader.close()
        self._writer.close()

    def known(self, questions: Sequence[Question]) -> list[dict[str, Any]]:
        """Return the records that are already there for the first of ``questions``, each checked.

        Raises:
            InputError: a line is no record, or the record of another question or run.
        """
        found: list[dict[str, Any]] = []
        for question in questions:
            line = self._next()
            if line is None:
                break
            found.append(self._checked(line, question))
        return found

    def finish(self) -> None:
        """Check that nothing stands behind the last question's record."""
        if self._next() is not None:
            problem = "a record behind the last question's"
            raise self._wrong(problem)

    def append(self, record: dict[str, Any]) -> None:
        """Write ``record`` behind the ones there are, and hand it to the system before returning."""
        if not self._whole:
            raise RuntimeError("append before the records there were read")
        self._writer.write(
            json.dumps(record, ensure_ascii=False, allow_nan=False).encode(errors="backslashreplace") + b"\n"
        )
        self._writer.flush()

    def _next(self) -> bytes | None:
        """Return the next complete line that was there at the start, or None behind the last one."""
        if self._whole:
            return None
        line = self._reader.readline()
        if line.endswith(b"\n"):
            self._line += 1
            return line
        if line and not (line.startswith(_START) or _START.startswith(line)):
            raise self._wrong("not a prediction record", self._line + 1)
        self._writer.truncate(self._reader.tell() - len(line))
        self._whole = True
        return None

    def _checked(self, line: bytes, question: Question) -> dict[str, Any]:
        try:
            data: Any = json_of(line, halves=True)
        except ValueError:
            data = None
        record = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
        if record.get("status") not in STATUSES:
            raise self._wrong("not a prediction record")
        for field in ("id", "question"):
            here, there = record.get(field), question.id if field == "id" else question.text
            if here != there:
                problem = f"holds {_short(here)} where the questions have {_short(there)}"
                raise self._wrong(problem, field=field)
        for field, option in _OPTIONAL.items():
            if (field in record) != (field in self._fields):
                raise self._wrong(f"written {'with' if field in record else 'without'} {option}", field=field)
        return record

    def _wrong(self, problem: str, line: int | None = None, *, field: str | None = None) -> InputError:
        return InputError(problem, file=self.path, line=line or self._line, field=field, hint=_HINT)


_HINT = "write to another file with --out, or start over with --fresh"


def _short(value: object, limit: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
