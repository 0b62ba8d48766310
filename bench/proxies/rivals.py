"""Questions of others on held-out databases, changed so that each has two readings, after AmbiQT (Bhaskar et al. 2023).

column: a column gives way to two, each called by another word for it.    SELECT name  ->  SELECT title | SELECT label
table: a table gives way to two in the same way.
join: a column stands in a table beside its own as well, so that a join may be meant or not.
aggregate: a table holds the figure ready-made beside the rows it is of.

The second reading's cells differ (those of the column are moved on by a row, one row in three is missing from the
table, the figure is another), since answers with equal rows would be one answer.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlglot import exp, parse_one

from querent.data.domains.collection import Collection, Pair
from querent.data.schema.schema import Column, Schema, Table
from querent.evaluation.metrics import is_ordered

from .content import read

__all__ = ["KINDS", "Rival", "rivals", "talks"]

_FIGURES: Mapping[type[exp.Expr], str] = {exp.Avg: "average", exp.Sum: "total", exp.Max: "maximum", exp.Min: "minimum"}
Statements = Sequence[str]
"""What changes a database."""
Maker = Callable[[exp.Select, Table], tuple[Statements, tuple[str, str]] | None]
"""Makes the two readings of a query on one table."""


@dataclass(frozen=True)
class Rival:
    """A question with the statements that change its database, and its two gold queries there."""

    kind: str
    pair: Pair
    changes: tuple[str, ...]
    golds: tuple[str, str]


def rivals(collection: Collection, folder: Path, most: int) -> Iterator[tuple[Rival, Path]]:
    """Yield rivals of each kind with the database that they are asked of.

    Args:
        folder: where the changed databases go.
        most: of a kind on one database.
    """
    for name, file in collection.databases.items():
        schema = collection.schemas[name]
        pairs = [pair for pair in collection.pairs if pair.database == name]
        for kind, make in KINDS.items():
            found = [rival for pair in pairs if (rival := _made(kind, make, pair, schema)) is not None]
            places: dict[tuple[str, ...], Path] = {}
            count = 0
            for rival in found:
                if count == most:
                    break
                place = places.setdefault(rival.changes, folder / f"{name}-{kind}-{len(places)}.sqlite")
                if (place.exists() or _changed(file, place, rival.changes)) and _apart(place, rival.golds):
                    count += 1
                    yield rival, place


def talks(collection: Collection, folder: Path, most: int) -> Iterator[dict[str, Any]]:
    """Yield the rivals as dialogues of one turn, as `systems.asked` takes them."""
    for rival, place in rivals(collection, folder, most):
        ordered = is_ordered(rival.golds[0], "sqlite")
        turn = {"utterance": rival.pair.question, "kind": f"ambiguous {rival.kind}", "ordered": ordered}
        told = turn | {"query": rival.golds[0], "readings": rival.golds, "reply": ""}
        yield {"database_id": rival.pair.database, "file": place, "interaction": [told]}


def _made(kind: str, make: Maker, pair: Pair, schema: Schema) -> Rival | None:
    tree = parse_one(pair.sql, read="sqlite")
    tables = list(tree.find_all(exp.Table))
    if not isinstance(tree, exp.Select) or len(tables) != 1 or len(list(tree.find_all(exp.Select))) > 1:
        return None
    table = next((one for one in schema.tables if one.name.lower() == tables[0].name.lower()), None)
    if table is None:
        return None
    for column in tree.find_all(exp.Column):  # the one table needs no alias
        column.set("table", None)
    tables[0].set("alias", None)
    made = make(tree, table)
    return None if made is None else Rival(kind, pair, tuple(made[0]), made[1])


def _changed(file: Path, place: Path, changes: Sequence[str]) -> bool:
    shutil.copy(file, place)
    try:
        with closing(sqlite3.connect(place)) as database:
            for statement in changes:
                database.execute(statement)
            database.commit()
    except sqlite3.Error:
        place.unlink()
        return False
    return True


def _apart(place: Path, golds: tuple[str, str]) -> bool:
    """Do both gold queries run, say something and differ in rows?"""
    try:
        with closing(sqlite3.connect(place)) as database:
            one, other = (sorted(map(repr, database.execute(sql).fetchall())) for sql in golds)
    except sqlite3.Error:
        return False
    return bool(one) and bool(other) and one != other


def _columns(tree: exp.Select, table: Table) -> Iterator[Column]:
    """Yield the columns that a query names, in order, without keys."""
    keys = {name.lower() for name in table.primary_key}
    keys |= {name.lower() for key in table.foreign_keys for name in key.columns}
    for name in dict.fromkeys(column.name.lower() for column in tree.find_all(exp.Column)):
        found = next((one for one in table.columns if one.name.lower() == name), None)
        if found is not None and name not in keys:
            yield found


def _renamed(tree: exp.Select, old: str, new: str) -> exp.Select:
    """Return a query with another column in the place of one."""
    copy = tree.copy()
    for one in copy.find_all(exp.Column):
        if one.name.lower() == old.lower():
            one.set("this", exp.to_identifier(new, quoted=True))
    return copy


def _sql(tree: exp.Expr) -> str:
    return tree.sql(dialect="sqlite")


def _words(name: str) -> list[str]:
    return re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", name.replace("_", " "))


def _called(name: str) -> Sequence[str] | None:
    """Return two other names of a column: the last word that has synonyms gives way to each."""
    words = [word.lower() for word in _words(name)]
    for place in reversed(range(len(words))):
        if others := read("synonyms")["columns"].get(words[place]):
            return ["_".join([*words[:place], other, *words[place + 1 :]]) for other in others]
    return None


def _moved(column: str, table: str) -> str:
    """Return the column's cells as a query, each moved on to the next row."""
    return (
        f'SELECT rowid AS place, COALESCE(LAG("{column}") OVER (ORDER BY rowid), '
        f'(SELECT "{column}" FROM "{table}" ORDER BY rowid DESC LIMIT 1)) AS cell FROM "{table}"'
    )


