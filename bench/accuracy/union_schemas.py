"""Merge the databases of a collection into one of hundreds of tables, in the manner of SpiderUnion (CRUSH4SQL 2023).

    python bench/accuracy/union_schemas.py spider:../shared/data/multi/spider-train runs/unions --tables 100 306 735 \\
        --more spider:../shared/data/multi/bird-train

Each union is a folder laid out as Spider's, with one database: the held-out databases of the collection, then others in
the order of a hash until there are as many tables as wanted (``--more`` gives further ones). Tables, rows, keys and
natural names come along. Tables of one name get that of their database before theirs. Questions are those of the
held-out databases, their queries with the new names; one whose rows are no longer the same is left out and counted.
``homes`` says how many databases of the union have a table called as one of the query's. ``--part train`` is of the
databases that are not held out, with the questions of all collections: what a retriever learns from. ``--keyless``
declares no keys, as many warehouses do.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import sqlglot
from rich.progress import track
from sqlglot import expressions as exp

from querent.data.databases.schema_readers import from_sqlite
from querent.data.domains.collection import Collection, Pair, is_held_out, read_collection
from querent.data.formats.spider import pair_records
from querent.data.formats.sql_text import tidy
from querent.data.schema.ddl_writer import to_ddl
from querent.data.schema.schema import ForeignKey, Schema, Table

__all__ = ["Member", "described", "members", "without_keys", "write_union"]

NAME = "union"


@dataclass(frozen=True)
class Member:
    """A database of a union.

    Attributes:
        renamed: what each of its tables, in lower case, is called in the union.
    """

    name: str
    schema: Schema
    file: Path
    renamed: Mapping[str, str]


def main() -> None:
    """Write a folder for each size."""
    options = arguments()
    first, *further = (read_collection(spec) for spec in (options.collection, *options.more))
    for size in options.tables:
        kind = f"{'train' if options.part == 'train' else size}{'-keyless' if options.keyless else ''}"
        folder = options.out / f"{first.name}-{kind}"
        merged = members([first, *further], size, options.part)
        pairs = [pair for one in ([first, *further] if options.part == "train" else [first]) for pair in one.pairs]
        asked = [*pairs, *(pair for other in options.asked for pair in asked_elsewhere(other))]
        asked = [pair for pair in asked if is_held_out(pair.database) == (options.part == "held-out")]
        counts = write_union(folder, merged, asked[:: options.each], keyless=options.keyless)
        print(json.dumps({"folder": str(folder)} | counts))


def asked_elsewhere(folder: Path) -> Iterator[Pair]:
    """Yield further questions on databases of the same names, as Spider-Syn has them."""
    for n, record in enumerate(pair_records(folder)):
        sql = tidy(record.text("query"), dialect="sqlite")
        yield Pair(f"{folder.name}-{n}", record.text("db_id"), record.text("question"), sql)


def members(collections: Sequence[Collection], size: int, part: str = "held-out") -> list[Member]:
    """Return the databases of a union of ``size`` tables: the held-out ones of the first collection, then others.

    The last one is cut where it has more tables than are wanted. Of the part ``train`` none is held out.
    """
    held = [name for name in collections[0].databases if part == "held-out" and is_held_out(name)]
    others = [
        (one, name)
        for one in collections
        for name in sorted(one.databases, key=lambda name: sha256(name.encode()).digest())
        if not is_held_out(name)
    ]
    found: list[tuple[str, Schema, Path]] = []
    total = 0
    for one, name in [*((collections[0], name) for name in sorted(held)), *others]:
        schema = one.schemas[name]
        if total >= size or name in {known for known, _, _ in found}:
            continue
        kept = {t.name: [c.name for c in t.columns] for t in schema.tables[: size - total]}
        found.append((name, schema.part(kept), one.databases[name]))
        total += len(kept)
    several = Counter(table.name.lower() for _, schema, _ in found for table in schema.tables)
    taken = set(several)
    return [
        Member(name, schema, file, {t.name.lower(): _new_name(name, t.name, several, taken) for t in schema.tables})
        for name, schema, file in found
    ]


def _new_name(database: str, table: str, several: Mapping[str, int], taken: set[str]) -> str:
    """Return what a table is called among all; ``taken`` gets the name."""
    name = table if several[table.lower()] == 1 else f"{database}_{table}"
    while name is not table and name.lower() in taken:
        name += "_"
    taken.add(name.lower())
    return name


def write_union(
    folder: Path, merged: Sequence[Member], asked: Iterable[Pair], *, keyless: bool = False
) -> dict[str, int]:
    """Write a union and its questions, and return how much there is of it."""
    file = folder / "database" / NAME / f"{NAME}.sqlite"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    schema = _union((one, one.schema) for one in merged)
    stored = _union((one, _stored(one)) for one in merged)
    if keyless:
        schema, stored = without_keys(schema), without_keys(stored)
    with closing(sqlite3.connect(file, isolation_level=None)) as union:
        union.text_factory = bytes  # some cells are no UTF-8
        union.executescript(to_ddl(stored, quote))
        union.execute("PRAGMA foreign_keys = OFF")
        for one in track(merged, folder.name):
            _copy_rows(union, one)
    write_json(folder / "tables.json", [described(schema, NAME)])
    homes = _homes(merged)
    here = {one.name: one for one in merged}
    pairs = [pair for pair in asked if pair.database in here]
    kept = [record for pair in pairs if (record := _question(here[pair.database], pair, file, homes))]
    write_json(folder / "train.json", kept)
    several = sum(record["homes"] > 1 for record in kept)
    columns = sum(1 for _ in schema.columns())
    counts = {"tables": len(schema.tables), "columns": columns, "databases": len(merged)}
    return counts | {"questions": len(kept), "left out": len(pairs) - len(kept), "of several homes": several}


def _stored(one: Member) -> Schema:
    """Return what the file of a database declares; keys that are only told need not hold of its rows."""
    return from_sqlite(one.file).part({t.name: [c.name for c in t.columns] for t in one.schema.tables})


def _union(parts: Iterable[tuple[Member, Schema]]) -> Schema:
    return Schema(tuple(table for one, schema in parts for table in _tables(one, schema)), NAME)


def _tables(one: Member, schema: Schema) -> Iterator[Table]:
    for table in schema.tables:
        keys = tuple(
            ForeignKey(key.columns, one.renamed[key.table.lower()], key.references)
            for key in table.foreign_keys
            if key.table.lower() in one.renamed
        )
        yield replace(table, name=one.renamed[table.name.lower()], foreign_keys=keys)


def _copy_rows(union: sqlite3.Connection, one: Member) -> None:
    union.execute("ATTACH ? AS member", [str(one.file)])
    for table in one.schema.tables:
        names = ", ".join(quote(column.name) for column in table.columns)
        target = f"main.{quote(one.renamed[table.name.lower()])} ({names})"
        union.execute(f"INSERT INTO {target} SELECT {names} FROM member.{quote(table.name)}")
    union.execute("DETACH member")


def _question(one: Member, pair: Pair, file: Path, homes: Mapping[str, set[str]]) -> dict[str, Any] | None:
    """Return a question as Spider's files have it, None where its rows are no longer the same."""
    tree = sqlglot.parse_one(pair.sql, dialect="sqlite")
    told = {node.name.lower() for node in tree.find_all(exp.Table)} & one.renamed.keys()
    _rename(tree, one.renamed)
    sql = tree.sql(dialect="sqlite")
    if _rows(one.file, pair.sql) != _rows(file, sql):
        return None
    count = max((len(homes[_said(name)]) for name in told), default=1)
    asked = {"db_id": NAME, "question": pair.question, "query": sql}
    return asked | {"homes": count, "home": one.name, "tables": sorted(one.renamed[name] for name in told)}


