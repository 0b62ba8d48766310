"""Questions, gold queries and databases of Spider's training part (Yu et al. 2018), read where they lie."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.databases.schema_readers import from_sqlite
from querent.data.errors import DatabaseError
from querent.data.schema.ddl_writer import to_ddl
from querent.data.schema.schema import Schema
from querent.grammar import Grammar

__all__ = ["Question", "answer", "create_tables", "file_of", "questions", "schema_of", "spread"]

ROWS = 100_000


@dataclass(frozen=True)
class Question:
    """One question of the set; ``place`` is its place in the file, by which results name it."""

    place: int
    database: str
    text: str
    gold: str


def questions(folder: Path) -> list[Question]:
    """Read the questions of a folder with ``train_spider.json``.

    Raises:
        SystemExit: there is no such file.
    """
    file = folder / "train_spider.json"
    if not file.is_file():
        raise SystemExit(f"{file} is missing: --data names the folder of Spider's training part")
    rows = json.loads(file.read_text(encoding="utf-8"))
    return [Question(place, row["db_id"], row["question"], row["query"]) for place, row in enumerate(rows)]


def spread(asked: list[Question], draw: random.Random) -> Iterator[Question]:
    """Yield questions at random, one of each database before a second one of any."""
    of: dict[str, list[Question]] = {}
    for question in asked:
        of.setdefault(question.database, []).append(question)
    for its in of.values():
        draw.shuffle(its)
    while of:
        for name in draw.sample(sorted(of), len(of)):
            yield of[name].pop()
            if not of[name]:
                del of[name]


def file_of(folder: Path, database: str) -> Path:
    """Return the SQLite file of a database."""
    return folder / "database" / database / f"{database}.sqlite"


@cache
def schema_of(folder: Path, database: str) -> Schema:
    """Return the tables of a database as its file has them."""
    return from_sqlite(file_of(folder, database))


def create_tables(schema: Schema) -> str:
    """Return the CREATE TABLE statements of a schema, names quoted where they must be."""
    return to_ddl(schema, Grammar.for_schema(schema, dialect="sqlite").quoting.write)


def answer(folder: Path, database: str, sql: str, timeout: float = 5.0) -> Rows | str:
    """Return what a query gives, or why it does not run."""
    try:
        with Database.open(file_of(folder, database), timeout=timeout, max_rows=ROWS) as opened:
            return opened.query(sql)
    except DatabaseError as error:
        return error.problem
