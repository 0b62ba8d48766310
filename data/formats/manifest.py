"""``domain.toml``, the front page of a domain folder."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..domain import DIALECTS
from ..errors import DomainError, did_you_mean
from .files import Record, read_text

__all__ = ["LANGUAGES", "Manifest"]

LANGUAGES = ("en", "zh")
_KEYS = ("name", "language", "languages", "dialect", "database", "now")
_SHIPPED_KEYS = (*_KEYS, "generator", "seed")


@dataclass(frozen=True)
class Manifest:
    """What ``domain.toml`` says.

    ``name``, ``language`` and ``dialect`` are due; ``languages`` where there are several,
    ``database`` (a file, relative to the folder, or a URL) to run queries on, ``now`` to tell
    readers which moment the questions mean by it.
    """

    file: Path
    name: str
    dialect: str
    languages: tuple[str, ...]
    data: dict[str, Any]

    @classmethod
    def read(cls, file: Path, *, shipped: bool) -> Manifest:
        """Read and check the file.

        Raises:
            DomainError: it is no TOML, or a key is unknown, missing or wrong.
        """
        data = _toml(file)
        keys = _SHIPPED_KEYS if shipped else _KEYS
        for key in data:
            if key not in keys:
                hint = did_you_mean(key, keys) or f"keys are {', '.join(keys)}"
                raise DomainError("unknown key", file=file, field=key, hint=hint)
        record = Record(data, file)
        dialect, language = record.text("dialect"), record.text("language")
        languages: Any = data.get("languages", [language])
        if not isinstance(languages, list) or language not in languages:
            hint = f"list all of them, {language!r} included"
            raise record.error("not a list with the domain's language", "languages", hint)
        for field, value, choices in (("dialect", dialect, DIALECTS), *(("language", x, LANGUAGES) for x in languages)):
            if value not in choices:
                hint = did_you_mean(str(value), choices) or f"use one of {', '.join(choices)}"
                raise record.error(f"no {field} {value!r}", field, hint)
        ordered = (language, *(x for x in languages if x != language))
        return cls(file, record.text("name"), dialect, ordered, data)

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
        """Return path or URL of the database; a shipped domain's is generated if it is not there yet.

        Raises:
            DomainError: there is no such file.
        """
        record = Record(self.data, self.file)
        if "generator" in self.data:
            from ..shipped import generated

            return str(generated(record.text("generator"), name=self.name, seed=int(record.text("seed", "0"))))
        if "database" not in self.data:
            return None
        text = record.text("database")
        if "://" in text:
            return text
        path = self.file.parent / text
        if not path.is_file():
            hint = did_you_mean(path.name, (p.name for p in path.parent.iterdir())) if path.parent.is_dir() else None
            raise record.error(f"no such file as {str(path)!r}", "database", hint)
        return str(path)


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(file))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        raise DomainError(f"not TOML: {error}", file=file, line=int(place[1]) if place else None) from error
