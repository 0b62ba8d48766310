"""Reading files of records, with errors that tell file, line and field; and which part a record belongs to.

The **question split** parts questions, so a query pattern may be on both sides; the **query split**
parts query patterns, so that every test query is new (Finegan-Dollak et al. 2018, «Improving
Text-to-SQL Evaluation Methodology»).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from .errors import DomainError, InputError, did_you_mean
from .texts import UnreadableError, json_of, toml_of

Part = Literal["train", "dev", "test"]

PARTS: tuple[Part, ...] = ("train", "dev", "test")
SPLITS = ("question", "query")


def hashed_part(key: str) -> Part:
    """Return the part of ``key``: 80 % train, 10 % dev, 10 % test, the same on every machine."""
    share = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") / 2**64
    return "train" if share < 0.8 else "dev" if share < 0.9 else "test"


def fold_part(fold: str) -> Part:
    """Return the part of a cross-validation fold: 0 is test, 1 is dev, the others are train."""
    return "test" if fold == "0" else "dev" if fold == "1" else "train"


ChoiceT = TypeVar("ChoiceT", bound=object)
T = TypeVar("T")


@dataclass(frozen=True)
class Record:
    """One JSON object or table of TOML, and where it stands.

    Attributes:
        line: 1-based, 0 if unknown.
        name: the beginning of its error messages, if it has one.
    """

    data: Mapping[str, Any] = field(repr=False)
    file: Path
    line: int = 0
    name: str = ""

    def text(self, field: str, default: str | None = None) -> str:
        """Return a field that must be a text and not blank; whole numbers are taken as their digits.

        Raises:
            DomainError: it is missing and has no default, is something else, or is blank.
        """
        value: object = self.data.get(field, default)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and (value.strip() or default == ""):
            return value
        if field not in self.data:
            raise self.error("missing", field, did_you_mean(field, self.data))
        raise self.error(f"{json.dumps(value, ensure_ascii=False)} is not a text with something in it", field)

    def known(self, fields: Sequence[str], hint: str | None = None) -> None:
        """Check that it has no other fields.

        Raises:
            DomainError: it has one.
        """
        for key in self.data:
            if key not in fields:
                near = did_you_mean(key, fields)
                raise self.error("unknown field", key, near or hint or f"fields are {', '.join(fields)}")

    def choice(self, field: str, choices: Collection[ChoiceT], value: object, what: str = "") -> ChoiceT:
        """Return the choice that a field has.

        Args:
            what: the noun for a choice; the field's name if it is empty.

        Raises:
            DomainError: it is none of them.
        """
        for choice in choices:
            if choice == value:
                return choice
        names = [*map(str, choices)]
        hint = did_you_mean(str(value), names) or f"use {' or '.join(names) if len(names) == 2 else ', '.join(names)}"
        raise self.error(f"no {what or field} {value!r}", field, hint)

    def texts(self, field: str, given: object = None) -> tuple[str, ...]:
        """Return a list of texts, none of them blank.

        Args:
            given: what is read in place of the field, which is empty where it is missing.

        Raises:
            DomainError: it is something else.
        """
        found = self.data.get(field, []) if given is None else given
        if not isinstance(found, list) or not all(isinstance(one, str) and one.strip() for one in found):
            raise self.error("not a list of texts", field, f'write {field} = ["…", "…"]')
        return tuple(cast("list[str]", found))

    def whole(self, field: str, low: int, high: int | None, default: int) -> int:
        """Return a whole number between two bounds, the upper of which may be open.

        Raises:
            DomainError: it is something else.
        """
        found: object = self.data.get(field, default)
        if not isinstance(found, int) or isinstance(found, bool) or found < low or (high is not None and found > high):
            bounds = f"from {low} on" if high is None else f"from {low} to {high}"
            raise self.error(f"{found!r} is no whole number {bounds}", field)
        return found

    def truth(self, field: str) -> bool:
        """Return a field that is true or false, by default false.

        Raises:
            DomainError: it is something else.
        """
        found: object = self.data.get(field, False)
        if not isinstance(found, bool):
            raise self.error(f"{found!r} is neither true nor false", field)
        return found

    def moment(self, field: str) -> datetime | None:
        """Return a moment, a day's midnight among them; None where it is missing.

        Raises:
            DomainError: it is none.
        """
        found: object = self.data.get(field)
        try:
            return None if found is None else datetime.fromisoformat(str(found))
        except ValueError as error:
            raise self.error(f"{found!r} is no moment", field, f"write {field} = 2024-03-31 08:00:00") from error

    def objects(self, field: str) -> list[Record]:
        """Return a field that must be a list of JSON objects, here of unknown line; missing, it is empty.

        Raises:
            DomainError: it is something else.
        """
        items: object = self.data.get(field, [])
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise self.error("not a list of JSON objects", field)
        return [Record(item, self.file) for item in cast("list[dict[str, Any]]", items)]

    def table(self, field: str, hint: str | None = None) -> dict[str, Any]:
        """Return a field that must be a table, which JSON calls an object; missing, it is empty.

        Raises:
            DomainError: it is something else.
        """
        found: object = self.data.get(field, {})
        if not isinstance(found, dict):
            raise self.error("not a table", field, hint)
        return {str(key): value for key, value in cast("dict[object, Any]", found).items()}

    def tables(self, field: str, hint: str | None = None) -> dict[str, Record]:
        """Return the tables within a table, each with its path from the top as its name; missing, there are none.

        Raises:
            DomainError: it is something else.
        """
        found: dict[str, Record] = {}
        for key in (inner := Record(self.table(field, hint), self.file, self.line, self.name)).data:
            path = f"{self.name}.{key}" if self.name else key
            found[key] = replace(inner, data=inner.table(key, hint), name=path)
        return found

    def error(self, problem: str, field: str | None = None, hint: str | None = None) -> DomainError:
        """Return an error about this record, to be raised."""
        text = f"{self.name}: {problem}" if self.name else problem
        return DomainError(text, file=self.file, line=self.line or None, field=field, hint=hint)


def read_text(path: Path, error_type: type[InputError] = DomainError) -> str:
    """Return the text of a UTF-8 file.

    Raises:
        InputError: of that type; it is missing or not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise error_type(f"not UTF-8: {error.reason}", file=path, line=line, hint="save the file as UTF-8") from error
    except OSError as error:
        raise error_type(f"cannot be read: {error.strerror}", file=path, hint=_nearest(path)) from error


