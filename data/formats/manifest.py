"""``domain.toml``, the front page of a domain folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from ..domains.domain import DIALECTS, GROUPINGS
from ..domains.shipped import shipped_database
from ..errors import DomainError, did_you_mean
from ..files.database_of_files import database_of_files
from ..files.found import table_files
from ..languages import LANGUAGES
from ..prototypes.rules import Rule, parse_rule
from .files import Record, read_toml

__all__ = ["Manifest"]

_KEYS = (
    *("name", "language", "languages", "dialect", "grouping"),
    *("database", "now", "prototype_dialect", "instances", "fill"),
)
_MAX_INSTANCES = 1000


@dataclass(frozen=True)
class Manifest:
    """What ``domain.toml`` says.

    ``name``, ``language`` and ``dialect`` are due; ``languages`` where there are several, ``database`` (a file,
    relative to the folder, or a URL) to run queries on.

    Attributes:
        now: the moment that «yesterday» is seen from; None where questions name no such times.
        prototype_dialect: of the queries in ``prototypes/``; the domain's own if it is not said.
        instances: pairs that each prototype is filled to.
        fills: the ``[fill]`` table: ways to fill slots that prototypes name.
        grouping: whether the server lets columns stand beside aggregates without GROUP BY; see `Domain`.
        shipped: whether it is of a domain that comes with Querent, whose database has its name.
    """

    file: Path
    name: str
    dialect: str
    languages: tuple[str, ...]
    data: dict[str, Any]
    now: datetime | None = None
    prototype_dialect: str = ""
    instances: int = 5
    fills: Mapping[str, Rule] = field(default_factory=dict[str, Rule])
    grouping: str = "strict"
    shipped: bool = False

    @classmethod
    def read(cls, file: Path, *, shipped: bool) -> Manifest:
        """Read and check the file.

        Raises:
            DomainError: it is no TOML, or a field is unknown, missing or wrong.
        """
        data = read_toml(file)
        record = Record(data, file)
        record.known(_KEYS)
        dialect, language = record.text("dialect"), record.text("language")
        languages: Any = data.get("languages", [language])
        if not isinstance(languages, list) or language not in languages:
            hint = f"list all of them, {language!r} included"
            raise record.error("not a list with the domain's language", "languages", hint)
        written = record.text("prototype_dialect", dialect)
        grouping = record.text("grouping", "strict")
        said = [
            ("dialect", dialect, DIALECTS),
            ("prototype_dialect", written, DIALECTS),
            ("grouping", grouping, tuple(GROUPINGS)),
        ]
        for key, value, choices in (*said, *(("language", x, LANGUAGES) for x in languages)):
            if value not in choices:
                hint = did_you_mean(str(value), choices) or f"use one of {', '.join(choices)}"
                raise record.error(f"no {key.rpartition('_')[2]} {value!r}", key, hint)
        if grouping == "loose" and dialect != "mysql":
            raise record.error(f"{dialect} has no loose grouping", "grouping", "leave it out; only mysql can be loose")
        return cls(
            file=file,
            name=record.text("name"),
            dialect=dialect,
            languages=(language, *(x for x in languages if x != language)),
            data=data,
            now=_now(record),
            prototype_dialect=written,
            instances=_instances(record),
            fills=_fills(record),
            grouping=grouping,
            shipped=shipped,
        )

    def pick(self, language: str | None) -> str:
        """Return ``language`` if the domain has it, its default for None.

        Raises:
            DomainError: it has not.
        """
        if language not in (None, *self.languages):
            hint = f"use {' or '.join(map(repr, self.languages))}"
            raise DomainError(f"no questions in {language!r}", file=self.file, field="language", hint=hint)
        return language or self.languages[0]

    def database(self) -> str | None:
        """Return path or URL of the database; one that ships, or is read from files of tables, is in the cache by now.

        Raises:
            DomainError: there is no such file.
        """
        record = Record(self.data, self.file)
        if self.shipped:
            return str(shipped_database(self.name))
        if "database" not in self.data:
            return None
        text = record.text("database")
        if "://" in text:
            return text
        path = self.file.parent / text
        if path.exists() and (files := table_files(str(path))) is not None:
            return str(database_of_files(files))
        if not path.is_file():
            hint = did_you_mean(path.name, (p.name for p in path.parent.iterdir())) if path.parent.is_dir() else None
            raise record.error(f"no such file as {str(path)!r}", "database", hint)
        return str(path)


def _now(record: Record) -> datetime | None:
    said: object = record.data.get("now")
    if said is None or isinstance(said, datetime):
        return said
    try:
        return datetime.fromisoformat(record.text("now"))
    except ValueError as error:
        hint = 'write now = "2024-03-31 08:00:00"'
        raise record.error(f"{said!r} is no moment", "now", hint) from error


def _instances(record: Record) -> int:
    said: object = record.data.get("instances", 5)
    if not isinstance(said, int) or isinstance(said, bool) or not 1 <= said <= _MAX_INSTANCES:
        raise record.error(f"{said!r} is no number from 1 to {_MAX_INSTANCES}", "instances")
    return said


def _fills(record: Record) -> dict[str, Rule]:
    said: object = record.data.get("fill", {})
    if not isinstance(said, dict):
        raise record.error("not a table", "fill", "write [fill] and below it a line for each name")
    fills: dict[str, Rule] = {}
    for name, value in cast("dict[str, Any]", said).items():
        try:
            fills[name] = parse_rule(value)
        except ValueError as error:
            raise record.error(str(error), f"fill.{name}") from error
    return fills
