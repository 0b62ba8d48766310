"""Values and rows of a domain's own database."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from ...data.domains.domain import Domain
from ...data.errors import DatabaseError
from .engine import Content
from .neighbours import Value
from .rows import RowStore
from .shape import Place, Relation, Shape, opened, quoted, sqlite_file

__all__ = ["sample", "stored_values"]

_VALUES = 12  # kept of each column
_ROWS = 120  # kept of each table


def stored_values(domain: Domain, shape: Shape) -> dict[Place, list[Value]]:
    """Return some values of each column of the domain's SQLite file; nothing where there is none."""
    file = sqlite_file(domain)
    if file is None:
        return {}
    found: dict[Place, list[Value]] = {}
    try:
        with closing(opened(file)) as own:
            for name, relation in shape.relations.items():
                rows = _some(own, relation, 400)
                for place, column in enumerate(relation.fields):
                    seen = [row[place] for row in rows if row[place] is not None]
                    found[name, column] = list(dict.fromkeys(seen))[:_VALUES]
    except sqlite3.Error as error:
        raise DatabaseError(f"cannot read the rows: {error}", file=file) from error
    return found


def sample(domain: Domain, shape: Shape, stored: Mapping[Place, Sequence[Value]], draw: random.Random) -> Content:
    """Return a small part of the domain's own rows that keeps the references; nothing where it has no SQLite file."""
    file = sqlite_file(domain)
    if file is None or not stored:
        return {}
    store = RowStore(shape)
    with closing(opened(file)) as own:
        for name, relation in shape.relations.items():
            rows = _some(own, relation, 40 * _ROWS)
            kept = 0
            for row in draw.sample(rows, len(rows)):
                kept += store.add(name, dict(zip(relation.fields, row, strict=True)))
                if kept == _ROWS:
                    break
    return store.rows


def _some(own: sqlite3.Connection, relation: Relation, most: int) -> list[tuple[Any, ...]]:
    """Return rows spread over a table."""
    if own.execute("SELECT 1 FROM sqlite_master WHERE LOWER(name) = LOWER(?)", (relation.name,)).fetchone() is None:
        return []
    columns = ", ".join(quoted(f.name) for f in relation.fields.values())
    table = quoted(relation.name)
    count: int = own.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
    step = max(1, count // most)
    return own.execute(f"SELECT {columns} FROM {table} WHERE rowid % {step} = 0 LIMIT {most}").fetchall()
