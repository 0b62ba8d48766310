"""Queries under an `Access`, and what they read: is there one that reads what its role may not?

Schemas are random ones and the plant's, or that of --schema; each has a role, rows in its tables, and a few queries: at
random, in the ways of walks; tempted, by logits that want the names that are forbidden, stars, NATURAL, USING and
subqueries; and texts, written byte by byte in the same mood. SQLite has an authorizer, and a second database with other
cells in all that is hidden; servers have a user with rights on what may be read alone.
"""

from __future__ import annotations

import argparse
import random
import re
import secrets
import sqlite3
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.engine import make_url

from querent.data.domains.examples import fill_sql
from querent.data.schema.schema import Schema, Table
from querent.grammar import EOS, LEVELS, Access, Constraint, Grammar, Vocabulary
from querent.grammar.lr.compiled import load_tables
from querent.grammar.tokens.constraint import TokenConstraint
from querent.grammar.tokens.spelling.tokens import TokenSpellings
from querent.parser.normal_form.first_of_each import written_out

from .engines import FETCHED, TIME_OUT, Quote, Rows, Server, Sqlite, databases, open_engine, quoted, whole
from .schemas import random_rows, random_schema
from .tally import Coverage
from .walker import WAYS, Walker, walk
from .walks import Plan
from .words import questions, vocabulary

__all__ = ["run"]

EACH = 10
"""Queries of a kind on one schema."""

BYTES = TokenSpellings((*(bytes([n]) for n in range(256)), None), (256,))
READS = ("reads", "answers", "fails on other cells")
"""The beginnings of problems that tell of a read."""

Hidden = frozenset[tuple[str, str]]
"""Forbidden columns as (table, column) in lower case; an empty column stands for the whole table."""

