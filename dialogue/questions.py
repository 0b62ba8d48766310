"""Questions from a file, one at a time: ``.txt``, ``.csv``, ``.jsonl``, or ``-`` for standard input."""

import csv
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..data.errors import InputError, did_you_mean
from ..data.texts import UnreadableError, json_of

_STDIN = "-"
Source = str | Path
Lines = Iterable[tuple[int, str]]
Fields = Iterator[tuple[int, Mapping[str, Any]]]
"""The fields of each question, with the line where it begins."""


@dataclass(frozen=True)
class Question:
    """One question of a file.

    Attributes:
        id: the id that the file gives it, else its 1-based rank.
        line: the line where it begins.
        evidence: formulas for this question alone, as the file gives them.
        dialogue: names the conversation of which it is a turn; empty where a question stands alone.
    """

    id: str
    text: str
    line: int
    evidence: str = ""
    dialogue: str = ""


def read_questions(source: Source, *, stdin: BinaryIO | None = None) -> Iterator[Question]:
    """Yield the questions of ``source`` in order, holding one line at a time.

    A ``.txt`` file and standard input have one question a line (an empty line is an empty question), a
    ``.csv`` file a column ``question``, a ``.jsonl`` file an object with ``question`` a line; the last two
    may also bring an ``id``, ``evidence`` and ``dialogue``.

    Raises:
        InputError: the file is missing, of another kind, or a line is malformed.
    """
    if str(source) == _STDIN:
        fields, opened = _of_text, nullcontext(stdin or sys.stdin.buffer)
    else:
        fields, opened = _reader(Path(source)), _opened(Path(source))
    with opened as stream:
        for rank, (line, record) in enumerate(fields(_decoded(stream, source), source), start=1):
            texts = {name: _text(record, name, line, source) for name in ("id", "question", "evidence", "dialogue")}
            name, evidence = texts["id"].strip() or str(rank), texts["evidence"].strip()
            yield Question(name, texts["question"], line, evidence, texts["dialogue"].strip())


def count_questions(source: Source) -> int | None:
    """Read ``source`` through and return how many questions it holds; None for standard input.

    Raises:
        InputError: as `read_questions`, so a malformed line is found before any work is done.
    """
    return None if str(source) == _STDIN else sum(1 for _ in read_questions(source))


def _reader(path: Path) -> Callable[[Lines, Source], Fields]:
    readers = {".txt": _of_text, ".csv": _of_csv, ".jsonl": _of_jsonl}
    kind = path.suffix.lower()
    if kind not in readers:
        hint = did_you_mean(path.suffix, readers) or "name it .txt, .csv or .jsonl"
        raise InputError(f"questions cannot be read from a {path.suffix or 'bare'} file", file=path, hint=hint)
    return readers[kind]


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise InputError("no such file", file=path, hint=did_you_mean(path.name, beside)) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error


def _decoded(stream: BinaryIO, source: Source) -> Iterator[tuple[int, str]]:
    """Yield each line with its number; read as bytes, so that a decoding error has a line."""
    for number, raw in enumerate(stream, start=1):
        try:
            yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            problem = f"byte {error.start + 1} of the line is not UTF-8"
            raise InputError(problem, file=source, line=number, hint="save the file as UTF-8") from None


def _of_text(lines: Lines, source: Source) -> Fields:
    yield from ((number, {"question": line.rstrip("\r\n")}) for number, line in lines)


def _of_csv(lines: Lines, source: Source) -> Fields:
    reader, header, start = csv.reader((line for _, line in lines), strict=True), list[str](), 1
    try:
        for row in reader:
            if not header:
                header = [name.strip().lower() for name in row]
                if "question" not in header:
                    hint = did_you_mean("question", header) or "give the file a header with a column 'question'"
                    raise InputError("no such column", file=source, line=1, field="question", hint=hint)
            elif row:
                if len(row) != len(header):
                    problem = f"{len(row)} fields where the header has {len(header)}"
                    raise InputError(problem, file=source, line=start, hint="put a text with commas in double quotes")
                yield start, dict(zip(header, row, strict=True))
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", file=source, line=start) from None
    if not header:
        raise InputError("empty, without a header", file=source, line=1, field="question")


def _of_jsonl(lines: Lines, source: Source) -> Fields:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            record: Any = json_of(line, halves=True)
        except UnreadableError as error:
            raise InputError(error.problem, file=source, line=number, hint="write one object a line") from None
        if not isinstance(record, dict):
            problem = f"a JSON {type(record).__name__} where an object is needed"
            raise InputError(problem, file=source, line=number, hint='write {"question": "…"}')
        if "question" not in record:
            hint = did_you_mean("question", record) or 'write {"question": "…"}'
            raise InputError("no such field", file=source, line=number, field="question", hint=hint)
        yield number, record


def _text(record: Mapping[str, Any], field: str, line: int, source: Source) -> str:
    """Return a field, empty where there is none; what tells one question from another may be a number.

    Half characters (lone surrogates, as cut-off JSON escapes leave them) are replaced: no file can hold them.
    """
    found = record.get(field)
    if isinstance(found, int) and field in ("id", "dialogue"):
        found = str(found)
    if not isinstance(found, str | None):
        wanted = "a text or a number" if field in ("id", "dialogue") else "a text"
        raise InputError(f"{type(found).__name__} where {wanted} is needed", file=source, line=line, field=field)
    return (found or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
