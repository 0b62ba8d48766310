"""Domain folders: ``domain.toml``, ``schema.sql``, ``examples.jsonl`` and, if wanted, ``entities.jsonl``.

Functions of the domain's own stand in ``functions.toml`` (see `functions`).

A domain in several languages has ``examples.LANGUAGE.jsonl`` (``entities.LANGUAGE.jsonl`` likewise).
A folder with ``prototypes/*.toml`` has its examples made of them (see `prototypes`); before that it has none.
An example gives its values filled in, and they are looked for in question and query::

    {"id": "1", "question": "what is TI-101 now", "sql": "SELECT … = 'TI-101'", "prototype": "now"}

or says where they are, which keeps what no search would find::

    {"id": "1", "question": "what is the {tag0} now", "sql": "SELECT … = '{tag0}'", "prototype": "now",
     "values": {"tag0": {"say": "top temperature", "sql": "TI-101"}}}

``split`` (train, dev or test) puts an example into that part under both splits, and
``{"question": …, "query": …}`` into one under each; without it a hash of the id and of the
prototype decide. An example without prototype has its slotted query for one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from ..domains.domain import Domain, Entity
from ..domains.examples import SLOT, Example, fill_sql
from ..domains.splits import Part, hashed_part
from ..errors import did_you_mean
from ..prototypes.reader import FOLDER as PROTOTYPES
from ..values.aligner import align
from .entities import Gazetteer, read_entities
from .files import Record, file_in, read_jsonl
from .functions import schema_in
from .manifest import Manifest
from .slotting import Slotted, SlotValue, fill
from .sql_text import names_of, tidy

__all__ = ["read"]

_FIELDS = ("id", "question", "sql", "prototype", "split", "values", "tags")
_NAME = re.compile(r"\{(?P<name>[A-Za-z_][A-Za-z_0-9]*?\d+)\}")


def read(path: str | Path, *, language: str | None = None, shipped: bool = False) -> Domain:
    """Read a domain folder.

    Args:
        path: the folder.
        language: one of the domain's languages; None takes the first.
        shipped: whether it comes with Querent; the database that ships under its name is then its own.

    Raises:
        DomainError: a file is missing, or a line or field is wrong.
        SchemaError: ``schema.sql`` cannot be read.
    """
    folder = Path(path)
    manifest = Manifest.read(file_in(folder, "domain.toml"), shipped=shipped)
    language = manifest.pick(language)
    schema = schema_in(folder, manifest.dialect)
    names = (f"examples.{language}.jsonl", "examples.jsonl")
    unfilled = (folder / PROTOTYPES).is_dir() and not any((folder / name).is_file() for name in names)
    records = [] if unfilled else list(read_jsonl(file_in(folder, *names)))
    entities: tuple[Entity, ...] = ()
    for name in (f"entities.{language}.jsonl", "entities.jsonl"):
        if not entities and (folder / name).is_file():
            entities = read_entities(folder / name)
    examples = _Examples(records, manifest.dialect, language, names_of(schema), entities, manifest.now)
    return Domain(
        name=manifest.name,
        language=language,
        dialect=manifest.dialect,
        schema=schema,
        examples=examples.read(),
        entities=entities,
        database=manifest.database(),
        source=manifest.name if shipped else str(path),
        now=manifest.now,
        grouping=manifest.grouping,
    )


@dataclass
class _Examples:
    """The lines of an examples file, and what is needed to read them."""

    records: list[Record]
    dialect: str
    language: str
    names: frozenset[str]
    entities: tuple[Entity, ...]
    now: datetime | None

    def read(self) -> tuple[Example, ...]:
        texts = [r.data["sql"] for r in self.records if isinstance(r.data.get("sql"), str) and "values" not in r.data]
        self.gazetteer = Gazetteer(self.entities, [self._tidy(text) for text in texts], self.dialect)
        lines: dict[str, int] = {}
        examples: list[Example] = []
        for record in self.records:
            example = self._example(record)
            first = lines.setdefault(example.id, record.line)
            if first != record.line:
                raise record.error(f"{example.id!r} is taken", "id", f"it stands on line {first} too")
            examples.append(example)
        return tuple(examples)

    def _tidy(self, sql: str) -> str:
        return tidy(sql, dialect=self.dialect, names=self.names)

    def _example(self, record: Record) -> Example:
        record.known(_FIELDS, f"put notes of your own under 'tags'; fields are {_FIELDS}")
        name = record.text("id")
        filled = self._explicit(record) if "values" in record.data else self._aligned(record)
        try:
            sql = fill_sql(filled.slotted, filled.values)
        except ValueError as error:
            raise record.error(str(error), "sql", "put the slot in quotes") from error
        prototype = record.text("prototype") if "prototype" in record.data else filled.slotted
        question_split, query_split = _parts(record, name, prototype)
        return Example(
            id=name,
            question=filled.question,
            sql=sql,
            slotted=filled.slotted,
            values=filled.values,
            prototype=prototype,
            question_split=question_split,
            query_split=query_split,
            line=record.line,
            tags=_tags(record),
        )

    def _aligned(self, record: Record) -> Slotted:
        question, sql = record.text("question"), self._tidy(record.text("sql"))
        for field, text in (("question", question), ("sql", sql)):
            if slot := SLOT.search(text):
                hint = f'add "values": {{"{slot[0][1:-1]}": {{"say": …, "sql": …}}}}'
                raise record.error(f"slot {slot[0]} has no value", field, hint)
        known = self.gazetteer.mentions(question, sql)
        types = self.gazetteer.type_of
        slotted, values = align(
            question, sql, dialect=self.dialect, language=self.language, types=types, known=known, now=self.now
        )
        return Slotted(question, slotted, values)

    def _explicit(self, record: Record) -> Slotted:
        values = _values(record)
        question, sql = record.text("question"), self._tidy(record.text("sql"))
        for field, text in (("question", question), ("sql", sql)):
            for slot in _NAME.finditer(text):
                if slot["name"] not in values:
                    hint = did_you_mean(slot["name"], values) or "add it to 'values'"
                    raise record.error(f"slot {slot[0]} has no value", field, hint)
        for name in values:
            if "{" + name + "}" not in question:
                raise record.error(
                    f"value {name!r} stands nowhere in the question", "values", f"write {{{name}}} there"
                )
        return fill(question, sql, values, names=_NAME, language=self.language, align=None, now=self.now)


def _values(record: Record) -> dict[str, SlotValue]:
    given: object = record.data["values"]
    if not isinstance(given, dict):
        raise record.error("not an object", "values", 'write {"tag0": {"say": …, "sql": …}}')
    values: dict[str, SlotValue] = {}
    for name, data in cast("dict[str, Any]", given).items():
        if not isinstance(data, dict):
            raise record.error("not an object", f"values.{name}", 'write {"say": …, "sql": …}')
        if not _NAME.fullmatch("{" + name + "}"):
            raise record.error("not a slot's name", f"values.{name}", "write a type and a number, like tag0")
        value = Record(cast("dict[str, Any]", data), record.file, record.line)
        values[name] = SlotValue(name.rstrip("0123456789"), value.text("say"), value.text("sql"))
    return values


def _parts(record: Record, name: str, prototype: str) -> tuple[Part, Part]:
    split: object = record.data.get("split")
    both = {} if split is None else {"question": split, "query": split}
    told = cast("Mapping[str, object]", split) if isinstance(split, dict) else both
    question, query = told.get("question", hashed_part(name)), told.get("query", hashed_part(prototype))
    return record.part("split", question), record.part("split", query)


def _tags(record: Record) -> dict[str, str]:
    tags: object = record.data.get("tags", {})
    if not isinstance(tags, dict):
        raise record.error("not an object", "tags", 'write {"name": "text"}')
    return {str(k): str(v) for k, v in cast("dict[object, object]", tags).items()}
