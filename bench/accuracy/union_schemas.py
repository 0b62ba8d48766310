"""Merge the databases of a collection into one of hundreds of tables, in the manner of SpiderUnion (CRUSH4SQL 2023).

    python bench/accuracy/union_schemas.py spider:../shared/data/multi/spider-train runs/unions --tables 100 306 735 \\
        --more spider:../shared/data/multi/bird-train

Each union is a folder laid out as Spider's, with one database: the held-out databases of the collection, then others in
the order of a hash until there are as many tables as wanted. Tables, rows, keys and natural names come along; a table
whose name another database has, too, gets that of its database before its own. Questions are those of the held-out
databases, their queries with the new names; one whose rows are no longer the same is left out and counted. ``homes``
says how many databases of the union have a table called as one of the query's.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections import Counter, defaultdict
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

    def tables(self, schema: Schema) -> Iterator[Table]:
        """Yield the tables of this database under their new names, with the keys that stay inside the union."""
        for table in schema.tables:
            keys = (
                ForeignKey(key.columns, self.renamed[key.table.lower()], key.references)
                for key in table.foreign_keys
                if key.table.lower() in self.renamed
            )
            yield replace(table, name=self.renamed[table.name.lower()], foreign_keys=tuple(keys))

    @property
    def declared(self) -> Schema:
        """What the file itself declares; keys that only ``tables.json`` has need not hold of its rows."""
        return from_sqlite(self.file).part({t.name: [c.name for c in t.columns] for t in self.schema.tables})


def main() -> None:
    """Write a folder for each size."""
    options = command_line()
    first, *further = (read_collection(spec) for spec in (options.collection, *options.more))
    pairs = [pair for pair in first.pairs if is_held_out(pair.database)][:: options.each]
    for size in options.tables:
        folder = options.out / f"{first.name}-{size}{'-keyless' if options.keyless else ''}"
        counts = write_union(folder, members([first, *further], size), pairs, keyless=options.keyless)
        print(json.dumps({"folder": str(folder)} | counts))


def members(collections: Sequence[Collection], size: int, part: str = "held-out") -> list[Member]:
    """Return the databases of a union of ``size`` tables; the last one is cut where it has more than are wanted.

    Of the part ``train`` no database is held out: what a retriever learns from (`bench/train/heads.py`).
    """
    held = [(collections[0], name) for name in sorted(collections[0].databases) if is_held_out(name)]
    others = [
        (one, name)
        for one in collections
        for name in sorted(one.databases, key=lambda name: sha256(name.encode()).digest())
        if not is_held_out(name)
    ]
    found: dict[str, tuple[Schema, Path]] = {}
    total = 0
    for one, name in [*(held if part == "held-out" else []), *others]:
        if total < size and name not in found:
            kept = {t.name: [c.name for c in t.columns] for t in one.schemas[name].tables[: size - total]}
            found[name] = (one.schemas[name].part(kept), one.databases[name])
            total += len(kept)
    several = Counter(table.name.lower() for schema, _ in found.values() for table in schema.tables)
    taken = set(several)
    return [
        Member(name, schema, file, {t.name.lower(): _new_name(name, t.name, several, taken) for t in schema.tables})
        for name, (schema, file) in found.items()
    ]


def _new_name(database: str, table: str, several: Mapping[str, int], taken: set[str]) -> str:
    """Return what a table is called among all; ``taken`` gets the name."""
    if several[table.lower()] == 1:
        return table
    name = f"{database}_{table}"
    while name.lower() in taken:
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
    schema = Schema(tuple(table for one in merged for table in one.tables(one.schema)), NAME)
    stored = Schema(tuple(table for one in merged for table in one.tables(one.declared)), NAME)
    if keyless:
        schema, stored = without_keys(schema), without_keys(stored)
    with closing(sqlite3.connect(file, isolation_level=None)) as union:
        union.text_factory = bytes  # some cells are no UTF-8
        union.executescript(to_ddl(stored, quote))
        union.execute("PRAGMA foreign_keys = OFF")
        for one in track(merged, folder.name):
            _copy_rows(union, one)
    _write_json(folder / "tables.json", [described(schema, NAME)])
    homes = defaultdict[str, set[str]](set)
    for one in merged:
        for table in one.schema.tables:
            homes[_stem(table.name)].add(one.name)
    here = {one.name: one for one in merged}
    pairs = [pair for pair in asked if pair.database in here]
    kept = [record for pair in pairs if (record := _question(here[pair.database], pair, file, homes))]
    _write_json(folder / "train.json", kept)
    columns = sum(1 for _ in schema.columns())
    counts = {"tables": len(schema.tables), "columns": columns, "databases": len(merged), "questions": len(kept)}
    return counts | {"left out": len(pairs) - len(kept), "of several homes": sum(one["homes"] > 1 for one in kept)}


def without_keys(schema: Schema) -> Schema:
    """Return a schema as if none of its keys were declared."""
    tables = (replace(table, primary_key=(), unique=(), foreign_keys=()) for table in schema.tables)
    return replace(schema, tables=tuple(tables))


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _write_json(file: Path, content: Any) -> None:
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def described(schema: Schema, db_id: str) -> dict[str, Any]:
    """Return a schema as ``tables.json`` has one."""
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
    named = {node.name.lower() for node in tree.find_all(exp.Table)} & one.renamed.keys()
    _rename(tree, one.renamed)
    sql = tree.sql(dialect="sqlite")
    if _rows(one.file, pair.sql) != _rows(file, sql):
        return None
    count = max((len(homes[_stem(name)]) for name in named), default=1)
    asked = {"db_id": NAME, "question": pair.question, "query": sql}
    return asked | {"homes": count, "home": one.name, "tables": sorted(one.renamed[name] for name in named)}


def _rename(query: sqlglot.Expr, renamed: Mapping[str, str]) -> None:
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


def _stem(name: str) -> str:
    return name.lower().rstrip("s")


def command_line() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", help="spider:FOLDER or chase:FOLDER")
    parser.add_argument("out", type=Path, help="gets a folder for each union")
    parser.add_argument("--tables", type=int, nargs="+", default=[100, 306, 735], help="sizes of the unions")
    parser.add_argument("--more", nargs="*", default=[], help="collections of further databases")
    parser.add_argument("--keyless", action="store_true", help="declare no keys")
    parser.add_argument("--each", type=int, default=1, help="ask every n-th question only")
    return parser.parse_args()


if __name__ == "__main__":
    main()
