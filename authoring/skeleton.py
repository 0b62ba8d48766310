"""Writes the skeleton of a domain folder from a database, for ``querent new``.

The folder can be checked, filled and trained on at once, before people change its prototypes and add their own.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from ..data.databases.database import Database
from ..data.databases.schema_readers import from_ddl, read_schema
from ..data.domains.domain import DIALECTS
from ..data.domains.schema_places import database_place
from ..data.errors import DomainError
from ..data.schema.ddl_writer import to_ddl
from ..data.shipped import DATABASES
from ..data.urls import dialect_of
from ..grammar import Grammar
from ..meaning.description.files import read_description
from ..meaning.profiling import open_profile
from ..sampler import Language
from .entity_types import entities_of
from .starters import starter_text, starters

_INSTANCES = 10  # the pairs of each prototype
_ROWS = 20_000  # the rows of an answer, the same as in `fill_domain`
_SECONDS = 5.0  # the time of a query that becomes a prototype


@dataclass(frozen=True)
class Skeleton:
    """The result of `write_skeleton`: the files, and counts for the report."""

    folder: Path
    files: tuple[str, ...]
    tables: int
    columns: int
    types: dict[str, int]
    prototypes: int


def write_skeleton(
    folder: Path, database: str, *, language: Language = "en", description: Path | None = None
) -> Skeleton:
    """Write ``domain.toml``, ``schema.sql``, ``entities.jsonl`` and ``prototypes/start.toml``.

    Args:
        folder: the new folder, or an empty one.
        database: a SQLite file, files of tables, a SQLAlchemy URL or a shipped one; it is only read.
        language: the language of the questions: en, zh or de.
        description: a description file, see `read_description`: its names in words become descriptions, and hidden
            columns are left out.

    Raises:
        DomainError: the folder is not empty, the dialect has no grammar, or the description has an unknown name.
        SchemaError: the database has no tables, or cannot be read.
        DatabaseError: it cannot be reached.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DomainError("there is something here already", file=folder, hint="give the name of a new folder")
    dialect = dialect_of(database)
    if dialect not in DIALECTS:
        raise DomainError(f"no grammar for {dialect!r}", field="database", hint=f"use one of {', '.join(DIALECTS)}")
    place = database_place(database)
    schema = read_schema(place, dialect)
    if description is not None:
        schema = read_description(description, schema, open_profile(place, schema)).schema
    quote = Grammar.for_schema(schema, dialect=dialect).quoting.write
    ddl = to_ddl(schema, quote)
    with Database.open(place, timeout=60.0, max_rows=_ROWS) as opened:
        found = entities_of(schema, opened)
    written = from_ddl(ddl, dialect)  # the schema as it will be read from the folder
    with Database.open(place, timeout=_SECONDS, max_rows=_ROWS) as opened:
        opened.confine(written)
        chosen = starters(written, opened, found, dialect=dialect, quote=quote, language=language, instances=_INSTANCES)
    entities = [
        json.dumps({"sql": one.sql, "type": one.type, "says": list(one.says)}, ensure_ascii=False)
        for several in found.entities.values()
        for one in several
    ]
    texts = {
        "domain.toml": _manifest(folder.name, database, dialect=dialect, language=language),
        "schema.sql": ddl,
        "entities.jsonl": "".join(f"{line}\n" for line in entities),
        "prototypes/start.toml": starter_text(chosen, list(found.entities)),
    }
    (folder / "prototypes").mkdir(parents=True)
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    types = {kind: len(several) for kind, several in found.entities.items()}
    return Skeleton(folder, tuple(texts), len(schema.tables), sum(1 for _ in schema.columns()), types, len(chosen))


def _manifest(name: str, database: str, *, dialect: str, language: str) -> str:
    named = "://" in database or (database in DATABASES and not Path(database).exists())
    place = database if named else str(Path(database).resolve())
    return f"""\
# What the parser is trained for. See docs/your-domain.md.
name = {json.dumps(name, ensure_ascii=False)}
language = "{language}"
dialect = "{dialect}"
database = {json.dumps(place, ensure_ascii=False)}

# How many pairs each prototype is filled to, one for each draw of its values.
instances = {_INSTANCES}

# «yesterday» and «the last 8 hours» are seen from this moment; leave it out if nobody says such things.
# now = "2024-03-31 08:00:00"

# Ways to fill number and time slots, by a query or a list; prototypes name them: fill = {{ number0 = "floor" }}
[fill]
# floor = "SELECT DISTINCT floor FROM room"
# grade = ["1", "2", "3"]
"""
