"""The query within what a model wrote, or why there is none that may run.

A query stands in a fenced block, behind «SQL:», or begins a line; the first of these ways that finds any holds. What
stands before it is the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from ..data.parsing import parse
from ..validation.statements import read_statements

__all__ = ["ReadAnswer", "read_answer"]

_FENCE = re.compile(r"```[ \t]*(?P<tag>[\w+#-]*)[ \t]*\n?(?P<text>.*?)(?:```|\Z)", re.DOTALL)
_SQL_TAGS = frozenset({"", "sql", "sqlite", "sqlite3", "mysql", "mariadb", "postgres", "postgresql", "pgsql", "tsql"})
_REST = r"(?:'[^']*'|[^';]|')*?(?=;|\n[ \t]*\n|```|\Z)"  # of a query: to a semicolon, an empty line, a fence
_LABEL = re.compile(rf"^[ \t>*_#]*SQL[ \t*_]*[:：][ \t*_]*\n?(?P<text>\S{_REST})", re.IGNORECASE | re.MULTILINE)
_BARE = re.compile(rf"^[ \t]*(?P<text>(?:SELECT|WITH)\b(?!\s+the\b){_REST})", re.IGNORECASE | re.MULTILINE)
_VERBS = (
    *("INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "DROP", "ALTER", "CREATE", "TRUNCATE", "PRAGMA", "ATTACH"),
    *("DETACH", "VACUUM", "GRANT", "REVOKE", "COPY", "LOAD", "CALL", "EXEC", "EXECUTE"),
)
_COMMAND = re.compile(rf"(?:^|;)[ \t]*(?P<text>(?:{'|'.join(_VERBS)})\b{_REST})", re.MULTILINE)
"""In capitals alone: prose may begin with «Update» or «Create»."""


@dataclass(frozen=True)
class ReadAnswer:
    """What an answer holds.

    Attributes:
        program: what stands before the query.
        sql: the query; where there is a problem, what was found in its place, empty if nothing.
        problem: why nothing is to be run, in one line; None where ``sql`` is a query.
    """

    program: str = ""
    sql: str = ""
    problem: str | None = None


def read_answer(text: str, dialect: str) -> ReadAnswer:
    """Return the one query of an answer.

    Args:
        text: what the model wrote.
        dialect: that of the database: sqlite, mysql or postgres.
    """
    said = text.rpartition("</think>")[2]  # what reasoning models write before holds drafts
    for way in (_fenced, _labelled, _bare, _commands):
        if found := [(start, sql) for start, sql in way(said) if sql.strip()]:
            if way in (_labelled, _bare):
                found += _commands(said)
            program = _program(said[: found[0][0]])
            return _judged(program, [one for _, sql in found for one in _statements(sql)], dialect)
    return ReadAnswer(said.strip(), "", "there is no SQL in the answer")


def _judged(program: str, queries: list[str], dialect: str) -> ReadAnswer:
    if not queries:
        return ReadAnswer(program, "", "there is no SQL in the answer")
    for sql in queries:
        if (verb := _verb(sql)) is not None:
            return ReadAnswer(program, sql, f"{verb} is no SELECT: nothing but SELECT ever runs")
    different = {_canonical(sql, dialect): sql for sql in queries}
    if len(different) > 1:
        return ReadAnswer(program, queries[0], f"there are {len(different)} different queries in the answer; write one")
    return ReadAnswer(program, queries[0])


# ---- where queries stand


def _fenced(text: str) -> Iterator[tuple[int, str]]:
    """Yield the fenced blocks that hold SQL, each with where it begins."""
    for block in _FENCE.finditer(text):
        if block["tag"].lower() in _SQL_TAGS:
            yield block.start(), block["text"]
        elif block["tag"].upper() in {"SELECT", "WITH"}:  # the query stands in the line of the fence
            yield block.start(), f"{block['tag']} {block['text']}"


def _labelled(text: str) -> Iterator[tuple[int, str]]:
    return ((found.start(), found["text"].strip().strip("`")) for found in _LABEL.finditer(text))


def _bare(text: str) -> Iterator[tuple[int, str]]:
    """Yield what begins as a query does: SELECT, in small letters if a «from» follows, or WITH and its bracket."""
    for found in _BARE.finditer(text):
        sql = found["text"]
        needed = r"\bAS\s*\(" if sql[0] in "Ww" else r"\bFROM\b"
        if sql.startswith("SELECT") or re.search(needed, sql, re.IGNORECASE):
            yield found.start(), sql


def _commands(text: str) -> Iterator[tuple[int, str]]:
    return ((found.start(), found["text"]) for found in _COMMAND.finditer(text))


def _program(before: str) -> str:
    """Return what stands before a query, without a last «SQL:»."""
    return re.sub(r"[ \t>*_#]*SQL(?: query)?[ \t*_]*[:：][ \t*_]*\Z", "", before.strip(), flags=re.IGNORECASE).strip()


def _statements(text: str) -> list[str]:
    if not re.sub(r"--[^\n]*|/\*.*?\*/|[\s;]+", "", text, flags=re.DOTALL):
        return []
    return [statement.sql for statement in read_statements(text) if statement.sql]


# ---- what they are


def _verb(sql: str) -> str | None:
    """Return what a statement begins with, if that begins no query."""
    bare = re.sub(r"\A(?:\s|\(|--[^\n]*\n|/\*.*?\*/)+", "", sql, flags=re.DOTALL)
    verb = re.match(r"\w*", bare)
    word = verb[0].upper() if verb else ""
    return None if word in {"SELECT", "WITH", "VALUES"} else (word or bare[:1] or "it")


def _canonical(sql: str, dialect: str) -> str:
    """Return what two ways to write one query have in common: not blanks, nor the case of keywords and names."""
    tree = parse(sql, dialect)
    if tree is None:
        return " ".join(sql.split())
    return normalize_identifiers(tree, dialect=dialect).sql(dialect=dialect, comments=False)
