"""One query as sqlglot reads it."""

import logging
from collections.abc import Generator
from contextlib import contextmanager

import sqlglot
from sqlglot import Dialect, exp
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError
from sqlglot.tokenizer_core import Token

PARSE_ERRORS = (SqlglotError, RecursionError)
"""The errors of a text that sqlglot cannot parse; nested brackets, fifty deep, exceed the recursion limit of Python."""

_STUMBLES = (ValueError, TypeError, AttributeError, LookupError)
"""The errors that sqlglot raises by mistake after some keywords of other dialects."""


@contextmanager
def _reading() -> Generator[None]:
    """Have sqlglot parse without warnings about statements that it keeps as text; its own failures become ParseErrors.

    Raises:
        ParseError: it is no SQL that sqlglot knows.
    """
    logger = logging.getLogger("sqlglot")
    before, logger.disabled = logger.disabled, True  # another level would have all loggers forget theirs
    try:
        yield
    except _STUMBLES as error:
        raise ParseError("it cannot be parsed") from error
    finally:
        logger.disabled = before


def read_tree(sql: str, dialect: str | type[Dialect] | None) -> exp.Expr:
    """Return the syntax tree of one statement, whatever it does.

    Raises:
        SqlglotError: it is none in this dialect; `PARSE_ERRORS` has all.
    """
    reader = Dialect.get_or_raise(dialect)
    with _reading():
        return sqlglot.parse_one(sql, dialect=reader)


def parse_problem(error: Exception) -> str:
    """Return the error of a text that sqlglot cannot parse, in one line."""
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    return str(error).split("\n", 1)[0].split(". Line")[0]


def words_of(sql: str, dialect: str | type[Dialect]) -> list[Token]:
    """Return the tokens of a text in a dialect, none if sqlglot cannot tokenise it."""
    try:
        return Dialect.get_or_raise(dialect).tokenize(sql)
    except SqlglotError:
        return []


def parse(sql: str, dialect: str | type[Dialect], tokens: list[Token] | None = None) -> exp.Query | None:
    """Return the syntax tree of one query, or None if ``sql`` is anything else in this dialect.

    Args:
        sql: the text.
        dialect: sqlglot's name or class of it.
        tokens: of the text, where they are known.
    """
    reader = Dialect.get_or_raise(dialect)
    try:
        words = reader.tokenize(sql) if tokens is None else tokens
        with _reading():
            trees = reader.parser(error_level=ErrorLevel.RAISE).parse(words, sql)
    except PARSE_ERRORS:
        return None
    tree = trees[0] if len(trees) == 1 else None
    return tree if isinstance(tree, exp.Query) else None
