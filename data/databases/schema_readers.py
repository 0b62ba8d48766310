"""Schemas out of SQLite files, databases behind a URL, DDL scripts and the public sets' own files."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import SchemaError, did_you_mean
from ..records import read_json, read_text
from ..schema.ddl import from_ddl
from ..schema.schema import Column, ForeignKey, Schema, Table
from ..schema.text2sql import from_text2sql
from .live_schemas import from_url
from .sqlite_schema import from_sqlite
from .sqlite_session import sqlite_file

__all__ = ["from_ddl", "from_spider", "from_sqlite", "from_text2sql", "from_url", "read_schema"]


def read_schema(path_or_url: str | Path, dialect: str = "sqlite") -> Schema:
    """Read a schema from a URL, a ``.sql`` script, a text2sql ``.csv``, a schema's ``.json``, or a SQLite file.

    Args:
        path_or_url: where it is; what has no known ending is taken for a SQLite file.
        dialect: of a ``.sql`` script.

    Raises:
        SchemaError: the file is missing or cannot be read.
        DatabaseError: the database behind a URL cannot be reached.
    """
    path = sqlite_file(path_or_url)
    if path is None:
        return from_url(str(path_or_url))
    if "://" in str(path_or_url):
        return from_sqlite(path)
    match path.suffix.lower():
        case ".sql":
            return from_ddl(read_text(path, SchemaError), dialect, name=path.stem, file=path)
        case ".csv":
            return from_text2sql(path)
        case ".json":
            return Schema.from_json(read_json(path, SchemaError))
        case _:
            return from_sqlite(path)


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


@lru_cache(maxsize=4)  # a collection asks for thousands of databases, one by one
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