_WAYS_IN = ("*", "NATURAL", "USING", "EXISTS", "SELECT", "UNION", "JOIN", "WHERE", "ORDER", "GROUP", "HAVING", "rowid")
_UNSTEADY = re.compile(r"\b(random|date|time|datetime|julianday|unixepoch|strftime)\(|current_", re.IGNORECASE)
"""Calls whose answers may differ from run to run."""


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Write, run and count; print each query that reads or fails."""
    plan = Plan(options.engine, options.seed, schema=options.schema, budget=80)
    left = {"random": options.queries, "tempted": options.tempted, "texts": options.texts}
    counts = Counter[str](dict.fromkeys(("wrong", "time-outs", "refused", *left), 0))
    with databases(plan.engine, 1, options.url) as (url,), _opened(plan.engine, plan.timeout, url) as watch:
        while any(left.values()):
            case = Case.of(plan, counts["schemas"])
            counts["schemas"] += 1
            rng = plan.rng(case.number, "rows")
            rows = {table.name: random_rows(rng, table, plan.dialect) for table in case.schema.tables}
            watch.create(case.schema, case.access, case.grammar.quoting.write, rows)
            for kind, most in left.items():
                for sql in case.queries(kind, min(EACH, most)):
                    left[kind] -= 1
                    counts[kind] += 1
                    problem = watch.problem(sql)
                    if problem == TIME_OUT.kind:
                        counts["time-outs"] += 1
                    elif problem is not None and case.level != LEVELS[-1] and not problem.startswith(READS):
                        counts["refused"] += 1  # that level does not promise that a query runs
                    elif problem is not None:
                        counts["wrong"] += 1
                        print(f"schema {case.number}, {kind}: {problem}\n  {case.access}\n  {sql}", flush=True)
    return {**counts, "compared": watch.compared}


@dataclass(frozen=True)
class Case:
    """A schema and a role on it."""

    plan: Plan
    number: int
    schema: Schema
    access: Access
    grammar: Grammar

    @classmethod
    def of(cls, plan: Plan, number: int) -> Case:
        """Draw the case of a number."""
        rng, small = plan.rng(number, "schema"), number % 3 == 1 and plan.schema is None
        schema = (
            random_schema(rng, plan.dialect, tables=rng.choice([2, 3])) if small else plan.schema_at(number // 3, rng)
        )
        access = random_access(plan.rng(number, "access"), schema)
        return cls(plan, number, schema, access, Grammar.for_schema(schema, dialect=plan.dialect, access=access))

    @property
    def level(self) -> str:
        """Return the level of the constraint: names are told apart from ``scope`` on, and watched on SQLite alone."""
        return "scope" if self.number % 4 == 3 and self.plan.engine == "sqlite" else LEVELS[-1]

    def queries(self, kind: str, count: int) -> Iterator[str]:
        """Write queries of a kind."""
        rng, dialect = self.plan.rng(self.number, kind), self.plan.dialect
        temptation = Temptation(rng, forbidden(self.schema, self.access))
        if kind == "texts" and count:
            told = {"dialect": dialect, "level": self.level, "access": self.access}
            constraint = TokenConstraint(self.schema, BYTES, budget=30, **told)
            yield from (temptation.text(constraint) for _ in range(count))
            return
        words = vocabulary(self.plan.rng(self.number, "words"), self.grammar)
        constraint = Constraint(words, level=self.level)
        asked = questions(self.plan.rng(self.number, "questions"), words)
        walker = Walker(words, Coverage(load_tables(dialect), Counter()), Counter(), Counter())
        for place in range(count):
            question, budget = asked[place % len(asked)], rng.choice([12, 20, 40, self.plan.budget])
            walker.start(rng)
            if kind == "random":
                ids = walk(constraint, walker, WAYS[place % len(WAYS)], question, budget)
            else:
                ids = temptation.query(constraint, budget, question.told)
            yield fill_sql(written_out(words.decode(ids), self.grammar), question.values.values(), dialect=dialect)


def random_access(rng: random.Random, schema: Schema) -> Access:
    """Return a role that may read some tables whole, some in part, and something not at all."""
    tables: list[str] = []
    columns: dict[str, tuple[str, ...]] = {}
    for table in schema.tables:
        kind = rng.choice(["whole", "part", "part", "none"])
        names = [column.name for column in table.columns]
        if kind == "whole":
            tables.append(table.name)
        elif kind == "part":
            columns[table.name] = tuple(rng.sample(names, rng.randint(1, max(1, len(names) - 1))))
    if not tables and not columns:
        columns[schema.tables[0].name] = (schema.tables[0].columns[0].name,)
    if len(tables) == len(schema.tables) > 0:
        table = schema.table(tables.pop())
        columns[table.name] = (table.columns[0].name,)
    return Access(tuple(tables), columns)


def forbidden(schema: Schema, access: Access) -> Hidden:
    """Return the forbidden columns, worked out from the access and not by the product, which is on trial."""
    tables = {name.lower() for name in access.tables} - {name.lower() for name in access.columns}
    part = {name.lower(): {c.lower() for c in columns} for name, columns in access.columns.items()}
    found: set[tuple[str, str]] = set()
    for name, table in ((table.name.lower(), table) for table in schema.tables):
        if name not in tables:
            found |= {(name, c.name.lower()) for c in table.columns if c.name.lower() not in part.get(name, ())}
            found |= {(name, "rowid")} | ({(name, "")} if name not in part else set[tuple[str, str]]())
    return frozenset(found)


class Temptation:
    """Chooses the words that come nearest to what is hidden."""

    def __init__(self, rng: random.Random, hidden: Hidden) -> None:
        self._rng = rng
        names = {name for pair in hidden for name in pair if len(name) >= 2}
        self._names = sorted(names, key=lambda name: (-len(name), name))
        self._columns = {column for _, column in hidden}
        self._tables = {table for table, _ in hidden}

    def query(self, constraint: Constraint, budget: int, values: Mapping[str, str]) -> list[int]:
        """Write a query word by word, whose slots will be filled with values."""
        liking = self._liking(constraint.vocabulary)
        state, ids = constraint.start(None, budget, values), list[int]()
        while True:
            allowed = np.flatnonzero(state.allowed())
            noise = np.array([self._rng.gauss(0, 2) for _ in allowed])
            word = int(allowed[np.argmax(liking[allowed] + noise)])
            if word == EOS:
                return ids
            ids.append(word)
            state = state.advance(word)

    def _liking(self, vocabulary: Vocabulary) -> NDArray[np.float64]:
        liking = np.zeros(len(vocabulary))
        for i, word in enumerate(vocabulary.words):
            text, tables = word.text.lower(), set(map(str.lower, word.tables))
            liking[i] += 8 * (word.kind != "keyword" and any(name in text for name in self._names))
            liking[i] += 6 * (word.terminal in {"COLUMN", "QCOLUMN"} and (word.column or "").lower() in self._columns)
            liking[i] += 4 * (word.terminal in {"TABLE", "QSTAR"} and bool(self._tables & tables))
            liking[i] += 4 * (word.text in _WAYS_IN) + 3 * (word.text in {"FROM", "(", ","})
        liking[EOS] = -3
        return liking

    def text(self, constraint: TokenConstraint) -> str:
        """Write a query byte by byte, on a constraint whose tokens are the 256 bytes and an end."""
        state = constraint.start()
        wanted = [name.encode() for name in (*self._names, *(f" {way.lower()} " for way in _WAYS_IN), "rowid", "oid")]
        while not state.ended:
            allowed = np.flatnonzero(state.allowed()).tolist()
            written = state.text.lower().encode()
            byte = self._longing(wanted, written, set(allowed)) if self._rng.random() < 0.9 else None
            if byte is None:
                shown = [b for b in allowed if b == 256 or chr(b) not in " \n\t"]
                byte = self._rng.choice(shown or allowed)
            state = state.advance(byte)
        return state.text

    def _longing(self, wanted: list[bytes], written: bytes, allowed: set[int]) -> int | None:
        """Return the byte that goes on with the longest beginning of a name that is wanted, or begins one."""
        best: dict[int, list[int]] = {}
        for name in wanted:
            size = next(n for n in range(min(len(name) - 1, len(written)), -1, -1) if written.endswith(name[:n]))
            going = [b for b in (name[size], ord(chr(name[size]).upper())) if b in allowed and b < 256]
            if going:
                best.setdefault(size, []).append(going[0])
        return self._rng.choice(best[max(best)]) if best else None


@contextmanager
def _opened(engine: str, timeout: float, url: str | None) -> Generator[Watched | Limited]:
    if engine == "sqlite":
        yield Watched(timeout)
        return
    with open_engine(engine, timeout=timeout, url=url) as server:
        assert isinstance(server, Server)
        assert url is not None
        watch = Limited(server, url, timeout)
        try:
            yield watch
        finally:
            watch.close()


class Watched:
    """Two SQLite databases that differ in nothing but what is hidden; `compared` counts equal answers.

    The first has an authorizer, which refuses and notes what is forbidden. It does not see the columns that NATURAL
    and USING join on, so the second runs the same query: where what comes out differs, something was read. Their tables
    have no keys, so that rows keep their order whatever is in them.
    """

    def __init__(self, timeout: float) -> None:
        self.compared = 0
        self._first, self._second = Sqlite(timeout), Sqlite(timeout)
        self._reads: list[str] = []

    def create(self, schema: Schema, access: Access, quote: Quote, rows: Rows) -> None:
        """Make and fill both."""
        hidden = forbidden(schema, access)
        plain = replace(schema, tables=tuple(replace(t, primary_key=(), unique=()) for t in schema.tables))
        self._first.create(plain, quote, rows)
        self._second.create(plain, quote, {t.name: _changed(t, rows[t.name], hidden) for t in schema.tables})
        plain_actions = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION}

        def authorize(action: int, one: str | None, two: str | None, *_: str | None) -> int:
            place = ((one or "").lower(), (two or "").lower())
            if action in plain_actions or (action == sqlite3.SQLITE_READ and place not in hidden):
                return sqlite3.SQLITE_OK
            self._reads.append(f"{action} {one} {two}")
            return sqlite3.SQLITE_DENY

        self._first.connection.set_authorizer(authorize)

    def problem(self, sql: str) -> str | None:
        """Run a query on both; return what it read, or what else is wrong with it."""
        self._reads.clear()
        problem = self._first.problem(sql)
        if self._reads or problem is not None:
            return f"reads: {self._reads[0]}" if self._reads else problem and problem.kind
        if _UNSTEADY.search(sql):
            return None
        if self._second.problem(sql) is not None:
            return "fails on other cells of what is hidden"
        self.compared += 1
        return None if _rows(self._first, sql) == _rows(self._second, sql) else "answers by what is hidden"


def _rows(engine: Sqlite, sql: str) -> str:
    """Return what a query that runs returns, as text, which tells 1 from 1.0."""
    engine.connection.set_progress_handler(None, 0)  # the deadline is that of the run before
    return repr(engine.connection.execute(sql).fetchmany(FETCHED))


def _changed(table: Table, rows: Sequence[tuple[Any, ...]], hidden: Hidden) -> list[tuple[Any, ...]]:
    """Return rows with other cells where they are hidden; none at all of a hidden table."""
    name = table.name.lower()
    if (name, "") in hidden:
        return []
    out = [(name, column.name.lower()) in hidden for column in table.columns]
    return [tuple(f"#{n}" if gone else cell for gone, cell in zip(out, row, strict=True)) for n, row in enumerate(rows)]


class Limited:
    """A server's database, asked by a user who has rights on what a role may read and on nothing else."""

    def __init__(self, server: Server, url: str, timeout: float) -> None:
        self.compared = 0
        self._server, self._timeout, self._mysql = server, timeout, not server.postgres
        name, password = f"querent_{secrets.token_hex(5)}", secrets.token_hex(12)
        self._url = make_url(url).set(username=name, password=password)
        self._user = f"{name}@'%'" if self._mysql else name
        given = f"IDENTIFIED BY '{password}'" if self._mysql else f"LOGIN PASSWORD '{password}'"
        server.make(f"CREATE USER {self._user} {given}")
        self._reader: Server | None = None

    def create(self, schema: Schema, access: Access, quote: Quote, rows: Rows) -> None:
        """Make and fill the tables, and give the user its rights on them."""
        self._hang_up()
        self._server.create(schema, quote, rows)
        rights = [f"USAGE ON {'*.*' if self._mysql else 'SCHEMA public'}"]
        for right in (*rights, *_rights(schema, access, quoted if self._mysql else quote)):
            self._server.make(f"GRANT {right} TO {self._user}")
        self._reader = type(self._server)(self._url.render_as_string(hide_password=False), self._timeout)

    def problem(self, sql: str) -> str | None:
        """Run a query as the user."""
        assert self._reader is not None
        problem = self._reader.problem(sql)
        return None if problem is None else problem.kind if problem is TIME_OUT else problem.message

    def close(self) -> None:
        """Take the user away."""
        self._hang_up()
        self._server.make(f"{'' if self._mysql else f'DROP OWNED BY {self._user}; '}DROP USER {self._user}")

    def _hang_up(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None
            if self._mysql:
                self._server.make(f"REVOKE ALL PRIVILEGES, GRANT OPTION FROM {self._user}")


def _rights(schema: Schema, access: Access, quote: Quote) -> Iterator[str]:
    """Yield the rights of a role, each as ``SELECT … ON …``."""
    part = {name.lower(): columns for name, columns in access.columns.items()}
    readable = {name.lower() for name in access.tables}
    for table in schema.tables:
        if (columns := part.get(table.name.lower())) is not None:
            yield f"SELECT ({', '.join(quote(table.column(c).name) for c in columns)}) ON {whole(table, quote)}"
        elif table.name.lower() in readable:
            yield f"SELECT ON {whole(table, quote)}"
