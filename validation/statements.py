"""Queries out of what people and language models hand over: scripts, code fences, a query a line, JSON lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..data.errors import InputError
from ..data.texts import UnreadableError, json_of

_FENCE = re.compile(r"^[ \t]*```[^`\n]*$", re.MULTILINE)

_PIECE = re.compile(
    r"""'(?:''|;(?![ \t]*$)|[^';])*'|"(?:""|;(?![ \t]*$)|[^";])*"|`[^`;]*`|--[^\n]*|/\*.*?\*/|(?P<end>;)|.""",
    re.DOTALL | re.MULTILINE,
)
"""A ``;`` ends a query unless it is in quotes or in a comment; at the end of a line it always does."""


@dataclass(frozen=True)
class Statement:
    """One query of a file.

    Attributes:
        sql: the query, None where a record has none.
        line: of its first character in the file, 1-based.
        column: of its first character, 1-based.
        record: whether it is a field of the JSON object on this line, so that its own lines are not the file's.
    """

    sql: str | None
    line: int = 1
    column: int = 1
    record: bool = False


def read_statements(
    text: str, *, lines: bool = False, field: str | None = None, file: Path | None = None
) -> list[Statement]:
    """Return the queries of a text, each with its place.

    Of a text with code fences, those within the fences.

    Args:
        lines: one query a line, whatever ends it.
        field: the lines are JSON objects, and the query is this field; null where there is none.
        file: for messages.

    Raises:
        InputError: there is no query, or a line is no object with such a field.
    """
    if field is not None:
        found = list(_records(text, field, file))
    elif lines:
        found = [_stripped(line, number, 1) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    else:
        found = list(_script(text))
    if not found:
        raise InputError("no query in it", file=file, hint="write SELECT …")
    return found


def _records(text: str, field: str, file: Path | None) -> Iterator[Statement]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record: Any = json_of(line)
        except UnreadableError as error:
            raise InputError(error.problem, file=file, line=number, hint="one object a line") from error
        if not isinstance(record, dict) or field not in record:
            raise InputError("no such field", file=file, line=number, field=field, hint="name the query's with --field")
        sql: Any = record[field]
        if sql is not None and not isinstance(sql, str):
            raise InputError("not a text", file=file, line=number, field=field)
        yield Statement(sql, number, record=True)


def _script(text: str) -> Iterator[Statement]:
    for start, part in _fenced(text):
        begin = 0
        ends = [m.end() for m in _PIECE.finditer(part) if m["end"]]
        for end in [*ends, len(part)]:
            query = part[begin:end]
            if re.sub(r"--[^\n]*|/\*.*?\*/|[\s;]+", "", query, flags=re.DOTALL):
                before = text[: start + begin]
                yield _stripped(query, before.count("\n") + 1, len(before) - before.rfind("\n"))
            begin = end


def _fenced(text: str) -> list[tuple[int, str]]:
    """Return the parts between code fences, each with where it starts; the whole text if there are none."""
    fences = list(_FENCE.finditer(text))
    if not fences:
        return [(0, text)]
    if len(fences) == 1 and not text[fences[0].end() :].strip():  # the one that opens was the prompt's
        return [(0, text[: fences[0].start()])]
    closing = [*(f.start() for f in fences[1::2]), *([len(text)] if len(fences) % 2 else [])]
    return [(f.end(), text[f.end() : end]) for f, end in zip(fences[::2], closing, strict=True)]


def _stripped(text: str, line: int, column: int) -> Statement:
    """Return a query without the blanks and the ``;`` around it."""
    blank = text[: len(text) - len(text.lstrip())]
    if "\n" in blank:
        line, column = line + blank.count("\n"), len(blank) - blank.rfind("\n")
    else:
        column += len(blank)
    return Statement(re.sub(r"[\s;]+\Z", "", text[len(blank) :]), line, column)
