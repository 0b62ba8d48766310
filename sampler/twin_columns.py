"""Copies of databases in which a column gives way to two of its kind, so that a question may mean either of them.

    price        net_price, gross_price        the price of a tent?

After AmbiQT (Bhaskar et al. 2023): a parser that is to ask back has to be equally sure of both.
"""

import random
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from sqlglot import exp

from ..data.databases.sqlite_session import quoted
from ..data.parsing import parse
from ..data.schema.schema import Column, Schema, Table
from .frame import Language

_KINDS: Mapping[Language, Sequence[tuple[str, str]]] = {
    "en": (
        ("home", "work"), ("billing", "shipping"), ("planned", "actual"), ("gross", "net"), ("local", "foreign"),
        ("internal", "external"), ("official", "usual"), ("old", "new"), ("opening", "closing"), ("public", "private"),
        ("domestic", "export"), ("expected", "final"), ("regular", "special"), ("primary", "secondary"),
        ("requested", "granted"), ("spring", "autumn"), ("morning", "evening"), ("retail", "wholesale"),
        ("own", "partner"), ("upper", "lower"), ("technical", "legal"), ("standard", "reduced"),
    ),
    "zh": (
        ("计划", "实际"), ("国内", "国外"), ("内部", "外部"), ("旧", "新"), ("期初", "期末"), ("预计", "最终"),
        ("公开", "内部"), ("上半年", "下半年"), ("线上", "线下"), ("第一", "第二"), ("白天", "夜间"), ("申请", "批准"),
        ("法定", "常用"), ("税前", "税后"),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Twins:
    """A copy's schema, and the two names of each column that gave way, by its own in lower case."""

    schema: Schema
    names: Mapping[str, tuple[str, str]]

    def readings(self, sql: str) -> list[str]:
        """Return a query of the database as both queries of the copy; none if it names no column that gave way."""
        tree = parse(sql, "sqlite")
        if tree is None or not any(one.name.lower() in self.names for one in tree.find_all(exp.Column)):
            return []
        return [self._reading(tree, which) for which in (0, 1)]

    def _reading(self, tree: exp.Query, which: int) -> str:
        copy = tree.copy()
        for one in copy.find_all(exp.Column):
            if (twins := self.names.get(one.name.lower())) is not None:
                one.set("this", exp.to_identifier(twins[which], quoted=True))
        return copy.sql("sqlite")


def with_twin_columns(
    file: Path, schema: Schema, language: Language, *, out: Path, count: int, seed: int
) -> Twins | None:
    """Write a copy of a SQLite database in which columns gave way to two each, the second with the first's cells mixed.

    Args:
        out: file of the copy.
        count: of columns that give way, at most; of each table one, none that a key has or two tables share.
        seed: draws columns and what tells their twins apart.

    Returns:
        None if no column may give way, and nothing is written.
    """
    rng = random.Random(f"{seed}:{schema.name}:{file.name}")
    tables, names = list[Table](), dict[str, tuple[str, str]]()
    shutil.copyfile(file, out)
    with closing(sqlite3.connect(out)) as connection:
        for table in schema.tables:
            column = rng.choice(fitting) if (fitting := _fitting(table, schema)) and len(names) < count else None
            if column is not None:
                one, other = _twins(column, table, language, rng)
                names[column.name.lower()] = (one.name, other.name)
                _fill(connection, table, column, (one, other))
                at = table.columns.index(column)
                table = replace(table, columns=(*table.columns[:at], one, other, *table.columns[at + 1 :]))  # noqa: PLW2901
            tables.append(table)
        connection.commit()
    if not names:
        out.unlink()
        return None
    return Twins(replace(schema, tables=tuple(tables)), names)


def _fitting(table: Table, schema: Schema) -> list[Column]:
    keys = {name.lower() for one in schema.tables for name in one.primary_key}
    links = [key for one in schema.tables for key in one.foreign_keys]
    keys |= {name.lower() for key in links for name in (*key.columns, *key.references)}
    everywhere = [column.name.lower() for one in schema.tables for column in one.columns]
    return [one for one in table.columns if one.name.lower() not in keys and everywhere.count(one.name.lower()) == 1]


def _twins(column: Column, table: Table, language: Language, rng: random.Random) -> tuple[Column, Column]:
    """Return the two, called as the table's other columns are: ``net_price``, ``NetPrice``, 税前价格."""
    spoken: Language = "zh" if not column.name.isascii() else "en"
    kinds = rng.choice(_KINDS[spoken])
    if rng.random() < 0.5:
        kinds = kinds[::-1]
    told = rng.choice(_KINDS[language]) if spoken != language else kinds
    return _twin(column, kinds[0], told[0]), _twin(column, kinds[1], told[1])


def _twin(column: Column, kind: str, told: str) -> Column:
    name = column.name
    if not name.isascii():
        called = kind + name
    elif "_" not in name and name[:1].isupper():
        called = kind.capitalize() + name
    else:
        called = f"{kind.capitalize() if name[:1].isupper() else kind}_{name}"
    space = "" if not told.isascii() else " "
    return replace(column, name=called, description=column.description and f"{told}{space}{column.description}")


def _fill(connection: sqlite3.Connection, table: Table, column: Column, twins: tuple[Column, Column]) -> None:
    name, (one, other) = quoted(table.name), (quoted(twin.name) for twin in twins)
    connection.execute(f"ALTER TABLE {name} RENAME COLUMN {quoted(column.name)} TO {one}")
    connection.execute(f"ALTER TABLE {name} ADD COLUMN {other} {column.type}")
    rows = connection.execute(f"SELECT rowid, {one} FROM {name} ORDER BY rowid").fetchall()
    cells = [cell for _, cell in rows]
    moved = [*cells[1:], *cells[:1]]
    connection.executemany(
        f"UPDATE {name} SET {other} = ? WHERE rowid = ?", zip(moved, (row[0] for row in rows), strict=True)
    )
