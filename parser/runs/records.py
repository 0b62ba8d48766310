"""The output file of a prediction, which is also its checkpoint: one JSON record a line, in input order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast, get_args

from ...answers.answer import Status
from ...data.closing import Closing
from ...data.errors import InputError
from ...data.texts import json_of
from .questions import Question

__all__ = ["STATUSES", "RecordFile", "is_unheard"]

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