def _column(tree: exp.Select, table: Table) -> tuple[Statements, tuple[str, str]] | None:
    for column in _columns(tree, table):
        if others := _called(column.name):
            one, other = others
            changes = [
                f'ALTER TABLE "{table.name}" RENAME COLUMN "{column.name}" TO "{one}"',
                f'ALTER TABLE "{table.name}" ADD COLUMN "{other}" {column.type}',
                f'UPDATE "{table.name}" SET "{other}" = moved.cell FROM ({_moved(one, table.name)}) AS moved '
                f'WHERE moved.place = "{table.name}".rowid',
            ]
            return changes, (_sql(_renamed(tree, column.name, one)), _sql(_renamed(tree, column.name, other)))
    return None


def _table(tree: exp.Select, table: Table) -> tuple[Statements, tuple[str, str]] | None:
    others = read("synonyms")["tables"].get(table.name.lower())
    if others is None:
        return None
    one, other = others
    columns = ", ".join(
        f'"{c.name}" {c.type}' + " PRIMARY KEY" * (tuple(table.primary_key) == (c.name,)) for c in table.columns
    )
    changes = [
        f'ALTER TABLE "{table.name}" RENAME TO "{one}"',
        f'CREATE TABLE "{other}" ({columns})',
        f'INSERT INTO "{other}" SELECT * FROM "{one}" WHERE rowid % 3 <> 0',
    ]

    def of(name: str) -> str:
        copy = tree.copy()
        next(copy.find_all(exp.Table)).replace(exp.to_table(name))
        return _sql(copy)

    return changes, (of(one), of(other))


def _join(tree: exp.Select, table: Table) -> tuple[Statements, tuple[str, str]] | None:
    if len(table.primary_key) != 1 or (tree.find(exp.Star) and not tree.find(exp.Count)):
        return None
    (key,) = table.primary_key
    for column in _columns(tree, table):
        beside = f"{table.name}_{column.name}_info"
        changes = [
            f'CREATE TABLE "{beside}" ("{key}" PRIMARY KEY REFERENCES "{table.name}" ("{key}"), '
            f'"{column.name}" {column.type})',
            f'INSERT INTO "{beside}" SELECT "{table.name}"."{key}", moved.cell FROM "{table.name}" '
            f'JOIN ({_moved(column.name, table.name)}) AS moved ON moved.place = "{table.name}".rowid',
        ]
        joined = tree.copy()
        for one in joined.find_all(exp.Column):
            one.set("table", exp.to_identifier(beside if one.name.lower() == column.name.lower() else table.name))
        condition = f'"{table.name}"."{key}" = "{beside}"."{key}"'
        return changes, (_sql(tree), _sql(joined.join(exp.to_table(beside), on=condition, dialect="sqlite")))
    return None


def _aggregate(tree: exp.Select, table: Table) -> tuple[Statements, tuple[str, str]] | None:
    """Return a table of the figures of a query that is nothing but figures, of groups or of all."""
    told = tree.find(exp.Where, exp.Having, exp.Order, exp.Limit, exp.Distinct)
    figures = [one for one in tree.expressions if isinstance(one, exp.AggFunc)]
    groups = [one for one in tree.expressions if isinstance(one, exp.Column)]
    if told or len(figures) != 1 or len(figures) + len(groups) != len(tree.expressions) or len(groups) > 1:
        return None
    (figure,) = figures
    if isinstance(figure, exp.Count):
        name = f"number_of_{table.name}"
    elif isinstance(figure.this, exp.Column):
        name = f"{_FIGURES[type(figure)]}_{figure.this.name}"
    else:
        return None
    summary = f"{table.name}_summary"
    by = "".join(f'"{one.name}", ' for one in groups)
    other = "+ 1" if isinstance(figure, exp.Count) else "* 1.1 + 1"
    inner = f'SELECT {by}{_sql(figure)} {other} AS "{name}" FROM "{table.name}"'
    group = f" GROUP BY {by.removesuffix(', ')}" if groups else ""
    return [f'CREATE TABLE "{summary}" AS {inner}{group}'], (_sql(tree), f'SELECT {by}"{name}" FROM "{summary}"')


KINDS: Mapping[str, Maker] = {"column": _column, "table": _table, "join": _join, "aggregate": _aggregate}
