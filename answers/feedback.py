"""What people say of answers, in a file of JSON lines that is also one of solved questions.

{"question": "how many orders are there?", "sql": "SELECT COUNT(*) FROM orders", "verdict": "right", "time": "…", …}

Lines are only ever added, each whole: what a line says of a question holds until a later one says otherwise.
"""

from __future__ import annotations

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

__all__ = ["Feedback", "Judged", "Verdict", "asked_as", "standing"]

Verdict = Literal["right", "wrong", "corrected", "taken back"]
"""``corrected``: the query is right, and not the one that was answered; ``taken back``: nothing is said any more."""

_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Judged:
    """What somebody said of the answer to a question.

    Attributes:
        sql: the query that is right, or that is wrong.
        before: turns of the conversation, the latest last.
        user: who said so.
        database: fingerprint of its schema, see `Schema.fingerprint`.
        time: when, ISO 8601 with its zone.
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
        """Is it a solved question, which stands alone?"""
        return self.verdict in ("right", "corrected") and not self.before

    @property
    def asked(self) -> tuple[str, ...]:
        """Return what tells it from other questions, see `asked_as`."""
        return asked_as(self.question, self.before)


def asked_as(question: str, before: Sequence[Turn]) -> tuple[str, ...]:
    """Return what is the same of a question asked again after the same ones, whatever its case and blanks."""
    return tuple(" ".join(one.casefold().split()) for one in (question, *(turn.utterance for turn in before)))


class Feedback:
    """A file of verdicts; made when the first comes.

    Processes may add to it at once. Of one that is killed a line is in it whole, or cut short at the end of the file,
    where the next goes on below it.

    Args:
        path: of the file.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def stamp(self) -> tuple[int, int]:
        """Return what changes whenever the file does."""
        with suppress(FileNotFoundError):
            found = self.path.stat()
            return found.st_mtime_ns, found.st_size
        return 0, 0

    def add(self, judged: Judged) -> None:
        """Write a verdict; it is on the disk when this returns.

        Raises:
            InputError: the file cannot be written.
        """
        now = judged.time or datetime.now(UTC).isoformat(timespec="seconds")
        told = asdict(replace(judged, time=now))
        told["before"] = [{"question": turn.utterance, "sql": turn.sql} for turn in judged.before]
        line = json.dumps(told, ensure_ascii=False).encode() + b"\n"
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
        """Return what holds, see `standing`; nothing where there is no file yet.

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
    """Return what holds of each question that something was said of in a file, in the order in which it was said.

    Raises:
        InputError: a line is none of such a file.

    Warns:
        UserWarning: a line was cut short, and is left out.
    """
    found = dict[tuple[str, ...], Judged]()
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            judged = _read(json_of(line), file, number)
        except UnreadableError:
            warnings.warn(f"{file}:{number}: cut short, left out", stacklevel=2)
            continue
        found.pop(judged.asked, None)
        if judged.verdict != "taken back":
            found[judged.asked] = judged
    return list(found.values())


def _read(told: Any, file: Path, line: int) -> Judged:
    def text(name: str, data: Any, default: str | None = None) -> str:
        value = data.get(name, default) if isinstance(data, dict) else None
        if not isinstance(value, str):
            raise InputError("missing, or no text", file=file, line=line, field=name, hint="see docs/conversation.md")
        return value

    said = text("verdict", told, "right")  # a file of solved questions is one, too
    if said not in _VERDICTS:
        hint = did_you_mean(said, _VERDICTS) or f"use {', '.join(_VERDICTS)}"
        raise InputError(f"no verdict {said!r}", file=file, line=line, field="verdict", hint=hint)
    turns = told.get("before") if isinstance(told.get("before"), list) else []
    before = tuple(Turn(text("question", one), text("sql", one)) for one in turns)
    named = {name: text(name, told, "") for name in ("user", "database", "time")}
    return Judged(text("question", told), text("sql", told), said, before, **named)


@contextmanager
def _locked(path: Path) -> Generator[IO[bytes]]:
    """Open a file to be added to by nobody else, readable for its owner alone: questions may name people."""
    with open(path, "a+b", opener=lambda name, flags: os.open(name, flags, 0o600)) as stream:
        with suppress(ImportError):  # Windows: there each line is written in one piece all the same
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX)
        yield stream
