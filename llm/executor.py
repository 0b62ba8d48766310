"""Reads the query in a model's reply, validates it against the schema, and runs it.

A query stands in a fenced block, behind «SQL:», or at the beginning of a line; these ways are tried in this order until
one finds a query. The text before it is the program of thoughts.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from ..data.databases.database import Database
from ..data.databases.rows import Rows, comparable
from ..data.errors import DatabaseError, UnavailableError, UnknownNameError
from ..data.parsing import parse
from ..data.schema.schema import Schema
from ..validation import Validation, Validator
from ..validation.statements import read_statements

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
    """The parts of a reply.

    Attributes:
        program: the text before the query.
        sql: the query; where there is a problem, the text in its place, or empty.
        problem: the reason why nothing can be run, in one line; None where ``sql`` is a query.
    """

    program: str = ""
    sql: str = ""
    problem: str | None = None


def read_answer(text: str, dialect: str) -> ReadAnswer:
    """Return the one query of a reply.

    Args:
        text: the reply of the model.
        dialect: that of the database: sqlite, mysql or postgres.
    """
    reply = text.rpartition("</think>")[2]  # before it reasoning models write drafts
    for way in (_fenced, _labelled, _bare, _commands):
        if found := [(start, sql) for start, sql in way(reply) if sql.strip()]:
            if way in (_labelled, _bare):
                found += _commands(reply)
            program = _program(reply[: found[0][0]])
            return _judged(program, [one for _, sql in found for one in _statements(sql)], dialect)
    return ReadAnswer(reply.strip(), "", "there is no SQL in the answer")


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
    """Yield the fenced blocks with SQL, each with its place."""
    for block in _FENCE.finditer(text):
        if block["tag"].lower() in _SQL_TAGS:
            yield block.start(), block["text"]
        elif block["tag"].upper() in {"SELECT", "WITH"}:  # the query stands in the line of the fence
            yield block.start(), f"{block['tag']} {block['text']}"


def _labelled(text: str) -> Iterator[tuple[int, str]]:
    return ((found.start(), found["text"].strip().strip("`")) for found in _LABEL.finditer(text))


def _bare(text: str) -> Iterator[tuple[int, str]]:
    """Yield the texts that begin with SELECT, in small letters only with a «from» behind it, or with WITH and AS (."""
    for found in _BARE.finditer(text):
        sql = found["text"]
        needed = r"\bAS\s*\(" if sql[0] in "Ww" else r"\bFROM\b"
        if sql.startswith("SELECT") or re.search(needed, sql, re.IGNORECASE):
            yield found.start(), sql


def _commands(text: str) -> Iterator[tuple[int, str]]:
    return ((found.start(), found["text"]) for found in _COMMAND.finditer(text))


def _program(before: str) -> str:
    """Return the text before a query, without a last «SQL:»."""
    return re.sub(r"[ \t>*_#]*SQL(?: query)?[ \t*_]*[:：][ \t*_]*\Z", "", before.strip(), flags=re.IGNORECASE).strip()


def _statements(text: str) -> list[str]:
    if not re.sub(r"--[^\n]*|/\*.*?\*/|[\s;]+", "", text, flags=re.DOTALL):
        return []
    return [statement.sql for statement in read_statements(text) if statement.sql]


# ---- what they are


def _verb(sql: str) -> str | None:
    """Return the first word of a statement that is no query, None of a query."""
    bare = re.sub(r"\A(?:\s|\(|--[^\n]*\n|/\*.*?\*/)+", "", sql, flags=re.DOTALL)
    verb = re.match(r"\w*", bare)
    word = verb[0].upper() if verb else ""
    return None if word in {"SELECT", "WITH", "VALUES"} else (word or bare[:1] or "it")


def _canonical(sql: str, dialect: str) -> str:
    """Return one form for all ways to write a query: blanks and the case of keywords and names do not count."""
    tree = parse(sql, dialect)
    if tree is None:
        return " ".join(sql.split())
    return normalize_identifiers(tree, dialect=dialect).sql(dialect=dialect, comments=False)


_LEVEL = "scope"
"""Queries are validated at this level before they run: by their names alone. The rules of types are careful and would
refuse queries that run; the database itself reports what is wrong with the others."""

_NOTHING = "it runs, but finds no row; look at values, conditions and joins"


@dataclass(frozen=True)
class Outcome(ReadAnswer):
    """The outcome of a reply: its parts, and the rows of its query or the problem with it.

    Attributes:
        text: the reply of the model.
        rows: the rows of the query, None if it was not run or failed.
        failure: the kind of the problem, None where there is none: ``text`` (the reply has no single query), ``names``
            (the query names something unknown), ``execution`` (the database refuses it, or it takes too long) or
            ``empty`` (it finds nothing).
        unavailable: whether the database failed, so that the query may be right.
    """

    text: str = ""
    rows: Rows | None = None
    failure: str | None = None
    unavailable: bool = False

    @property
    def key(self) -> Hashable:
        """Return a key that two queries with the same rows share, in whatever order the rows come."""
        rows = self.rows.rows if self.rows else ()
        return frozenset(Counter(tuple(map(comparable, row)) for row in rows).items())


class Executor:
    """Tries replies on one database.

    Args:
        schema: of the database.
        database: open for reading.
        dialect: sqlite, mysql or postgres.
    """

    def __init__(self, schema: Schema, database: Database, dialect: str) -> None:
        self._database = database
        self._dialect = dialect
        self._validator = Validator(schema, dialect=dialect, level=_LEVEL)

    def outcome(self, text: str) -> Outcome:
        """Return the outcome of a reply."""
        read = read_answer(text, self._dialect)
        if read.problem is not None:
            return Outcome(read.program, read.sql, read.problem, text, failure="text")
        known = self._validator.validate(read.sql)
        if known.runs is False:  # a query outside of the grammar may run
            return Outcome(read.program, read.sql, _refusal(known), text, failure="names")
        try:
            rows = self._database.query(read.sql)
        except DatabaseError as error:
            lost = isinstance(error, UnavailableError) or (known.runs and isinstance(error, UnknownNameError))
            return Outcome(read.program, read.sql, error.unplaced, text, failure="execution", unavailable=bool(lost))
        if any(cell is not None for row in rows.rows for cell in row):
            return Outcome(read.program, read.sql, None, text, rows)
        return Outcome(read.program, read.sql, _NOTHING, text, rows, "empty")


def _refusal(found: Validation) -> str:
    """Return the problem of a query with the nearest valid query, or with the words that are allowed in its place."""
    problem = found.problem or "it is refused"
    if found.nearest:
        return f"{problem}; nearest: {' '.join(found.nearest.split())}"
    could = [word for kind in ("column", "table", "function") for word in found.allowed.get(kind, ())]
    return f"{problem}; there could stand {', '.join(could)}" if could else problem
