"""The files of Spider and its kin (Yu et al. 2018).

``tables.json`` stands beside ``train_spider.json``, ``dev.json`` and, if at hand, ``test.json``; databases are
``database/DB_ID/DB_ID.sqlite``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import SchemaError, did_you_mean
from ..records import Record, file_in, read_json
from ..schema.schema import Column, ForeignKey, Schema, Table

__all__ = ["from_spider", "pair_records"]

_FILES = ("train_spider.json", "train_others.json", "train.json", "dev.json", "test.json")


def pair_records(folder: Path) -> Iterator[Record]:
    """Yield the pairs of all databases in a folder, file by file.

    Raises:
        DomainError: there is no file of pairs, or one is not laid out so.
    """
    files = [folder / name for name in _FILES if (folder / name).is_file()]
    for file in files or [file_in(folder, _FILES[0])]:
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
