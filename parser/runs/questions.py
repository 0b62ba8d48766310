"""Questions from a file, one at a time: ``.txt``, ``.csv``, ``.jsonl``, or ``-`` for standard input."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from ...data.errors import InputError, did_you_mean
from ...data.texts import UnreadableError, json_of

__all__ = ["STDIN", "Question", "count_questions", "read_questions"]

STDIN = "-"


@dataclass(frozen=True)
class Question:
    """One question; ``id`` is the file's own, else its 1-based rank, ``line`` is where it stands.

    ``evidence`` is what the file tells beside it: formulas for this question alone. Those with the same
    ``dialogue``, one behind the other, are turns of one conversation; empty where a question stands alone.
    """

    id: str
    text: str
    line: int
    evidence: str = ""
    dialogue: str = ""


def read_questions(source: str | Path, *, stdin: BinaryIO | None = None) -> Iterator[Question]:
    """Yield the questions of ``source`` in order, holding one line at a time.

    A ``.txt`` file and standard input have one question a line (an empty line is an empty question), a
    ``.csv`` file a column ``question``, a ``.jsonl`` file an object with ``question`` a line; the last two
    may also bring an ``id``, ``evidence`` and ``dialogue``.

    Raises:
        InputError: the file is missing, of another kind, or a line is malformed.
    """
    if str(source) == STDIN:
        yield from _from_text(_decoded(stdin or sys.stdin.buffer, STDIN), STDIN)
        return
    path = Path(source)
    reader = _reader(path)
    with _opened(path) as stream:
        yield from reader(_decoded(stream, path), path)


def count_questions(source: str | Path) -> int | None:
    """Read ``source`` through and return how many questions it holds; None for standard input.

    Raises:
        InputError: as `read_questions`, so a malformed line is found before any work is done.
    """
    return None if str(source) == STDIN else sum(1 for _ in read_questions(source))


_Lines = Iterable[tuple[int, str]]


def _reader(path: Path) -> Callable[[_Lines, Path], Iterator[Question]]:
    readers: dict[str, Callable[[_Lines, str | Path], Iterator[Question]]] = {
        ".txt": _from_text,
        ".csv": _from_csv,
        ".jsonl": _from_jsonl,
    }
    try:
        return readers[path.suffix.lower()]
    except KeyError:
        hint = did_you_mean(path.suffix, readers) or "name it .txt, .csv or .jsonl"
        raise InputError(
            f"questions cannot be read from a {path.suffix or 'bare'} file", file=path, hint=hint
        ) from None


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise InputError("no such file", file=path, hint=did_you_mean(path.name, beside)) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error


def _decoded(stream: BinaryIO, source: str | Path) -> Iterator[tuple[int, str]]:
    """Yield each line with its number; read as bytes, so that a decoding error has a line."""
    with nullcontext(stream):
        for number, raw in enumerate(stream, start=1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                problem = f"byte {error.start + 1} of the line is not UTF-8"
                raise InputError(problem, file=source, line=number, hint="save the file as UTF-8") from None
            yield number, line


def _from_text(lines: _Lines, source: str | Path) -> Iterator[Question]:
    for number, line in lines:
        yield Question(str(number), line.rstrip("\r\n"), number)


def _from_csv(lines: _Lines, source: str | Path) -> Iterator[Question]:
    reader = csv.reader((line for _, line in lines), strict=True)
    header: list[str] | None = None
    rank = 0
    while True:
        start = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            raise InputError(f"not CSV: {error}", file=source, line=start) from None
        if header is None:
            header = _header(row, source)
        elif row:
            rank += 1
            yield _from_row(row, header, rank=rank, line=start, source=source)
    if header is None:
        raise InputError("empty, without a header", file=source, line=1, field="question")


def _header(row: list[str], source: str | Path) -> list[str]:
    header = [name.strip().lower() for name in row]
    if "question" not in header:
        hint = did_you_mean("question", header) or "give the file a header with a column 'question'"
        raise InputError("no such column", file=source, line=1, field="question", hint=hint)
    return header


def _from_row(row: list[str], header: list[str], *, rank: int, line: int, source: str | Path) -> Question:
    if len(row) != len(header):
        problem = f"{len(row)} fields where the header has {len(header)}"
        raise InputError(problem, file=source, line=line, hint="put a text with commas in double quotes")
    cells = dict(zip(header, row, strict=True))
    more = (cells.get(name, "").strip() for name in ("evidence", "dialogue"))
    return Question(cells.get("id", "").strip() or str(rank), cells["question"], line, *more)


def _from_jsonl(lines: _Lines, source: str | Path) -> Iterator[Question]:
    rank = 0
    for number, line in lines:
        if line.strip():
            rank += 1
            yield _from_object(line, rank=rank, number=number, source=source)


def _from_object(line: str, *, rank: int, number: int, source: str | Path) -> Question:
    try:
        data: Any = json_of(line, halves=True)
    except UnreadableError as error:
        raise InputError(error.problem, file=source, line=number, hint="write one object a line") from None
    if not isinstance(data, dict):
        problem = f"a JSON {type(data).__name__} where an object is needed"
        raise InputError(problem, file=source, line=number, hint='write {"question": "…"}')
    record = cast("dict[str, Any]", data)
    if "question" not in record:
        hint = did_you_mean("question", record) or 'write {"question": "…"}'
        raise InputError("no such field", file=source, line=number, field="question", hint=hint)
    texts = {name: record.get(name) or "" for name in ("question", "evidence")}
    for name, text in texts.items():
        if not isinstance(text, str):
            problem = f"{type(text).__name__} where a text is needed"
            raise InputError(problem, file=source, line=number, field=name)
    ids = {name: _id(record, name, number, source) for name in ("id", "dialogue")}
    evidence = _whole(texts["evidence"]).strip()
    return Question(ids["id"] or str(rank), _whole(texts["question"]), number, evidence, ids["dialogue"])


def _id(record: dict[str, Any], field: str, number: int, source: str | Path) -> str:
    """Return a text or number that tells a question or a dialogue from others; nothing where there is none."""
    given = record.get(field)
    if given is not None and not isinstance(given, (str, int)):
        problem = f"{type(given).__name__} where a text or a number is needed"
        raise InputError(problem, file=source, line=number, field=field)
    return "" if given is None else _whole(str(given))


def _whole(text: str) -> str:
    """Replace half characters (lone surrogates, as cut-off JSON escapes leave them): no file can hold them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
