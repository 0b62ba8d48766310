"""What others say of a query that the grammar does not cover: whether it is SQL, and what the grammar lacks."""

from __future__ import annotations

import logging
import re
import sqlite3
from contextlib import closing

import sqlglot
from sqlglot import exp

from ..data.parsing import PARSE_ERRORS

__all__ = ["is_sql", "unknown_construct"]

_LACKING: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.With, "WITH"),
    (exp.Window, "a window function"),
    (exp.Values, "VALUES"),
    (exp.Lateral, "LATERAL"),
    (exp.Filter, "FILTER"),
    (exp.Into, "INTO"),
)
"""What the grammar does not know, by the node that sqlglot makes of it."""

_NO_SYNTAX = re.compile(r"syntax error|unrecognized token|incomplete input|one statement")


def is_sql(sql: str, dialect: str) -> bool:
    """Say whether a statement parses: SQLite is asked itself, without tables; sqlglot for the others."""
    if dialect != "sqlite":
        return _tree(sql, dialect) is not None
    with closing(sqlite3.connect(":memory:")) as engine:
        try:
            engine.execute(f"EXPLAIN {sql}")
        except (sqlite3.Error, sqlite3.Warning) as error:
            return _NO_SYNTAX.search(str(error)) is None
    return True


def unknown_construct(sql: str, dialect: str) -> str | None:
    """Return what in a statement the grammar has no rule for, as far as it has a name."""
    tree = _tree(sql, dialect)
    if tree is None:
        return None
    if not isinstance(tree, exp.Query):
        return f"{sql.split(maxsplit=1)[0].upper()}, which is no query"
    return next((name for kind, name in _LACKING if tree.find(kind)), None)


def _tree(sql: str, dialect: str) -> exp.Expr | None:
    logger = logging.getLogger("sqlglot")
    level = logger.level
    logger.setLevel(logging.ERROR)  # it warns of statements that it keeps as text
    try:
        return sqlglot.parse_one(sql, read=dialect)
    except PARSE_ERRORS:
        return None
    finally:
        logger.setLevel(level)
