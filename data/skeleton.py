"""The skeleton of a domain folder, made from a live database: what ``querent new`` writes.

The folder can be checked, filled and trained on as it stands; a person then adds prototypes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from .aligner import slot_type
from .database import Database
from .ddl_writer import to_ddl
from .domain import Entity
from .errors import DomainError
from .numerals import value_of
from .schema import Column, Schema, Table
from .schema_readers import read_schema
from .starters import starters

__all__ = ["Skeleton", "entities_of", "write_skeleton"]

MOST_VALUES = 2000
"""A column with more different values names no entities that people list: it is an id or free text."""

_LONGEST = 60  # characters of a value that people would say
_SAME = 0.8  # share of a column's values inside another's from which both hold the same kind of thing
_TEXT = re.compile(r"char|text|string|enum|clob|uuid", re.IGNORECASE)
_DIALECTS = {"sqlite": "sqlite", "mysql": "mysql", "mariadb": "mysql", "postgresql": "postgres"}


@dataclass(frozen=True)
class Skeleton:
    """What was written: files, and counts for the report."""

    folder: Path
    files: tuple[str, ...]
    tables: int
    columns: int
    types: dict[str, int]
    prototypes: int


def write_skeleton(folder: Path, database: str, *, language: str = "en", name: str | None = None) -> Skeleton:
    """Write ``domain.toml``, ``schema.sql``, ``entities.jsonl`` and ``prototypes/start.toml``.

    Args:
        folder: made here; must not exist, or be empty.
        database: a SQLite file or a SQLAlchemy URL; it is only read.
        language: of the questions to come, en or zh.
        name: of the domain; the folder's by default.

    Raises:
        DomainError: the folder holds something, or the dialect has no grammar.
        SchemaError: the database has no tables, or cannot be read.
        DatabaseError: it cannot be reached.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DomainError("there is something here already", file=folder, hint="give the name of a new folder")
    dialect = _dialect(database)
    schema = read_schema(database, dialect)
    quote = _quote(schema, dialect)
    with Database.open(database, timeout=60.0, max_rows=MOST_VALUES + 1) as opened:
        entities = entities_of(schema, opened)
    examples = starters(schema, entities, quote=quote, language=language)
    texts = {
        "domain.toml": _manifest(name or folder.name, database, folder, dialect=dialect, language=language),
        "schema.sql": to_ddl(schema, quote),
        "entities.jsonl": "".join(_entity_line(entity) for _, found in entities.items() for entity in found),
        "prototypes/start.toml": examples.text,
    }
    (folder / "prototypes").mkdir(parents=True)
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    types: dict[str, int] = {}
    for entity in (e for found in entities.values() for e in found):
        types[entity.type] = types.get(entity.type, 0) + 1
    return Skeleton(
        folder, tuple(texts), len(schema.tables), sum(1 for _ in schema.columns()), types, examples.prototypes
    )


def entities_of(schema: Schema, database: Database) -> dict[tuple[str, str], tuple[Entity, ...]]:
    """Return the values of text columns as entities, by (table, column) of the column that names their type.

    A column whose values are mostly those of another one, as a foreign key's are, adds no type of its own but the
    values that are missing there.
    """
    values: dict[tuple[str, str], list[str]] = {}
    for table, column in _by_standing(schema):
        found = [str(value).strip() for value in database.distinct(table.name, column.name, MOST_VALUES + 1)]
        if 0 < len(found) <= MOST_VALUES and all(_sayable(value) for value in found):
            values[table.name, column.name] = found
    refers = {
        (table.name, column): (key.table, other)
        for table in schema.tables
        for key in table.foreign_keys
        for column, other in zip(key.columns, key.references, strict=False)
    }
    kinds: dict[str, tuple[tuple[str, str], dict[str, str]]] = {}
    for place, found in values.items():
        lowered = {value.lower(): value for value in found}
        kind = next((k for k, (other, _) in kinds.items() if refers.get(place) == other), None)
        kind = kind or next((k for k, (o, known) in kinds.items() if _alike(place, lowered, o, known)), None)
        if kind is None:
            kind = slot_type(place[1])
            while kind in kinds:  # two columns of one name that hold different things
                kind = slot_type(f"{place[0]}_{kind}")
            kinds[kind] = (place, {})
        known = kinds[kind][1]
        known.update({low: value for low, value in lowered.items() if low not in known})
    return {place: tuple(Entity(v, kind) for v in sorted(known.values())) for kind, (place, known) in kinds.items()}


def _alike(place: tuple[str, str], values: dict[str, str], other: tuple[str, str], known: dict[str, str]) -> bool:
    least = _SAME / 2 if place[1].lower() == other[1].lower() else _SAME
    return len(values.keys() & known.keys()) >= least * len(values)


def _by_standing(schema: Schema) -> Iterator[tuple[Table, Column]]:
    """Yield text columns: keys first, since other columns repeat their values, foreign keys last."""
    foreign = {(t.name, c) for t in schema.tables for key in t.foreign_keys for c in key.columns}
    columns = [(t, c) for t, c in schema.columns() if _TEXT.search(c.type or "text")]
    yield from sorted(columns, key=lambda tc: ((tc[0].name, tc[1].name) in foreign, tc[0].primary_key != (tc[1].name,)))


def _sayable(value: str) -> bool:
    return 0 < len(value) <= _LONGEST and "\n" not in value and value_of(value) is None


def _quote(schema: Schema, dialect: str) -> Callable[[str], str]:
    # The grammar room stands above this one (it needs data.schema), so it is fetched only here, when asked.
    from ..grammar import Grammar

    return Grammar.for_schema(schema, dialect=dialect).quoting.write


def _dialect(database: str) -> str:
    scheme = urlsplit(database).scheme.split("+")[0] if "://" in database else "sqlite"
    if scheme not in _DIALECTS:
        raise DomainError(f"no grammar for {scheme!r}", field="database", hint=f"use one of {', '.join(_DIALECTS)}")
    return _DIALECTS[scheme]


def _entity_line(entity: Entity) -> str:
    return json.dumps({"sql": entity.sql, "type": entity.type, "says": list(entity.says)}, ensure_ascii=False) + "\n"


def _manifest(name: str, database: str, folder: Path, *, dialect: str, language: str) -> str:
    place = database if "://" in database else str(Path(database).resolve())
    return f"""\
# What the parser is trained for. See docs/your-domain.md.
name = {json.dumps(name, ensure_ascii=False)}
language = "{language}"
dialect = "{dialect}"
database = {json.dumps(place, ensure_ascii=False)}

# How many pairs each prototype is filled to, one for each draw of its values.
instances = 10

# «yesterday» and «the last 8 hours» are seen from this moment; leave it out if nobody says such things.
# now = "2024-03-31 08:00:00"

# Ways to fill number and time slots, by a query or a list; prototypes name them: fill = {{ number0 = "floor" }}
[fill]
# floor = "SELECT DISTINCT floor FROM room"
# grade = ["1", "2", "3"]
"""
