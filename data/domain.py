"""What a person brings to train on: a schema, question-SQL pairs, entities, perhaps a database."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from .errors import DomainError, did_you_mean
from .examples import Example
from .schema import Schema
from .splits import as_part, as_split

__all__ = ["DIALECTS", "FORMATS", "GROUPINGS", "Domain", "Entity", "load_domain"]

DIALECTS = ("sqlite", "mysql", "postgres")
FORMATS = ("folder", "text2sql", "css", "spider")
"""What may stand before the colon of a spec; each is read by the module of that name in `formats`."""

GROUPINGS: Mapping[str, tuple[str, ...]] = {"strict": (), "loose": ("grouping",)}
"""What a server makes of columns outside of GROUP BY, with the rules of the constraint that it does not need:
strict, as PostgreSQL and MySQL with ONLY_FULL_GROUP_BY are, or loose, as MySQL is without it."""

_FORMAT = re.compile(r"([A-Za-z][A-Za-z0-9_]+):(?!//)(.+)", re.DOTALL)  # two letters at least: C:\ is a path


@dataclass(frozen=True)
class Entity:
    """A thing of the domain: ``sql`` is how the database stores it, ``says`` how people call it."""

    sql: str
    type: str
    says: tuple[str, ...] = ()


@dataclass(frozen=True)
class Domain:
    """One database and what is asked of it.

    Attributes:
        name: short name, for reports.
        language: ``en`` or ``zh``, the language of the questions.
        dialect: one of `DIALECTS`.
        schema: the tables.
        examples: question-SQL pairs in the order of their source.
        entities: known values with their spoken forms.
        database: path of a SQLite file or a SQLAlchemy URL; None if there is none to run queries on.
        source: the spec it was loaded from; `load_domain` reads it again.
        now: the moment that «yesterday» is seen from; None where questions name no such times.
        grouping: one of `GROUPINGS`; only MySQL can be loose.
    """

    name: str
    language: str
    dialect: str
    schema: Schema
    examples: tuple[Example, ...]
    entities: tuple[Entity, ...] = ()
    database: str | None = None
    source: str = ""
    now: datetime | None = None
    grouping: str = "strict"

    def part(self, part: str, split: str = "question") -> tuple[Example, ...]:
        """Return the examples of one part (train, dev or test) under one split (question or query).

        Raises:
            DomainError: no such part or split.
        """
        wanted = as_part(part)
        if as_split(split) == "question":
            return tuple(e for e in self.examples if e.question_split == wanted)
        return tuple(e for e in self.examples if e.query_split == wanted)


def load_domain(spec: str | Path, *, language: str | None = None) -> Domain:
    """Read a domain.

    Args:
        spec: a domain folder, the name of a shipped domain (``plant``), or ``FORMAT:PATH`` with a
            format of `FORMATS` (``text2sql:data/geography``, ``css:data/css-yibao``,
            ``spider:data/spider#concert_singer``).
        language: of the questions, where the source has several; None takes its default.

    Raises:
        DomainError: nothing is there, or it cannot be read; the message has file, line and field.
        SchemaError: its schema cannot be read.
    """
    from .formats import css, folder, spider, text2sql
    from .shipped import SHIPPED, load_shipped

    spec = str(spec)
    if spec in SHIPPED:
        return load_shipped(spec, language=language)
    readers = {"folder": folder.read, "text2sql": text2sql.read, "css": css.read, "spider": spider.read}
    match = _FORMAT.fullmatch(spec)
    if match is not None and match[1] in readers:
        return replace(readers[match[1]](match[2], language=language), source=spec)
    if Path(spec).is_dir():
        return replace(folder.read(spec, language=language), source=spec)
    if match is not None:
        hint = did_you_mean(match[1], FORMATS) or f"use one of {', '.join(FORMATS)}"
        raise DomainError(f"no format {match[1]!r} in {spec!r}", field="domain", hint=hint)
    hint = did_you_mean(spec, SHIPPED) or f"give a folder, {', '.join(SHIPPED)}, or FORMAT:PATH"
    raise DomainError("no such domain folder", file=spec, hint=hint)