def read_json(path: Path, error_type: type[InputError] = DomainError) -> Any:
    """Return what a JSON file holds.

    Raises:
        InputError: of that type; it is missing or not JSON.
    """
    return _read(path, json_of, error_type)


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds.

    Raises:
        DomainError: it is missing or not TOML.
    """
    return _read(path, toml_of, DomainError)


def _read(path: Path, parse: Callable[[str], T], error_type: type[InputError]) -> T:
    try:
        return parse(read_text(path, error_type))
    except UnreadableError as error:
        raise error_type(error.problem, file=path, line=error.line) from error


def tables_in(path: Path, key: str) -> list[Record]:
    """Return the tables of an array of a TOML file, ``[[key]]``, each with the line below its head.

    Raises:
        DomainError: the file is missing or not TOML, or has no such array.
    """
    tables: object = read_toml(path).get(key)
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise DomainError(f"no {key}s", file=path, hint=f"begin each with [[{key}]]")
    text = read_text(path)
    heads = (text.count("\n", 0, head.start()) + 2 for head in re.finditer(rf"^\[\[{key}\]\]", text, re.MULTILINE))
    return [Record(table, path, next(heads, 0)) for table in cast("list[dict[str, Any]]", tables)]


def read_jsonl(path: Path) -> Iterator[Record]:
    """Yield the objects of a file with one JSON object a line; blank lines are passed over.

    Raises:
        DomainError: the file is missing, or a line is no JSON object.
    """
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            data: object = json_of(line)
        except UnreadableError as error:
            raise DomainError(error.problem, file=path, line=number, hint="write one JSON object a line") from error
        if not isinstance(data, dict):
            raise DomainError("not a JSON object", file=path, line=number, hint='write {"id": …, "question": …}')
        yield Record(cast("dict[str, Any]", data), path, number)


def file_in(folder: Path, *names: str) -> Path:
    """Return the first of ``names`` that ``folder`` has.

    Raises:
        DomainError: there is no folder, or it has none of them.
    """
    if not folder.is_dir():
        raise DomainError("no such folder", file=folder, hint=_nearest(folder))
    for name in names:
        if (folder / name).is_file():
            return folder / name
    hint = did_you_mean(names[0], (p.name for p in folder.iterdir()))
    raise DomainError("no such file", file=folder / names[0], hint=hint)


def _nearest(path: Path) -> str | None:
    beside = path.parent
    return did_you_mean(path.name, (p.name for p in beside.iterdir())) if beside.is_dir() else None
