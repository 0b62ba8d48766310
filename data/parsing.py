"""One query as sqlglot reads it."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

__all__ = ["parse"]


def parse(sql: str, dialect: str) -> exp.Query | None:
    """Return the syntax tree of one query, or None if ``sql`` is anything else in this dialect."""
    try:
        trees = sqlglot.parse(sql, dialect=dialect, error_level=ErrorLevel.RAISE)
    except (SqlglotError, RecursionError):
        return None
    tree = trees[0] if len(trees) == 1 else None
    return tree if isinstance(tree, exp.Query) else None
