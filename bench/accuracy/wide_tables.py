"""Widen tables to hundreds of columns, as exports of machines and surveys have them.

    python bench/accuracy/wide_tables.py spider:../shared/data/multi/spider-train runs/unions/spider-wide-500

The folder is laid out as Spider's, with a database of one table for each table of the held-out databases that questions
are asked of alone: its own columns in their order and between them some of other databases, drawn at random and called
``TABLE_COLUMN``, whose cells are repeated down to its last row. Questions and queries stay as they are.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.progress import track
from spider_folder import described, quote, write_json

from querent.data.domains.collection import Collection, read_collection
from querent.data.schema.ddl_writer import to_ddl
from querent.data.schema.schema import Column, Schema, Table
from querent.data.sql.sources import tables_of


@dataclass(frozen=True)
class Filler:
    """A column of another database, with what it is called here and its first cells."""

    column: Column
    cells: Sequence[Any]

    def cell(self, row: int) -> Any:
        """Return the cell of a row; they begin anew behind the last."""
        return self.cells[row % len(self.cells)]


def main() -> None:
    """Write the folder."""
    options = arguments()
    collection = read_collection(options.collection)
    fillers = list(fillers_of(collection.part("train"), random.Random(0)))
    held = collection.part("held-out")
    alone: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for pair in held.pairs:
        read = tables_of(pair.sql, held.schemas[pair.database], "sqlite")
        if len(read) == 1 and pair.database in held.databases:
            alone.setdefault((pair.database, read[0]), []).append((pair.question, pair.sql))
    tables, asked = list[dict[str, Any]](), list[dict[str, Any]]()
    for (database, name), pairs in track(alone.items(), options.out.name):
        table = held.schemas[database].table(name)
        wide, drawn = widened(table, fillers, options.columns, random.Random(f"{database} {name}"))
        db_id = f"{database}-{name}"
        write_table(options.out / "database" / db_id / f"{db_id}.sqlite", wide, held.databases[database], table, drawn)
        tables.append(described(Schema((wide,)), db_id))
        asked += ({"db_id": db_id, "question": question, "query": sql, "homes": 1} for question, sql in pairs)
    write_json(options.out / "tables.json", tables)
    write_json(options.out / "train.json", asked)
    print(json.dumps({"folder": str(options.out), "databases": len(tables), "questions": len(asked)}))


def fillers_of(collection: Collection, drawn: random.Random) -> Iterator[Filler]:
    """Yield the columns of the databases, databases in random order, but for keys, which say nothing."""
    names = sorted(collection.databases)
    drawn.shuffle(names)
    for name in names:
        with closing(opened(collection.databases[name])) as database:
            for table, column in collection.schemas[name].columns():
                select = f"SELECT {quote(column.name)} FROM {quote(table.name)} LIMIT 500"
                cells = [row[0] for row in database.execute(select)]
                if cells and column.name not in table.primary_key:
                    said = f"{table.description or table.name} {column.description or column.name}"
                    yield Filler(replace(column, name=f"{table.name}_{column.name}", description=said), cells)


def opened(file: Path) -> sqlite3.Connection:
    """Open a database some of whose cells may be no UTF-8."""
    database = sqlite3.connect(file)
    database.text_factory = lambda cell: cell.decode("utf-8", "replace")
    return database


def widened(
    table: Table, fillers: Sequence[Filler], columns: int, drawn: random.Random
) -> tuple[Table, dict[str, Filler]]:
    """Return a table with so many columns, its own in their order, and what the others are."""
    taken, chosen = {column.name.lower() for column in table.columns}, dict[str, Filler]()
    for one in drawn.sample(fillers, len(fillers)):
        if len(taken) >= columns:
            break
        if one.column.name.lower() not in taken:
            taken.add(one.column.name.lower())
            chosen[one.column.name] = one
    own = set(drawn.sample(range(len(taken)), len(table.columns)))
    mine, others = iter(table.columns), (one.column for one in chosen.values())
    columns_then = tuple(next(mine) if n in own else next(others) for n in range(len(taken)))
    return replace(table, columns=columns_then, foreign_keys=()), chosen


def write_table(file: Path, wide: Table, source: Path, table: Table, chosen: dict[str, Filler]) -> None:
    """Write a table with its rows."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    names = ", ".join(quote(column.name) for column in table.columns)
    with closing(opened(source)) as database:
        rows = database.execute(f"SELECT {names} FROM {quote(table.name)}").fetchall()
    own = {column.name: n for n, column in enumerate(table.columns)}
    holes = ", ".join("?" * len(wide.columns))
    with closing(sqlite3.connect(file)) as database, database:
        database.executescript(to_ddl(Schema((replace(wide, primary_key=()),)), quote))
        for n, row in enumerate(rows):
            cells = (row[own[c.name]] if c.name in own else chosen[c.name].cell(n) for c in wide.columns)
            database.execute(f"INSERT INTO {quote(wide.name)} VALUES ({holes})", [*cells])


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", help="spider:FOLDER")
    parser.add_argument("out", type=Path, help="the folder")
    parser.add_argument("--columns", type=int, default=500, help="of each table")
    return parser.parse_args()


if __name__ == "__main__":
    main()
