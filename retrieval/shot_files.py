"""Where solved questions come from: what a domain learns from, or a file of JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..data.domains.domain import Domain
from ..data.domains.examples import Example
from ..data.errors import InputError, did_you_mean
from ..data.feedback import standing
from ..data.sql.dialects import translate
from ..data.texts import UnreadableError, json_of
from .shots import Shot

__all__ = ["examples_to_show", "read_shots", "shots_of"]

_FIELDS = ("question", "sql", "program")


def read_shots(file: str | Path) -> list[Shot]:
    """Return the solved questions of a file with ``question``, ``sql`` and, if wanted, ``program`` on each line.

    Of a file of `Feedback` those are left out that were wrong, or lean on others.

    Raises:
        InputError: nothing is there, a line is no such object, or a field is missing or no text.
    """
    path = Path(file)
    try:
        data = path.read_bytes()
        if b'"verdict": "' in data:
            return [Shot(one.question, one.sql) for one in standing(data, path) if one.solves]
        return list(_lines(data.decode("utf-8-sig"), path))
    except OSError as error:
        hint = "give a .jsonl file or a domain"
        raise InputError(f"cannot be read: {error.strerror}", file=file, hint=hint) from error
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error}", file=file, hint="save the file as UTF-8") from error


def examples_to_show(domain: Domain) -> list[Example]:
    """Return a domain's examples of the parts train and dev.

    Raises:
        InputError: there are none.
    """
    examples = [*domain.part("train"), *domain.part("dev")]
    if not examples:
        raise InputError("the domain has no examples to show", file=domain.name, field="examples")
    return examples


def shots_of(domain: Domain, examples: Iterable[Example], *, dialect: str | None = None) -> list[Shot]:
    """Return examples of a domain as solved questions.

    Args:
        dialect: what queries are to be in; None leaves them as they are.

    Raises:
        QueryError: a query cannot be said in the dialect.
    """
    spoken = dialect or domain.dialect
    return [Shot(e.question, translate(e.sql, read=domain.dialect, write=spoken)) for e in examples]


def _lines(text: str, file: Path) -> Iterator[Shot]:
    found = False
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            found = True
            yield _shot(line, file, number)
    if not found:
        raise InputError("no solved question in it", file=file, hint='write {"question": …, "sql": …} on each line')


def _shot(line: str, file: Path, number: int) -> Shot:
    try:
        record: Any = json_of(line)
    except UnreadableError as error:
        raise InputError(error.problem, file=file, line=number, hint="one object a line") from error
    if not isinstance(record, dict):
        raise InputError("not an object", file=file, line=number, hint='write {"question": …, "sql": …}')
    return Shot(*(_field(record, name, file, number) for name in _FIELDS))


def _field(record: dict[str, Any], name: str, file: Path, number: int) -> str:
    value = record.get(name, "" if name == "program" else None)
    if value is None:
        near = next((other for other in record if did_you_mean(other, [name])), None)
        hint = f"rename {near!r}" if near else f"each line needs {name}"
        raise InputError("missing", file=file, line=number, field=name, hint=hint)
    if not isinstance(value, str) or (not value.strip() and name != "program"):
        raise InputError("not a text, or an empty one", file=file, line=number, field=name)
    return value.strip()
