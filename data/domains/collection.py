"""Question-SQL pairs on many databases, for a parser that reads the schema.

As in Spider (Yu et al. 2018), ``tables.json`` stands beside ``train_spider.json``, ``dev.json`` and, if at hand,
``test.json``; databases are ``database/DB_ID/DB_ID.sqlite``.

Parts are by database: held-out questions are on databases that no training sees, in any collection. CHASE has many of
Spider's databases under the same ids.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from ..databases.schema_readers import from_sqlite
from ..errors import DomainError, SchemaError, did_you_mean
from ..parsing import tidy
from ..records import Record, file_in, read_json
from ..schema.ddl_writer import merged
from ..schema.schema import Column, ForeignKey, Schema, Table

_CHASE_FILES = ("chase_train.json", "chase_dev.json", "chase_test.json")


def _read_dialogues(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield database, question and query of the turns that stand alone.

    These are first turns, and the ``final`` question where it is none of the turns: CHASE itself repeats the
    last turn there, which hangs on the turns before it.

    Raises:
        DomainError: there is no such file, or it is not laid out so.
    """
    files = [folder / name for name in _CHASE_FILES if (folder / name).is_file()]
    for file in files or [file_in(folder, _CHASE_FILES[0])]:
        for dialogue in Record({"dialogues": read_json(file)}, file).objects("dialogues"):
            database = dialogue.text("db_id")
            turns = dialogue.objects("interaction")
            if not turns:
                raise dialogue.error(f"a dialogue on {database!r} without turns", "interaction")
            alone = [turns[0]]
            if "query" in (final := dialogue.table("final", "write a turn, or leave it out")):
                last = Record(final, file)
                alone += [last] * (last.text("utterance") not in {turn.text("utterance") for turn in turns})
            yield from ((database, turn.text("utterance"), turn.text("query")) for turn in alone)


COLLECTION_FORMATS: Mapping[str, str] = {"spider": "en", "cspider": "zh", "chase": "zh"}
"""The prefixes of a spec, with the language of the questions; all but CHASE have the same layout."""

_HELD_OUT_SHARE = 0.105
_SALT = "held-out "


_RawPair = tuple[str, str, str, str]
"""Database, question, query and evidence."""


@dataclass(frozen=True)
class Pair:
    """One question and its query, with strings in single quotes.

    Attributes:
        database: a key of `Collection.schemas`.
        evidence: the hint that comes with the question, as in BIRD.
    """

    id: str
    database: str
    question: str
    sql: str
    evidence: str = ""


@dataclass(frozen=True)
class Collection:
    """Pairs on many databases; `databases` has a SQLite file for those that come with one."""

    name: str
    language: str
    pairs: tuple[Pair, ...]
    schemas: Mapping[str, Schema]
    databases: Mapping[str, Path]

    def part(self, part: Literal["train", "held-out"]) -> Collection:
        """Return the pairs, schemas and files of the databases of one part."""
        wanted = {name for name in self.schemas if is_held_out(name) == (part == "held-out")}
        return replace(
            self,
            pairs=tuple(pair for pair in self.pairs if pair.database in wanted),
            schemas={name: schema for name, schema in self.schemas.items() if name in wanted},
            databases={name: file for name, file in self.databases.items() if name in wanted},
        )


def is_held_out(database: str) -> bool:
    """Is a database kept out of training? Its id alone decides, the same in every collection and on every machine."""
    place = int.from_bytes(hashlib.sha256((_SALT + database).encode()).digest()[:8], "big") / 2**64
    return place < _HELD_OUT_SHARE


def read_collection(spec: str | Path, *, language: str | None = None) -> Collection:
    """Read ``spider:FOLDER``, ``cspider:FOLDER`` or ``chase:FOLDER``.

    Args:
        spec: the folder has the pairs, ``tables.json`` and, if at hand, ``database/DB_ID/DB_ID.sqlite``.
        language: of the questions; None takes the format's usual one.

    Raises:
        DomainError: no such format, a file is missing or not laid out so, or pairs are on an unknown database.
        SchemaError: ``tables.json`` or a database cannot be read.
    """
    kind, colon, path = str(spec).partition(":")
    if not colon or kind not in COLLECTION_FORMATS:
        hint = (did_you_mean(kind, COLLECTION_FORMATS) if colon else None) or "write one as spider:FOLDER"
        raise DomainError(f"no format of collections in {str(spec)!r}", field="collection", hint=hint)
    folder = Path(path)
    tables = file_in(folder, "tables.json")
    names = [row.text("db_id") for row in Record({"databases": read_json(tables)}, tables).objects("databases")]
    databases = {name: folder / "database" / name / f"{name}.sqlite" for name in names}
    schemas = {name: _schema(tables, name, file) for name, file in databases.items()}
    if kind == "chase":
        raw: Iterable[_RawPair] = ((*one, "") for one in _read_dialogues(folder))
    else:
        raw = (
            (one.text("db_id"), one.text("question"), one.text("query"), one.text("evidence", ""))
            for one in pair_records(folder)
        )
    return Collection(
        name=folder.resolve().name,
        language=language or COLLECTION_FORMATS[kind],
        pairs=tuple(_pairs(raw, schemas, folder)),
        schemas=schemas,
        databases={name: file for name, file in databases.items() if file.is_file()},
    )


