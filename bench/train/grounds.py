"""Grounds of invented questions: databases made of schemas and some of their rows, and templates of real questions."""

import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from querent.data.databases.database import Database
from querent.data.databases.sqlite_session import quoted
from querent.data.domains.collection import Collection, from_spider, named_as, read_collection
from querent.data.errors import QuerentError
from querent.data.hashed_folder import read_json
from querent.data.schema.schema import Table
from querent.data.whole_files import write_text
from querent.grammar import Grammar
from querent.parser.normal_form import NormalForm
from querent.sampler import SamplingFrame, Template, mined


def collection_of_rows(folder: Path, out: Path, language: str) -> Collection:
    """Make a SQLite database of each schema in Spider's ``tables.json`` with its rows, and return them without pairs.

    Args:
        folder: has ``tables.json``, and ``rows.json``: {database: {table: rows}}.
        out: where Spider's layout is written.
        language: of the questions to come, empty for English.
    """
    if not (out / "train.json").exists():
        tables, rows = folder / "tables.json", read_json(folder / "rows.json")
        for name in (one["db_id"] for one in read_json(tables)):
            file = out / "database" / name / f"{name}.sqlite"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.unlink(missing_ok=True)
            with closing(sqlite3.connect(file)) as database, database:
                for table in from_spider(tables, name).tables:
                    columns = ", ".join(f"{quoted(column.name)} {column.type}" for column in table.columns)
                    database.execute(f"CREATE TABLE {quoted(table.name)} ({columns})")
                    marks = ", ".join("?" * len(table.columns))
                    database.executemany(
                        f"INSERT INTO {quoted(table.name)} VALUES ({marks})", rows[name].get(table.name, ())
                    )
        shutil.copy(tables, out / "tables.json")
        write_text(out / "train.json", "[]")
    return read_collection(f"spider:{out}", language=language or None)


def said_otherwise(collection: Collection, file: Path) -> Collection:
    """Describe tables and columns by other names for them.

    Args:
        file: Spider's ``tables.json`` with the same databases in another language, as ``de_NAME``; or synonyms, one of
            which is drawn for each: {database: {table: {"synonyms": […], "columns": {column: […]}}}}.
    """
    if file.name == "tables.json":
        known = {one["db_id"] for one in read_json(file)}
        others = {name: from_spider(file, f"de_{name}") for name in collection.schemas if f"de_{name}" in known}
        return replace(named_as(collection, replace(collection, schemas=others)), pairs=())
    told, rng = read_json(file), random.Random(collection.name)

    def described(table: Table, known: Mapping[str, Any]) -> Table:
        columns = tuple(
            replace(column, description=rng.choice(known.get("columns", {}).get(column.name) or [column.description]))
            for column in table.columns
        )
        return replace(table, description=rng.choice(known.get("synonyms") or [table.description]), columns=columns)

    schemas = {
        name: replace(schema, tables=tuple(described(one, told[name].get(one.name, {})) for one in schema.tables))
        for name, schema in collection.schemas.items()
        if name in told
    }
    return replace(collection, schemas={**collection.schemas, **schemas}, pairs=())


def templates_of(collection: Collection, counts: Counter[str]) -> list[Template]:
    """Return the templates of the pairs of a collection.

    Args:
        counts: takes how many pairs became none.
    """
    found = list[Template]()
    for name, schema in collection.schemas.items():
        pairs = [pair for pair in collection.pairs if pair.database == name]
        if pairs and name in collection.databases:
            form = NormalForm(Grammar.for_schema(schema, dialect="sqlite"))
            with Database.open(collection.databases[name]) as database:
                frame = SamplingFrame.of(schema, database, collection.language)
            for pair in pairs:
                try:
                    template = mined(name, pair.question, form.of(pair.sql), frame)
                except QuerentError:
                    template = None
                if template is None:
                    counts["no template"] += 1
                else:
                    found.append(template)
    return found
