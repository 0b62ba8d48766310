"""Read the prototypes: question wordings in each language with one query, slots in braces.

They stand in ``prototypes/*.toml``, one file a theme, for people to edit:

    [[prototype]]
    id = "limits.upper"
    zh = ["{tag0}高报值是多少", …]
    en = ["high alarm setting of {tag0}", …]
    sql = "SELECT high_limit FROM t_rt_info WHERE tag_code = '{tag0}'"
    fill = { time0 = "day" }        # how `fillers` fills a slot, where its type alone does not tell

A slot may stand anywhere in a wording; `numbered` counts the slots of each type by their place in
the question, as the parser will find them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DomainError
from ..examples import SLOT
from .catalogue import HERE, LANGUAGES

__all__ = ["FOLDER", "Prototype", "numbered", "read", "slots"]

FOLDER = HERE / "prototypes"


@dataclass(frozen=True)
class Prototype:
    """One query with the wordings that ask for it.

    Attributes:
        id: ``theme.name``, unique.
        wordings: by language; every wording holds exactly the slots of ``sql``.
        sql: slotted, in canonical form.
        fill: how to fill a slot, by slot.
        file: where it stands.
    """

    id: str
    wordings: Mapping[str, tuple[str, ...]]
    sql: str
    fill: Mapping[str, str]
    file: Path


def read(folder: Path = FOLDER) -> tuple[Prototype, ...]:
    """Return the prototypes of all files, files in order of name.

    Raises:
        DomainError: a file is no TOML, a field is missing, slots do not match, an id comes twice.
    """
    found: dict[str, Prototype] = {}
    for file in sorted(folder.glob("*.toml")):
        try:
            tables: list[dict[str, Any]] = tomllib.loads(file.read_text(encoding="utf-8"))["prototype"]
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise DomainError(f"not TOML: {error}", file=file) from error
        except KeyError as error:
            raise DomainError("no prototypes", file=file, hint="begin each with [[prototype]]") from error
        for table in tables:
            prototype = _prototype(table, file)
            if prototype.id in found:
                raise DomainError(f"{prototype.id!r} is there twice", file=file, field="id")
            found[prototype.id] = prototype
    return tuple(found.values())


def slots(text: str) -> list[str]:
    """Return the slots of ``text`` in order, each once."""
    return list(dict.fromkeys(match[1] + match[2] for match in SLOT.finditer(text)))


def numbered(wording: str) -> dict[str, str]:
    """Return the slot that each slot of ``wording`` becomes when its type is counted from the left."""
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for match in SLOT.finditer(wording):
        slot, kind = match[1] + match[2], match[1]
        if slot not in names:
            names[slot] = f"{kind}{counts.get(kind, 0)}"
            counts[kind] = counts.get(kind, 0) + 1
    return names


def _prototype(table: Mapping[str, Any], file: Path) -> Prototype:
    name = str(table.get("id", "?"))
    for field in ("id", *LANGUAGES, "sql"):
        if not table.get(field):
            raise DomainError(f"prototype {name!r} has none", file=file, field=field)
    sql = str(table["sql"])
    wordings = {language: tuple(_texts(table[language])) for language in LANGUAGES}
    fill = {str(slot): str(how) for slot, how in table.get("fill", {}).items()}
    for wording in (text for texts in wordings.values() for text in texts):
        if set(slots(wording)) != set(slots(sql)):
            raise DomainError(
                f"prototype {name!r}: the slots of {wording!r} are not those of its query",
                file=file,
                hint=f"use {', '.join(slots(sql)) or 'none'}",
            )
    if extra := fill.keys() - set(slots(sql)):
        raise DomainError(f"prototype {name!r} has no slot {min(extra)!r}", file=file, field="fill")
    return Prototype(name, wordings, sql, fill, file)


def _texts(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value