def named_as(collection: Collection, other: Collection) -> Collection:
    """Describe tables and columns by the names that the same databases have in another collection.

    CHASE has databases of Spider with Chinese names: so questions of one language meet names of another.
    """
    schemas = {
        name: _described(schema, other.schemas[name]) if name in other.schemas else schema
        for name, schema in collection.schemas.items()
    }
    return replace(collection, schemas=schemas)


def _described(schema: Schema, other: Schema) -> Schema:
    """Return a schema with another one's names as descriptions; as it is where their tables are not alike."""
    if [len(table.columns) for table in schema.tables] != [len(table.columns) for table in other.tables]:
        return schema
    tables = tuple(
        replace(
            table,
            description=theirs.description or theirs.name,
            columns=tuple(
                replace(column, description=named.description or named.name)
                for column, named in zip(table.columns, theirs.columns, strict=True)
            ),
        )
        for table, theirs in zip(schema.tables, other.tables, strict=True)
    )
    return replace(schema, tables=tables)


def _schema(tables: Path, name: str, file: Path) -> Schema:
    described = from_spider(tables, name)
    try:
        return merged(from_sqlite(file), described) if file.is_file() else described
    except SchemaError as error:
        raise SchemaError(error.problem, file=file, field=name, hint=error.hint) from error


def _pairs(raw: Iterable[_RawPair], schemas: Mapping[str, Schema], folder: Path) -> Iterator[Pair]:
    names = {name: schema.names for name, schema in schemas.items()}
    numbers: Counter[str] = Counter()
    for database, question, sql, evidence in raw:
        if database not in schemas:
            hint = did_you_mean(database, schemas) or "give the tables.json that came with the pairs"
            problem = f"no database {database!r}, which pairs are on"
            raise DomainError(problem, file=folder / "tables.json", field="db_id", hint=hint)
        tidied = tidy(sql, dialect="sqlite", names=names[database])
        yield Pair(f"{database}-{numbers[database]}", database, question.strip(), tidied, evidence)
        numbers[database] += 1


_SPIDER_FILES = ("train_spider.json", "train_others.json", "train.json", "dev.json", "test.json")


def pair_records(folder: Path) -> Iterator[Record]:
    """Yield the pairs of all databases in a folder, file by file.

    Raises:
        DomainError: there is no file of pairs, or one is not laid out so.
    """
    files = [folder / name for name in _SPIDER_FILES if (folder / name).is_file()]
    for file in files or [file_in(folder, _SPIDER_FILES[0])]:
        yield from Record({"pairs": read_json(file)}, file).objects("pairs")


def from_spider(tables_json: str | Path, db_id: str) -> Schema:
    """Read one database of Spider's ``tables.json`` (Yu et al. 2018); natural names become descriptions.

    Raises:
        SchemaError: the file cannot be read, or has no such database.
    """
    path = Path(tables_json)
    databases = _spider_databases(path, path.stat().st_mtime_ns if path.is_file() else 0)
    if db_id not in databases:
        hint = did_you_mean(db_id, databases) or f"it has {', '.join(sorted(databases)[:10])}"
        raise SchemaError(f"no database {db_id!r}", file=path, field="db_id", hint=hint)
    try:
        return _spider_schema(databases[db_id])
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise SchemaError(f"database {db_id!r} is not laid out as Spider's: {error!r}", file=path) from error


@lru_cache(maxsize=4)  # a collection reads thousands of databases, one by one
def _spider_databases(path: Path, _changed: int) -> dict[str, dict[str, Any]]:
    rows: Any = read_json(path, SchemaError)
    if not isinstance(rows, list) or not all(isinstance(row, dict) and "db_id" in row for row in rows):
        raise SchemaError("not a list of databases with a db_id each", file=path, field="db_id")
    return {str(row["db_id"]): row for row in rows}


def _spider_schema(data: dict[str, Any]) -> Schema:
    originals: list[list[Any]] = data["column_names_original"]
    named: list[str] = data["table_names_original"]
    columns, primary = defaultdict[int, list[Column]](list), defaultdict[int, list[str]](list)
    foreign = defaultdict[int, list[ForeignKey]](list)
    for place, (owner, name) in enumerate(originals):
        columns[owner].append(Column(name, data["column_types"][place], data["column_names"][place][1]))
    for place in (i for key in data["primary_keys"] for i in (key if isinstance(key, list) else [key])):
        primary[originals[place][0]].append(originals[place][1])
    for one, other in data["foreign_keys"]:
        (owner, name), (target, referred) = originals[one], originals[other]
        foreign[owner].append(ForeignKey((name,), named[target], (referred,)))
    tables = (
        Table(name, tuple(columns[i]), tuple(primary[i]), tuple(foreign[i]), data["table_names"][i])
        for i, name in enumerate(named)
    )
    return Schema(tuple(tables), data["db_id"])
