"""One query as sqlglot reads it, and its text made tidy before."""

import logging
import re
from collections.abc import Collection, Generator
from contextlib import contextmanager

import sqlglot
from sqlglot import Dialect, exp
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError
from sqlglot.tokenizer_core import Token

from .values.slots import quoted

PARSE_ERRORS = (SqlglotError, RecursionError)
"""The errors of a text that sqlglot cannot parse; nested brackets, fifty deep, exceed the recursion limit of Python."""

_STUMBLES = (ValueError, TypeError, AttributeError, LookupError)
"""The errors that sqlglot raises by mistake after some keywords of other dialects."""

_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`""", re.DOTALL)
_QUOTED_MYSQL = re.compile(r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|`[^`]*`""", re.DOTALL)
_BARE_DATE = re.compile(r"(?<![\w.-])(?:1[5-9]|20)\d\d-(?:0\d|1[0-2])-[0-3]\d(?![\w.-])")
_ESCAPED_QUOTE = re.compile(r"""\\(['"])""")


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


def tidy(sql: str, *, dialect: str, names: Collection[str] = ()) -> str:
    """Return ``sql`` with its strings and dates in single quotes and without the semicolon at its end.

    Some sets write dates bare, which is arithmetic to a database. Double quotes mean a string in MySQL, a name in
    Postgres, and in SQLite a name where there is one, else a string.

    Args:
        sql: one query.
        dialect: sqlite, mysql or postgres.
        names: lower-cased names of the schema, for SQLite.
    """

    def put(match: re.Match[str]) -> str:
        text = match[0]
        if text[0].isdigit():
            return f"'{text}'"
        if text[0] == "`" or (text[0] == '"' and dialect == "postgres"):
            return text
        inner = text[1:-1].replace(text[0] * 2, text[0])
        if text[0] == '"' and dialect == "sqlite" and (inner.lower() in names or _named(sql, match)):
            return text
        if dialect == "mysql":
            inner = _ESCAPED_QUOTE.sub(r"\1", inner)
        return quoted(inner)

    literals = _QUOTED_MYSQL if dialect == "mysql" else _QUOTED
    found = re.compile(f"{literals.pattern}|{_BARE_DATE.pattern}", re.DOTALL)
    return found.sub(put, sql.strip()).rstrip().removesuffix(";").rstrip()


def _named(sql: str, match: re.Match[str]) -> bool:
    """Is this a name by its place: behind AS, or beside a dot?"""
    before, after = sql[: match.start()].rstrip(), sql[match.end() :].lstrip()
    return bool(re.search(r"(?:\bAS|\.)$", before, re.IGNORECASE)) or after.startswith(".")
