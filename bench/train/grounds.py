"""Grounds of invented questions: databases made of schemas and some of their rows, and templates of real questions."""

import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

from querent.data.databases.database import Database
from querent.data.databases.sqlite_session import quoted
from querent.data.domains.collection import Collection, from_spider, read_collection
from querent.data.errors import QuerentError
from querent.data.hashed_folder import read_json
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
