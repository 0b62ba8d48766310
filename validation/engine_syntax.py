"""Judgements on a query that the grammar does not cover: whether it is SQL, and what the grammar lacks."""

import re
import sqlite3
import tomllib
from collections.abc import Collection, Iterator
from contextlib import closing
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from ..data.databases.sqlite_session import quoted
from ..data.parsing import PARSE_ERRORS, read_tree, words_of
from ..data.schema.ddl_writer import to_ddl
from ..data.schema.schema import Schema
from ..grammar.lr.tables import DIALECTS, load_functions

_SYSTEM = {
    "sqlite": re.compile(r"(?:sqlite|pragma)_\w+"),
    "mysql": re.compile("dual"),
    "postgres": re.compile(r"pg_\w+"),
}
"""Names of tables that an engine has by itself."""

_SYSTEM_SCHEMAS = {"information_schema", "pg_catalog", "mysql", "performance_schema", "sys", "temp"}
"""Schemas of such tables, whatever these are called."""

_LACKING: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Values, "VALUES"),
    (exp.Lateral, "LATERAL"),
    (exp.Unnest, "UNNEST"),
    (exp.Rollup, "ROLLUP"),
    (exp.Cube, "CUBE"),
    (exp.GroupingSets, "GROUPING SETS"),
    (exp.WithinGroup, "WITHIN GROUP"),
    (exp.Any, "ANY"),
    (exp.Bracket, "an element of an array"),
    (exp.Into, "INTO"),
)
"""What the grammar does not know, by the node that sqlglot makes of it."""

_SYNTAX: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""What is known of MySQL's and PostgreSQL's SQL beside their grammars; see the file."""

_OPERANDS = "NOT|NULL|TRUE|FALSE|UNKNOWN|DISTINCT|JSON|DOCUMENT|OF|NORMALIZED|NF[CDK]+"
_BAD_IS = re.compile(rf" IS (?!(?:{_OPERANDS}) )| IS NOT (?!(?:{_OPERANDS}) )")
"""IS with any operand, which SQLite alone has."""

_NO_SYNTAX = re.compile(r"syntax error|unrecognized token|incomplete input|one statement")


def is_sql(sql: str, dialect: str) -> bool:
    """Say whether a statement parses: SQLite itself reads its own, without tables; sqlglot reads the others."""
    if dialect != "sqlite":
        words = f" {' '.join(map(_word, words_of(sql, dialect)))} "
        absent = (
            any(f" {absent} " in words for absent in _SYNTAX[dialect]["absent"]) or _BAD_IS.search(words) is not None
        )
        return _tree(sql, dialect) is not None and not absent
    message = sqlite_refuses(sql, Schema(()))
    return message is None or _NO_SYNTAX.search(message) is None


def sqlite_refuses(sql: str, schema: Schema) -> str | None:
    """Return the error of SQLite for a query of a schema before it reads any row, None if it would begin.

    Of a function that only some versions have, the version at hand decides.
    """
    with closing(sqlite3.connect(":memory:")) as engine:
        try:
            engine.executescript(to_ddl(schema, quoted))
        except sqlite3.Error:  # a table is called as SQLite's own are
            return None
        try:
            engine.execute(f"EXPLAIN {sql}")
        except (sqlite3.Error, sqlite3.Warning) as error:
            return str(error)
    return None


def unknown_construct(sql: str, dialect: str, *, read: bool = False) -> str | None:
    """Return what in a statement the grammar has no rule for, None where it has one for all.

    Args:
        sql: the statement.
        dialect: of the engine.
        read: whether its words could be read, so that what stands in it is all that there is to find.
    """
    tree = _tree(sql, dialect)
    if tree is not None and not isinstance(tree, exp.Query):
        return f"{sql.split(maxsplit=1)[0].upper()}, which is no query"
    found = chain(_lacking(tree), () if read else _lacking_words(tree, sql, dialect)) if tree is not None else iter(())
    return next(found, None)


def _lacking(tree: exp.Query) -> Iterator[str]:
    """Yield the constructs of a query that are not in the grammar, and that nothing rewrites."""
    if any(with_.recursive for with_ in tree.find_all(exp.With)):
        yield "WITH RECURSIVE"
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Func):
            called = table.this.name if isinstance(table.this, exp.Anonymous) else table.this.sql_name()
            yield f"{called}, a table that a function makes"
    yield from (name for kind, name in _LACKING if tree.find(kind))


def _lacking_words(tree: exp.Query, sql: str, dialect: str) -> Iterator[str]:
    """Yield what may be why a query could not be rewritten."""
    for with_ in tree.find_all(exp.With):
        if with_.parent is not tree:
            yield "WITH in a subquery"
        if any(common.alias_column_names for common in with_.expressions):
            yield "a list of columns in WITH"
    lacked = _SYNTAX.get(dialect, {}).get("lacked", "").split()
    yield from (word for word in map(_word, words_of(sql, dialect)) if word in lacked)


def unknown_table(sql: str, dialect: str, known: Collection[str]) -> str | None:
    """Return a table that a statement reads and the schema does not have, None if there is none for sure.

    Args:
        known: the keys of the schema's tables.
    """
    tree = _tree(sql, dialect)
    if not isinstance(tree, exp.Query):
        return None
    named = {*known, *(query.alias.lower() for query in tree.find_all(exp.CTE))}
    for table in tree.find_all(exp.Table):
        plain, name = isinstance(table.this, exp.Identifier) and not table.db, table.name.lower()
        if plain and named.isdisjoint({table.name, name}) and not _SYSTEM[dialect].fullmatch(name):
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


def is_foreign(function: str, dialect: str) -> bool:
    """Say whether some engine has a function, and that of MySQL's or PostgreSQL's dialect has not."""
    name, own = function.upper(), {*_SYNTAX[dialect]["functions"].split(), *load_functions(dialect, wide=True)}
    return name not in own and (name in _functions_of_others() or bool(engines_of(name, without=dialect)))


def engines_of(function: str, *, without: str) -> list[str]:
    """Return the other dialects that have a function."""
    others = (dialect for dialect in DIALECTS if dialect != without)
    return [dialect for dialect in others if function.upper() in load_functions(dialect, wide=True)]


@cache
def _functions_of_others() -> frozenset[str]:
    """Return the names of functions that sqlglot knows of any engine."""
    parsers = [dialect.parser_class for dialect in Dialect.classes.values()]
    return frozenset(name.upper() for one in parsers for name in (*one.FUNCTIONS, *one.FUNCTION_PARSERS) if name)


def _word(token: Token) -> str:
    """Return a token in upper case; what stands in quotes is no keyword."""
    quoted = token.token_type in {TokenType.STRING, TokenType.IDENTIFIER}
    return "''" if quoted else token.text.upper()


def _tree(sql: str, dialect: str) -> exp.Expr | None:
    try:
        return read_tree(sql, dialect)
    except PARSE_ERRORS:
        return None
