"""Measure what a description file gives where questions are Chinese and names are English.

    python bench/accuracy/description_files.py --out bench/results/description-files.json

CHASE has databases of Spider with Chinese names. Its held-out questions are asked of the same rows under Spider's
English names: bare; with CHASE's names as the catalogue's comments; with a description file that says these names as
``zh``, and one that says beside them what CHASE's training databases call the same English names; and, as the upper
bound, under the Chinese names themselves. EX as `held_out.py` has it.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from result_files import DATA, save
from rich.progress import track

from querent.data.databases.database import Database
from querent.data.databases.sqlite_session import quoted
from querent.data.domains.collection import Collection, Pair, is_held_out, read_collection
from querent.data.schema.ddl_writer import to_ddl
from querent.data.schema.schema import ForeignKey, Schema
from querent.evaluation.metrics import execution_match, is_ordered
from querent.parser.answering.answerer import Answerer
from querent.parser.base import parser_folder
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.network.saved import load_network
from querent.parser.reader.schema.profile import Profile

Names: TypeAlias = Mapping[tuple[str, str | None], tuple[str, ...]]
"""Chinese names by English table and column, None of the table itself; the first is CHASE's for this database."""

WAYS = ("bare", "comments", "description file", "with other names", "Chinese schema")
BASE = Path(__file__).resolve().parents[2] / "parser" / "base" / "zh"


def main() -> None:
    """Ask the questions in every way, print the figures, and save them."""
    options = arguments()
    chase, spider = (read_collection(f"{kind}:{options.data / f'{kind}-train'}") for kind in ("chase", "spider"))
    english = english_names(chase, spider)
    others = other_names(english)
    pairs = [pair for pair in chase.part("held-out").pairs if pair.database in english][:: options.each]
    loaded = load_network(parser_folder(options.parser))
    told = {"parser": SchemaParser(loaded.network), "calibration": loaded.calibration}
    records: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in track([*dict.fromkeys(pair.database for pair in pairs)], "databases"):
            mine = [pair for pair in pairs if pair.database == name]
            for way, place in written(
                Path(folder) / name, english[name], chase.databases[name], chase.schemas[name], others
            ).items():
                if way in options.ways:
                    records += asked(way, place, chase.databases[name], mine, told)
    result = {"figures": {way: figures([r for r in records if r["way"] == way]) for way in options.ways}}
    print(json.dumps(result, indent=1, ensure_ascii=False))
    if options.out:
        save(options.out, result)
    if options.records:
        lines = (json.dumps(record, ensure_ascii=False) for record in records)
        options.records.write_text("\n".join(lines) + "\n", encoding="utf-8")


def english_names(chase: Collection, spider: Collection) -> dict[str, Schema]:
    """Return the databases of both under Spider's names, with CHASE's as descriptions; types and keys are CHASE's."""
    return {
        name: schema
        for name in chase.databases
        if name in spider.databases and (schema := renamed(chase.schemas[name], spider.schemas[name])) is not None
    }


def renamed(chinese: Schema, english: Schema) -> Schema | None:
    """Return a schema under another one's names, its own as descriptions; None where their tables are not alike."""
    if [len(table.columns) for table in chinese.tables] != [len(table.columns) for table in english.tables]:
        return None
    pairs = [*zip(chinese.tables, english.tables, strict=True)]
    names = {
        (one.name, column.name): other.name
        for one, theirs in pairs
        for column, other in zip(one.columns, theirs.columns, strict=True)
    }
    tables = {one.name: theirs.name for one, theirs in pairs}

    def columns(table: str, several: Sequence[str]) -> tuple[str, ...]:
        return tuple(names[table, column] for column in several)

    return Schema(
        tuple(
            replace(
                table,
                name=tables[table.name],
                description=table.name,
                columns=tuple(
                    replace(column, name=names[table.name, column.name], description=column.name)
                    for column in table.columns
                ),
                primary_key=columns(table.name, table.primary_key),
                unique=columns(table.name, table.unique),
                foreign_keys=tuple(
                    ForeignKey(columns(table.name, key.columns), tables[key.table], columns(key.table, key.references))
                    for key in table.foreign_keys
                ),
            )
            for table in chinese.tables
        ),
        chinese.name,
    )


def undescribed(schema: Schema) -> Schema:
    """Return a schema without names in words, as most databases are."""
    tables = (
        replace(t, description="", columns=tuple(replace(c, description="") for c in t.columns)) for t in schema.tables
    )
    return replace(schema, tables=tuple(tables))


