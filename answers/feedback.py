"""Feedback: the verdicts of users on answers, in a file of JSON lines that is also a file of solved questions.

{"question": "how many orders are there?", "sql": "SELECT COUNT(*) FROM orders", "verdict": "right", "time": "…", …}

Lines are only appended: the verdict on a question holds until a later line on the same question replaces it.
"""

import json
import os
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Literal, get_args

from ..data.domains.dialogues import Turn
from ..data.errors import InputError, did_you_mean
from ..data.texts import UnreadableError, json_of

Verdict = Literal["right", "wrong", "corrected", "taken back"]
"""``corrected``: the query is right and replaces the one of the answer; ``taken back``: the verdict is withdrawn."""

_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Judged:
    """The verdict of a user on the answer to a question.

    Attributes:
        sql: the query that is right or wrong.
        before: the earlier turns of the conversation, the latest last.
        user: the name of the user.
        database: the fingerprint of the schema, see `Schema.fingerprint`.
        time: the time of the verdict, in ISO 8601 with its zone.
    """

    question: str
    sql: str
    verdict: Verdict
    before: tuple[Turn, ...] = ()
    user: str = ""
    database: str = ""
    time: str = ""

    @property
    def solves(self) -> bool:
        """Is it a solved question that needs no earlier turns?"""
        return self.verdict in ("right", "corrected") and not self.before

    @property
    def key(self) -> tuple[str, ...]:
        """Return the key of the question, see `question_key`."""
        return question_key(self.question, self.before)


def question_key(question: str, before: Sequence[Turn]) -> tuple[str, ...]:
    """Return a key that is equal for equal questions after equal turns, regardless of case and white space."""
    return tuple(" ".join(text.casefold().split()) for text in (question, *(turn.utterance for turn in before)))


class Feedback:
    """A file of verdicts, which is created with the first verdict.

    Several processes may append to it. A killed process leaves a whole line or a truncated last line, and the next
    verdict begins on a new line.

    Args:
        path: the path of the file.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def stamp(self) -> tuple[int, int]:
        """Return a stamp that changes whenever the file does."""
        with suppress(FileNotFoundError):
            status = self.path.stat()
            return status.st_mtime_ns, status.st_size
        return 0, 0

    def add(self, judged: Judged) -> None:
        """Write a verdict; it is on the disk when this returns.

        Raises:
            InputError: the file cannot be written.
        """
        now = judged.time or datetime.now(UTC).isoformat(timespec="seconds")
        data = asdict(replace(judged, time=now))
        data["before"] = [{"question": turn.utterance, "sql": turn.sql} for turn in judged.before]
        line = json.dumps(data, ensure_ascii=False).encode() + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path) as stream:
                end = stream.seek(0, os.SEEK_END)
                torn = end > 0 and stream.seek(end - 1) and stream.read(1) != b"\n"
                stream.write(b"\n" + line if torn else line)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", file=self.path, field="feedback") from error

    def standing(self) -> list[Judged]:
        """Return the verdicts that hold, see `standing`; the list is empty where there is no file yet.

        Raises:
            InputError: the file cannot be read, or as from `standing`.
        """
        try:
            return standing(self.path.read_bytes(), self.path)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=self.path, field="feedback") from error


def standing(data: bytes, file: Path) -> list[Judged]:
    """Return the verdict that holds for each question of a file, in the order of the lines.

    Raises:
        InputError: a line is no verdict.

    Warns:
        UserWarning: a truncated line was skipped.
    """
    verdicts = dict[tuple[str, ...], Judged]()
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            judged = _read(json_of(line), file, number)
        except UnreadableError:
            warnings.warn(f"{file}:{number}: cut short, left out", stacklevel=2)
            continue
        verdicts.pop(judged.key, None)
        if judged.verdict != "taken back":
            verdicts[judged.key] = judged
    return list(verdicts.values())


def _read(data: Any, file: Path, line: int) -> Judged:
    def text(name: str, data: Any, default: str | None = None) -> str:
        value = data.get(name, default) if isinstance(data, dict) else None
        if not isinstance(value, str):
            raise InputError("missing, or no text", file=file, line=line, field=name, hint="see docs/conversation.md")
        return value

    verdict = text("verdict", data, "right")  # a line of a file of solved questions has no verdict
    if verdict not in _VERDICTS:
        hint = did_you_mean(verdict, _VERDICTS) or f"use {', '.join(_VERDICTS)}"
        raise InputError(f"no verdict {verdict!r}", file=file, line=line, field="verdict", hint=hint)
    turns = data.get("before") if isinstance(data.get("before"), list) else []
    before = tuple(Turn(text("question", turn), text("sql", turn)) for turn in turns)
    named = {name: text(name, data, "") for name in ("user", "database", "time")}
    return Judged(text("question", data), text("sql", data), verdict, before, **named)


@contextmanager
def _locked(path: Path) -> Generator[IO[bytes]]:
    """Open a file for appending under a lock, readable for its owner alone: questions may name people."""
    with open(path, "a+b", opener=lambda name, flags: os.open(name, flags, 0o600)) as stream:
        with suppress(ImportError):  # Windows has no such locks, but each line is written in one piece
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX)
        yield stream