def _rename(query: exp.Expression, renamed: Mapping[str, str]) -> None:
    for node in query.find_all(exp.Table):
        new = renamed.get(node.name.lower())
        if new is None:
            continue
        own = node.parent_select.find_all(exp.Column) if node.parent_select and not node.alias else ()
        for column in own:
            if column.table.lower() == node.name.lower():
                column.set("table", exp.to_identifier(new))
        node.set("this", exp.to_identifier(new))


def _rows(file: Path, sql: str) -> list[Any] | str:
    with closing(sqlite3.connect(file)) as database:
        database.text_factory = bytes
        try:
            return sorted(database.execute(sql).fetchmany(10_000), key=repr)
        except sqlite3.Error as error:
            return f"{file}: {error}"


def _homes(merged: Iterable[Member]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in merged:
        for table in one.schema.tables:
            found.setdefault(_said(table.name), set()).add(one.name)
    return found


def _said(name: str) -> str:
    return name.lower().rstrip("s")


def described(schema: Schema, db_id: str) -> dict[str, Any]:
    """Return a schema as ``tables.json`` has it."""
    columns = [(n, column) for n, table in enumerate(schema.tables) for column in table.columns]
    tables = {table.name: n for n, table in enumerate(schema.tables)}
    place = {(n, column.name.lower()): i for i, (n, column) in enumerate(columns, start=1)}
    keys = [(n, key) for n, table in enumerate(schema.tables) for key in table.foreign_keys]
    return {
        "db_id": db_id,
        "table_names": [table.description or table.name for table in schema.tables],
        "table_names_original": [table.name for table in schema.tables],
        "column_names": [[-1, "*"], *([n, column.description or column.name] for n, column in columns)],
        "column_names_original": [[-1, "*"], *([n, column.name] for n, column in columns)],
        "column_types": ["text", *(column.type for _, column in columns)],
        "primary_keys": [place[n, c.lower()] for n, table in enumerate(schema.tables) for c in table.primary_key],
        "foreign_keys": [
            [place[n, one.lower()], place[tables[key.table], other.lower()]]
            for n, key in keys
            for one, other in zip(key.columns, key.references, strict=False)
        ],
    }


def without_keys(schema: Schema) -> Schema:
    """Return a schema as if none of its keys were declared."""
    tables = (replace(table, primary_key=(), unique=(), foreign_keys=()) for table in schema.tables)
    return replace(schema, tables=tuple(tables))


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def write_json(file: Path, content: Any) -> None:
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", help="spider:FOLDER or chase:FOLDER")
    parser.add_argument("out", type=Path, help="gets a folder for each union")
    parser.add_argument("--tables", type=int, nargs="+", default=[100, 306, 735], help="sizes of the unions")
    parser.add_argument("--more", nargs="*", default=[], help="collections of further databases")
    parser.add_argument("--asked", type=Path, nargs="*", default=[], help="folders of further questions")
    parser.add_argument("--part", choices=("held-out", "train"), default="held-out", help="whose questions are asked")
    parser.add_argument("--keyless", action="store_true", help="declare no keys")
    parser.add_argument("--each", type=int, default=1, help="ask every n-th question only")
    return parser.parse_args()


if __name__ == "__main__":
    main()