def other_names(english: Mapping[str, Schema]) -> Mapping[str, tuple[str, ...]]:
    """Return by English name, in lower case, the Chinese names that training databases have for it."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for name, schema in english.items():
        if not is_held_out(name):
            for item in (*schema.tables, *(column for _, column in schema.columns())):
                found[item.name.lower()].setdefault(item.description)
    return {name: tuple(several) for name, several in found.items()}


def written(
    folder: Path, schema: Schema, rows: Path, chinese: Schema, others: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[Schema, Path, Path | None]]:
    """Write the English database and two description files; return the schema, database and file of each way."""
    folder.mkdir()
    bare, file = undescribed(schema), folder / "english.sqlite"
    fill(file, schema, rows)
    items = [((t.name, None), t) for t in schema.tables] + [((t.name, c.name), c) for t, c in schema.columns()]
    own: Names = {place: (item.description,) for place, item in items}
    more: Names = {p: tuple(dict.fromkeys((i.description, *others.get(i.name.lower(), ())))) for p, i in items}
    files = [folder / "own.toml", folder / "more.toml"]
    for toml, names in zip(files, (own, more), strict=True):
        toml.write_text(description(names), encoding="utf-8")
    places = ((bare, file, None), (schema, file, None), *((bare, file, toml) for toml in files), (chinese, rows, None))
    return dict(zip(WAYS, places, strict=True))


def fill(file: Path, schema: Schema, rows: Path) -> None:
    """Make a database of a schema, with the rows of the Chinese one, whose names are its descriptions."""
    bare = (replace(t, primary_key=(), unique=(), foreign_keys=()) for t in undescribed(schema).tables)
    with closing(sqlite3.connect(file)) as database:
        database.executescript(to_ddl(replace(schema, tables=tuple(bare)), quoted))  # rows that break keys stay
        database.execute("ATTACH ? AS chinese", (str(rows),))
        for table in schema.tables:
            columns = ", ".join(quoted(column.description) for column in table.columns)
            source = f"chinese.{quoted(table.description)}"
            database.execute(f"INSERT INTO main.{quoted(table.name)} SELECT {columns} FROM {source}")
        database.commit()


def description(names: Names) -> str:
    """Return a description file that says names alone."""
    lines: list[str] = []
    for (table, column), several in names.items():
        told = f"zh = {json.dumps(several, ensure_ascii=False)}"
        if column is None:
            inner = (
                f"{json.dumps(c)} = {{ zh = {json.dumps(n, ensure_ascii=False)} }}"
                for (t, c), n in names.items()
                if t == table and c
            )
            lines += [f"[tables.{json.dumps(table)}]", told, f"[tables.{json.dumps(table)}.columns]", *inner]
    return "\n".join(lines) + "\n"


def asked(
    way: str, place: tuple[Schema, Path, Path | None], rows: Path, pairs: Sequence[Pair], told: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield a record of each question, whose right rows are those of the Chinese database."""
    schema, file, toml = place
    context = (
        Profile.of(schema, dialect="sqlite", language="zh", database=str(file)).catalogue(file, description=toml).whole
    )
    with Database.open(file) as database, Database.open(rows) as chinese:
        answerer = Answerer(told["parser"], context, database, calibration=told["calibration"])
        for pair in pairs:
            answer = answerer.ask(pair.question)
            found = database.attempt(answer.sql)
            gold = chinese.attempt(pair.sql)
            yield {
                "way": way,
                "id": pair.id,
                "question": pair.question,
                "gold": pair.sql,
                "sql": answer.sql,
                "status": answer.status,
                "right": found is not None
                and gold is not None
                and execution_match(found.rows, gold.rows, is_ordered(pair.sql, "sqlite"), any_columns=True),
            }


def figures(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the records of one way come to."""
    sure = [record["right"] for record in records if record["status"] == "ok"]
    return {
        "questions": len(records),
        "ex": round(sum(record["right"] for record in records) / len(records), 4),
        "ok": len(sure),
        "right where ok": round(sum(sure) / max(1, len(sure)), 4),
    }


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parser", type=Path, default=BASE, help="folder of a saved network")
    parser.add_argument("--data", type=Path, default=DATA / "multi", help="where spider-train and chase-train are")
    parser.add_argument("--ways", nargs="+", default=WAYS, choices=WAYS)
    parser.add_argument("--each", type=int, default=1, help="ask every n-th question only")
    parser.add_argument("--out", type=Path, default=None, help="JSON of the figures")
    parser.add_argument("--records", type=Path, default=None, help="JSON lines, a record a question")
    return parser.parse_args()


if __name__ == "__main__":
    main()
