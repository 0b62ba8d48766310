"""The five databases that tests share: their tables and rows stand in ``databases/NAME.sql``, for SQLite.

`music` artists and albums; `staff` tables that refer to each other; `shop` customers and orders, times and money in
texts; `lakes` states, rivers and lakes; `wide` names that are hard to write.
"""

import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

from querent.data.databases.schema_readers import read_schema
from querent.data.schema.schema import Schema
from querent.parser.reader.context import DatabaseContext

HOME = Path(__file__).with_name("databases")


def create(file: Path, script: str) -> Path:
    """Write a SQLite file by a script, and return its path."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executescript(script)
    return file


def database(name: str, folder: Path) -> Path:
    """Write one of the five databases as ``folder/NAME.sqlite``, and return its path."""
    return create(folder / f"{name}.sqlite", HOME.joinpath(f"{name}.sql").read_text("utf-8"))


@cache
def schema(name: str) -> Schema:
    """Return the schema of one of the five databases."""
    with tempfile.TemporaryDirectory() as folder:
        return read_schema(database(name, Path(folder)))


@cache
def context(name: str, dialect: str = "sqlite", language: str = "en") -> DatabaseContext:
    """Return one of the five databases as the parser sees it, without its cells."""
    return DatabaseContext.of(schema(name), None, dialect=dialect, language=language)
