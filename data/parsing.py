"""One query as sqlglot reads it."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager

from sqlglot import Dialect, exp
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokenizer_core import Token

__all__ = ["PARSE_ERRORS", "parse", "quiet", "told_error", "words_of"]

PARSE_ERRORS = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError)
"""What sqlglot raises of a text that it cannot read: of fifty brackets in one another it knows no more than Python, and
behind some keywords of other dialects it looks for what is not there."""


@contextmanager
def quiet() -> Generator[None]:
    """Keep sqlglot from warning of statements that it keeps as text: what is said of them, the caller says."""
    logger = logging.getLogger("sqlglot")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def told_error(error: Exception) -> str:
    """Return what is wrong with a text that sqlglot cannot read, in one line."""
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    if not isinstance(error, SqlglotError):
        return "it cannot be parsed"
    return str(error).split("\n", 1)[0].split(". Line")[0]


def words_of(sql: str, dialect: str | type[Dialect]) -> list[Token]:
    """Return the tokens of a text in a dialect, none where sqlglot cannot cut it into any."""
    try:
        return Dialect.get_or_raise(dialect).tokenize(sql)
    except SqlglotError:
        return []


def parse(sql: str, dialect: str | type[Dialect], tokens: list[Token] | None = None) -> exp.Query | None:
    """Return the syntax tree of one query, or None if ``sql`` is anything else in this dialect.

    Args:
        sql: the text.
        dialect: sqlglot's name of it, or what sqlglot knows it by.
        tokens: of the text, where they are known.
    """
    reader = Dialect.get_or_raise(dialect)
    try:
        words = reader.tokenize(sql) if tokens is None else tokens
        with quiet():
            trees = reader.parser(error_level=ErrorLevel.RAISE).parse(words, sql)
    except PARSE_ERRORS:
        return None
    tree = trees[0] if len(trees) == 1 else None
    return tree if isinstance(tree, exp.Query) else None
