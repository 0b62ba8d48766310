"""YAML and JSON files of others as records that know their line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import yaml

from ...data.errors import DomainError
from ...data.formats.files import Record, read_text
from ...data.texts import UnreadableError, json_of, yaml_of

__all__ = ["document", "entries", "inner", "synonyms", "text_in"]


class _Lined(dict[str, Any]):
    """A mapping of a YAML file; ``line`` is where it begins."""

    line = 0


class _Loader(yaml.SafeLoader):
    """Reads mappings as `_Lined`, and dates as the texts that they are."""


def _lined(loader: _Loader, node: yaml.MappingNode) -> _Lined:
    loader.flatten_mapping(node)
    found = _Lined((str(k), v) for k, v in loader.construct_mapping(node, deep=True).items())
    found.line = node.start_mark.line + 1
    return found


_Loader.add_constructor("tag:yaml.org,2002:map", _lined)
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _Loader.construct_yaml_str)


def document(path: Path) -> Record:
    """Return what a YAML or JSON file holds.

    Raises:
        DomainError: it is missing, neither YAML nor JSON, or no mapping of fields.
    """
    text = read_text(path)
    try:
        told: object = _told(text)
    except UnreadableError as error:
        raise DomainError(error.problem, file=path, line=error.line) from error
    if not isinstance(told, dict):
        raise DomainError("no mapping of fields", file=path, hint="see `querent knowledge import --help` for formats")
    return _record(cast("dict[str, Any]", told), path, 0)


def _told(text: str) -> object:
    return json_of(text) if text.lstrip().startswith("{") else yaml_of(text, lambda one: yaml.load(one, _Loader))


def entries(record: Record, field: str) -> list[Record]:
    """Return a field that must be a list of mappings; missing, it is empty.

    Raises:
        DomainError: it is something else.
    """
    told: object = record.data.get(field) or []
    if not isinstance(told, list) or not all(isinstance(one, dict) for one in cast("list[object]", told)):
        raise record.error("not a list of mappings", field)
    return [_record(one, record.file, record.line) for one in cast("list[dict[str, Any]]", told)]


def inner(record: Record, field: str) -> Record:
    """Return a field that must be a mapping; missing, it is empty.

    Raises:
        DomainError: it is something else.
    """
    told: object = record.data.get(field) or {}
    if not isinstance(told, dict):
        raise record.error("not a mapping", field)
    return _record(cast("dict[str, Any]", told), record.file, record.line)


def text_in(record: Record, field: str) -> str:
    """Return an optional text in one line; what is no text is nothing."""
    told: object = record.data.get(field)
    return " ".join(told.split()) if isinstance(told, str) else ""


def synonyms(told: object) -> tuple[str, ...]:
    """Return a list of aliases, or one text of them with commas between."""
    listed: Iterable[object] = told.split(",") if isinstance(told, str) else told if isinstance(told, list) else ()
    return tuple(" ".join(one.split()) for one in listed if isinstance(one, str) and one.strip())


def _record(told: dict[str, Any], file: Path, line: int) -> Record:
    return Record(told, file, told.line if isinstance(told, _Lined) else line)
