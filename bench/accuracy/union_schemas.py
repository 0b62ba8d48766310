"""Merge the databases of a collection into one of hundreds of tables, in the manner of SpiderUnion (CRUSH4SQL 2023).

    python bench/accuracy/union_schemas.py spider:../shared/data/multi/spider-train runs/unions --tables 100 306 735 \\
        --more spider:../shared/data/multi/bird-train

Each union is a folder laid out as Spider's, with one database: the held-out databases of the collection, then others in
the order of a hash until there are as many tables as wanted. Tables, rows, keys and natural names come along; a table
whose name another database has, too, gets that of its database before its own. Questions are those of the held-out
databases, their queries with the new names; one whose rows have changed is left out and counted. ``homes`` is the
number of databases in the union that have a table with the name of one of the query's.
"""

import json
import sqlite3
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import sqlglot
from result_files import Result, run
from rich.progress import track
from sqlglot import expressions as exp

from querent.data.databases.schema_readers import from_sqlite
from querent.data.domains.collection import Collection, Pair, is_held_out, read_collection
from querent.data.schema.ddl_writer import to_ddl
from querent.data.schema.schema import ForeignKey, Schema, Table

NAME = "union"


@dataclass(frozen=True)
class Member:
    """A database of a union.

    Attributes:
        renamed: the name in the union of each of its tables, by the own name in lower case.
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
        """Return the schema that the file declares; keys of ``tables.json`` alone need not hold for its rows."""
        return from_sqlite(self.file).part({t.name: [c.name for c in t.columns] for t in self.schema.tables})


def measure(
    collection: Annotated[str, "spider:FOLDER or chase:FOLDER"],
    folder: Annotated[Path, "gets a folder for each union"],
    *,
    tables: Annotated[tuple[int, ...], "sizes of the unions"] = (100, 306, 735),
    more: Annotated[tuple[str, ...], "collections of further databases"] = (),
    keyless: Annotated[bool, "declare no keys"] = False,
) -> Iterator[Result]:
    """Write a folder for each size."""
    first, *further = (read_collection(spec) for spec in (collection, *more))
    pairs = [pair for pair in first.pairs if is_held_out(pair.database)]
    for size in tables:
        union = folder / f"{first.name}-{size}{'-keyless' if keyless else ''}"
        yield Result(write_union(union, members([first, *further], size), pairs, keyless=keyless), str(union))


def members(collections: Sequence[Collection], size: int, part: str = "held-out") -> list[Member]:
    """Return the databases of a union of ``size`` tables; the last one is cut to the size.

    The part ``train``, from which a retriever learns (`bench/train/heads.py`), has no held-out database.
    """
    held = [(collections[0], name) for name in sorted(collections[0].databases) if is_held_out(name)]
    others = [
        (one, name)
        for one in collections
        for name in sorted(one.databases, key=lambda name: sha256(name.encode()).digest())
        if not is_held_out(name)
    ]
    found, total = dict[str, tuple[Schema, Path]](), 0
    for one, name in [*(held if part == "held-out" else []), *others]:
        if total < size and name not in found:
            kept = {t.name: [c.name for c in t.columns] for t in one.schemas[name].tables[: size - total]}
            found[name] = (one.schemas[name].part(kept), one.databases[name])
            total += len(kept)
    several = Counter(table.name.lower() for schema, _ in found.values() for table in schema.tables)
    taken = set(several)

    def renamed(database: str, table: str) -> str:
        if several[table.lower()] == 1:
            return table
        name = f"{database}_{table}"
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        return name

    return [
        Member(name, schema, file, {table.name.lower(): renamed(name, table.name) for table in schema.tables})
        for name, (schema, file) in found.items()
    ]


def write_union(
    folder: Path, merged: Sequence[Member], pairs: Iterable[Pair], *, keyless: bool = False
) -> dict[str, int]:
    """Write a union and its questions, and return the counts of both."""
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
    pairs = [pair for pair in pairs if pair.database in here]
    kept = [record for pair in pairs if (record := _question(here[pair.database], pair, file, homes))]
    _write_json(folder / "train.json", kept)
    columns = sum(1 for _ in schema.columns())
    counts = {"tables": len(schema.tables), "columns": columns, "databases": len(merged), "questions": len(kept)}
    return counts | {"left out": len(pairs) - len(kept), "of several homes": sum(one["homes"] > 1 for one in kept)}


def without_keys(schema: Schema) -> Schema:
    """Return a schema without keys."""
    tables = (replace(table, primary_key=(), unique=(), foreign_keys=()) for table in schema.tables)
    return replace(schema, tables=tuple(tables))


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _write_json(file: Path, content: Any) -> None:
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def described(schema: Schema, db_id: str) -> dict[str, Any]:
    """Return a schema in the form of ``tables.json``."""
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
    """Return a question in the form of Spider's files, None where the rows of its query have changed."""
    tree = sqlglot.parse_one(pair.sql, dialect="sqlite")
    named = {node.name.lower() for node in tree.find_all(exp.Table)} & one.renamed.keys()
    for node in tree.find_all(exp.Table):
        if new := one.renamed.get(node.name.lower()):
            node.set("alias", node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(node.name)))
            node.set("this", exp.to_identifier(new))
    sql = tree.sql(dialect="sqlite")
    if _rows(one.file, pair.sql) != _rows(file, sql):
        return None
    count = max((len(homes[_stem(name)]) for name in named), default=1)
    record = {"db_id": NAME, "question": pair.question, "query": sql}
    return record | {"homes": count, "home": one.name, "tables": sorted(one.renamed[name] for name in named)}


def _rows(file: Path, sql: str) -> list[Any] | str:
    with closing(sqlite3.connect(file)) as database:
        database.text_factory = bytes
        try:
            return sorted(database.execute(sql).fetchmany(10_000), key=repr)
        except sqlite3.Error as error:
            return f"{file}: {error}"


def _stem(name: str) -> str:
    return name.lower().rstrip("s")


if __name__ == "__main__":
    sys.exit(run(measure))
