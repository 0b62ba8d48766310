"""Gold queries as Querent keeps them: strings in single quotes, no semicolon at the end."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..schema.schema import Schema

__all__ = ["names_of", "tidy"]

_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`""", re.DOTALL)
_QUOTED_MYSQL = re.compile(r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|`[^`]*`""", re.DOTALL)
_BARE_DATE = re.compile(r"(?<![\w.-])(?:1[5-9]|20)\d\d-(?:0\d|1[0-2])-[0-3]\d(?![\w.-])")
_ESCAPED_QUOTE = re.compile(r"""\\(['"])""")


def names_of(schema: Schema) -> frozenset[str]:
    """Return the names of tables and columns in lower case."""
    columns = {column.name.lower() for _, column in schema.columns()}
    return frozenset(columns | {table.name.lower() for table in schema.tables})


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
        return "'" + inner.replace("'", "''") + "'"

    quoted = _QUOTED_MYSQL if dialect == "mysql" else _QUOTED
    found = re.compile(f"{quoted.pattern}|{_BARE_DATE.pattern}", re.DOTALL)
    return found.sub(put, sql.strip()).rstrip().removesuffix(";").rstrip()


def _named(sql: str, match: re.Match[str]) -> bool:
    """Is this a name by its place: behind AS, or beside a dot?"""
    before, after = sql[: match.start()].rstrip(), sql[match.end() :].lstrip()
    return bool(re.search(r"(?:\bAS|\.)$", before, re.IGNORECASE)) or after.startswith(".")
