"""What others say of a query that the grammar does not cover: whether it is SQL, and what the grammar lacks."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection
from contextlib import closing

import sqlglot
from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from ..data.sql.parsing import PARSE_ERRORS, read_tree
from ..grammar.lr.functions import load_functions
from ..grammar.lr.tables import DIALECTS

__all__ = ["engines_of", "is_sql", "system_table", "unknown_construct", "unknown_table"]

_SYSTEM = {
    "sqlite": re.compile(r"(?:sqlite|pragma)_\w+"),
    "mysql": re.compile("dual"),
    "postgres": re.compile(r"pg_\w+"),
}
"""Names of tables that an engine has by itself."""

_SYSTEM_SCHEMAS = {"information_schema", "pg_catalog", "mysql", "performance_schema", "sys", "temp"}
"""Schemas of such tables, whatever these are called."""

_LACKING: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.WindowSpec, "the frame of a window"),
    (exp.Values, "VALUES"),
    (exp.Lateral, "LATERAL"),
    (exp.Filter, "FILTER"),
    (exp.Into, "INTO"),
)
"""What the grammar does not know, by the node that sqlglot makes of it."""

_ABSENT: dict[str, tuple[str, ...]] = {
    "mysql": (
        *("::", "ILIKE", "NOTNULL", "IS DISTINCT FROM", "IS NOT DISTINCT FROM", "SIMILAR TO", "FILTER (", "LIMIT -"),
        *("NULLS FIRST", "NULLS LAST", "DISTINCT ON", "LIMIT ALL", "BETWEEN SYMMETRIC", "FULL OUTER"),
    ),
    "postgres": ("LIMIT -", "REGEXP", "RLIKE", "GLOB", "<=>"),
}
"""What an engine's syntax has nowhere, though sqlglot reads it."""

_OWN = {
    "mysql": {"CHR", "TO_CHAR"},
    "postgres": {
        "ACOS",
        "ASIN",
        "BIT_XOR",
        "CHAR",
        "CONVERT",
        "COSH",
        "JSON_OBJECT",
        "SINH",
        "TANH",
        "POW",
        "REGEXP_INSTR",
    },
}
"""Functions that an engine has and its grammar has not, though another engine's grammar has one called so."""

_OPERANDS = "NOT|NULL|TRUE|FALSE|UNKNOWN|DISTINCT|JSON|DOCUMENT|OF|NORMALIZED|NF[CDK]+"
_BAD_IS = re.compile(rf" IS (?!(?:{_OPERANDS}) )| IS NOT (?!(?:{_OPERANDS}) )")
"""IS with any operand, which SQLite alone has."""

_NO_SYNTAX = re.compile(r"syntax error|unrecognized token|incomplete input|one statement")


def is_sql(sql: str, dialect: str) -> bool:
    """Say whether a statement parses: SQLite is asked itself, without tables; sqlglot for the others."""
    if dialect != "sqlite":
        words = f" {' '.join(map(_word, _tokens(sql, dialect)))} "
        absent = any(f" {absent} " in words for absent in _ABSENT[dialect]) or _BAD_IS.search(words) is not None
        return _tree(sql, dialect) is not None and not absent
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
    for with_ in tree.find_all(exp.With):
        if with_.recursive or with_.parent is not tree:
            return "WITH RECURSIVE" if with_.recursive else "WITH in a subquery"
        if any(common.alias_column_names for common in with_.expressions):
            return "a list of columns in WITH"
    return next((name for kind, name in _LACKING if tree.find(kind)), None)


def unknown_table(sql: str, dialect: str, known: Collection[str]) -> str | None:
    """Return a table that a statement reads and the schema does not have, None if there is none for sure.

    Args:
        known: the schema's tables, in lower case.
    """
    tree = _tree(sql, dialect)
    if not isinstance(tree, exp.Query):
        return None
    named = {with_.alias.lower() for with_ in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        name = table.name.lower()
        plain = isinstance(table.this, exp.Identifier) and not table.db
        if plain and name not in known and name not in named and not _SYSTEM[dialect].fullmatch(name):
            return table.name
    return None


def system_table(sql: str, dialect: str, known: Collection[str]) -> str | None:
    """Return a table that a statement reads and the engine has by itself, ``known`` as for `unknown_table`."""
    tree = _tree(sql, dialect)
    for table in tree.find_all(exp.Table) if tree else ():
        name = table.name.lower()
        named = name not in known and _SYSTEM[dialect].fullmatch(name)
        if named or table.db.lower() in _SYSTEM_SCHEMAS:
            return table.name
    return None


def engines_of(function: str, *, without: str) -> list[str]:
    """Return the other dialects that have a function, nothing if that of ``without`` may have one called so, too."""
    name = function.upper()
    with closing(sqlite3.connect(":memory:")) as engine:
        own = {found.upper() for (found,) in engine.execute("SELECT name FROM pragma_function_list")}
    if name in (own if without == "sqlite" else _OWN[without]):
        return []
    return [dialect for dialect in DIALECTS if dialect != without and name in load_functions(dialect, wide=True)]


def _tokens(sql: str, dialect: str) -> list[Token]:
    try:
        return sqlglot.tokenize(sql, read=dialect)
    except PARSE_ERRORS:
        return []


def _word(token: Token) -> str:
    """Return a token in upper case; what stands in quotes is no keyword."""
    quoted = token.token_type in {TokenType.STRING, TokenType.IDENTIFIER}
    return "''" if quoted else token.text.upper()


def _tree(sql: str, dialect: str) -> exp.Expr | None:
    try:
        return read_tree(sql, dialect)
    except PARSE_ERRORS:
        return None
