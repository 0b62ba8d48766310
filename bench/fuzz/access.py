"""Queries under an `Access`: does one of them read what its role may not?

Schemas are random ones and the plant's. Each has a role, rows in its tables, and a few queries: random ones in the ways
of walks, and tempted ones, by logits that favour forbidden names, stars, NATURAL, USING and subqueries. On SQLite an
authorizer watches them, and a second database has other cells in all that is hidden; on a server they run as a user
whose rights are those of the role.
"""

import random
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from querent.data.schema.schema import Schema, Table
from querent.data.sql.query import Query
from querent.grammar import EOS, Access, Constraint, Grammar, Vocabulary
from querent.grammar.lr.tables import load_tables
from querent.parser.normal_form.top_k_per_group import for_engines

from .engines import FETCHED, TIME_OUT, Rows, Server, Sqlite, databases, open_engine, quoted, reader, whole
from .schemas import questions, random_rows, random_schema, schema_at, vocabulary
from .walker import WAYS, Coverage, Walker, walk
from .walks import Plan

EACH = 10  # queries of a kind on one schema
Hidden = frozenset[tuple[str, str]]
"""Forbidden columns as (table, column) in lower case; an empty column stands for the whole table."""

_WAYS_IN = ("*", "NATURAL", "USING", "EXISTS", "SELECT", "UNION", "JOIN", "WHERE", "ORDER", "GROUP", "HAVING", "rowid")
_UNSTEADY = re.compile(r"\b(random|date|time|datetime|julianday|unixepoch|strftime)\(|current_", re.IGNORECASE)
"""Calls whose results may differ from run to run."""


def run(plan: Plan, queries: int, tempted: int, url: str | None) -> dict[str, Any]:
    """Write, run and count queries; print each one that fails or reads what is forbidden."""
    left = {"random": queries, "tempted": tempted}
    counts = Counter[str](dict.fromkeys(("wrong", "time-outs", "compared", *left), 0))
    with databases(plan.engine, 1, url) as (own,), open_engine(plan.engine, own, timeout=plan.timeout) as engine:
        while any(left.values()):
            number = counts["schemas"]
            counts["schemas"] += 1
            grammar, rng = _grammar(plan, number), plan.rng(number, "rows")
            rows = {table.name: random_rows(rng, table, plan.dialect) for table in grammar.schema.tables}
            judged = watched if isinstance(engine, Sqlite) else limited
            with judged(plan, grammar, rows, engine, counts) as problem_of:
                drawn = ((one, sql) for one in left for sql in _queries(plan, number, grammar, one, left[one]))
                for kind, sql in drawn:
                    left[kind] -= 1
                    counts[kind] += 1
                    problem = problem_of(sql)
                    if problem == TIME_OUT.kind:
                        counts["time-outs"] += 1
                    elif problem is not None:
                        counts["wrong"] += 1
                        print(f"schema {number}, {kind}: {problem}\n  {grammar.access}\n  {sql}", flush=True)
    return dict(counts)


def _grammar(plan: Plan, number: int) -> Grammar:
    """Return the grammar of a role on the schema of a number; every third schema is small."""
    rng, dialect = plan.rng(number, "schema"), plan.dialect
    small = number % 3 == 1
    schema = random_schema(rng, dialect, rng.choice([2, 3])) if small else schema_at(number // 3, rng, dialect)
    return Grammar.for_schema(schema, dialect=dialect, access=random_access(plan.rng(number, "access"), schema))


def _queries(plan: Plan, number: int, grammar: Grammar, kind: str, most: int) -> Iterator[str]:
    """Write a few queries of a kind: in the ways of walks, or by logits that favour the forbidden names."""
    rng, words = plan.rng(number, kind), vocabulary(plan.rng(number, "words"), grammar)
    constraint = Constraint(words)
    drawn = questions(plan.rng(number, "questions"), words)
    walker = Walker(words, Coverage(load_tables(plan.dialect), Counter()), Counter(), Counter())
    favourites = tempting(words, forbidden(grammar)) if kind == "tempted" else None
    for place in range(min(EACH, most)):
        question, budget = drawn[place % len(drawn)], rng.choice([12, 20, 40, plan.budget])
        walker.start(rng, favourites)
        way = WAYS[place % len(WAYS)] if favourites is None else "peaked"
        ids = walk(constraint, walker, way, question, budget)
        query = Query(words.decode(ids), plan.dialect, tuple(question.values.values()))
        yield for_engines(query, grammar.schema).sql


def random_access(rng: random.Random, schema: Schema) -> Access:
    """Return a role that may read some tables whole, some in part, and may not read something."""
    kinds = {table: rng.choice(["whole", "part", "part", "none"]) for table in schema.tables}
    if not {"part", "none"} & {*kinds.values()} or not {"whole", "part"} & {*kinds.values()}:
        kinds[schema.tables[0]] = "part"
    some: dict[str, tuple[str, ...]] = {}
    for table in (table for table, kind in kinds.items() if kind == "part"):
        names = [column.name for column in table.columns]
        some[table.name] = tuple(rng.sample(names, rng.randint(1, max(1, len(names) - 1))))
    return Access(tuple(t.name for t, kind in kinds.items() if kind == "whole"), some)


def forbidden(grammar: Grammar) -> Hidden:
    """Return the forbidden columns, computed here and not by the product, which is under test."""
    access = grammar.access or Access()
    tables = {name.lower() for name in access.tables} - {name.lower() for name in access.columns}
    part = {name.lower(): {c.lower() for c in columns} for name, columns in access.columns.items()}
    found: set[tuple[str, str]] = set()
    for name, table in ((table.name.lower(), table) for table in grammar.schema.tables):
        if name not in tables:
            found |= {(name, c.name.lower()) for c in table.columns if c.name.lower() not in part.get(name, ())}
            found |= {(name, "rowid")} | ({(name, "")} if name not in part else set[tuple[str, str]]())
    return frozenset(found)


def tempting(vocabulary: Vocabulary, hidden: Hidden) -> NDArray[np.float64]:
    """Return logits that favour hidden names and the words that lead to them, shape (vocabulary,)."""
    names = {name for pair in hidden for name in pair if len(name) >= 2}
    columns, hidden_tables = {column for _, column in hidden}, {table for table, _ in hidden}
    found = np.zeros(len(vocabulary))
    for i, word in enumerate(vocabulary.words):
        text, tables = word.text.lower(), set(map(str.lower, word.tables))
        found[i] += 8 * (word.kind != "keyword" and any(name in text for name in names))
        found[i] += 6 * (word.terminal in {"COLUMN", "QCOLUMN"} and (word.column or "").lower() in columns)
        found[i] += 4 * (word.terminal in {"TABLE", "QSTAR"} and bool(hidden_tables & tables))
        found[i] += 4 * (word.text in _WAYS_IN) + 3 * (word.text in {"FROM", "(", ","})
    found[EOS] = -3
    return found


@contextmanager
def watched(
    plan: Plan, grammar: Grammar, rows: Rows, _: Sqlite, counts: Counter[str]
) -> Generator[Callable[[str], str | None]]:
    """Yield a function that runs a query on two SQLite databases which differ only in what is hidden.

    It returns what the query read, or another problem with it. The authorizer of the first database refuses and notes
    what is forbidden. It does not see the columns that NATURAL and USING join on, so the second database runs the query
    as well: where the results differ, something was read. Tables have no keys, so that rows keep their order.
    """
    quote, hidden, reads = grammar.quoting.write, forbidden(grammar), list[str]()
    plain = Schema(tuple(replace(t, primary_key=(), unique=()) for t in grammar.schema.tables))
    first, second = Sqlite(plan.timeout), Sqlite(plan.timeout)
    first.create(plain, quote, rows)
    second.create(plain, quote, {t.name: _changed(t, rows[t.name], hidden) for t in plain.tables})

    def authorize(action: int, one: str | None, two: str | None, *_: str | None) -> int:
        allowed = action == sqlite3.SQLITE_READ and ((one or "").lower(), (two or "").lower()) not in hidden
        if allowed or action in {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION}:
            return sqlite3.SQLITE_OK
        reads.append(f"{action} {one} {two}")
        return sqlite3.SQLITE_DENY

    def problem(sql: str) -> str | None:
        reads.clear()
        found = first.problem(sql)
        if reads or found is not None:
            return f"reads: {reads[0]}" if reads else found and found.kind
        if _UNSTEADY.search(sql):
            return None
        if second.problem(sql) is not None:
            return "fails on other cells of what is hidden"
        counts["compared"] += 1
        return None if _rows(first, sql) == _rows(second, sql) else "answers by what is hidden"

    first.connection.set_authorizer(authorize)
    with closing(first), closing(second):
        yield problem


def _rows(engine: Sqlite, sql: str) -> str:
    """Return the rows of a query that runs as text, in which 1 and 1.0 differ."""
    engine.connection.set_progress_handler(None, 0)  # the deadline is that of the run before
    return repr(engine.connection.execute(sql).fetchmany(FETCHED))


def _changed(table: Table, rows: Sequence[tuple[Any, ...]], hidden: Hidden) -> list[tuple[Any, ...]]:
    """Return rows with other cells where they are hidden, and no rows of a hidden table."""
    name = table.name.lower()
    if (name, "") in hidden:
        return []
    out = [(name, column.name.lower()) in hidden for column in table.columns]
    return [tuple(f"#{n}" if gone else cell for gone, cell in zip(out, row, strict=True)) for n, row in enumerate(rows)]


@contextmanager
def limited(
    plan: Plan, grammar: Grammar, rows: Rows, server: Server, _: Counter[str]
) -> Generator[Callable[[str], str | None]]:
    """Yield a function that runs a query on a server, as a user who has exactly the rights of the role."""
    access = grammar.access or Access()
    server.create(grammar.schema, grammar.quoting.write, rows)
    quote = grammar.quoting.write if server.postgres else quoted
    part = {name.lower(): columns for name, columns in access.columns.items()}
    readable, rights = {name.lower() for name in access.tables}, ["USAGE ON SCHEMA public"] * server.postgres
    for table in grammar.schema.tables:
        if (columns := part.get(table.name.lower())) is not None:
            some = ", ".join(quote(table.column(column).name) for column in columns)
            rights.append(f"SELECT ({some}) ON {whole(table, quote)}")
        elif table.name.lower() in readable:
            rights.append(f"SELECT ON {whole(table, quote)}")
    with reader(server, rights) as url, open_engine(plan.engine, url, timeout=plan.timeout) as engine:

        def problem(sql: str) -> str | None:
            found = engine.problem(sql)
            return None if found is None else found.kind if found is TIME_OUT else found.message

        yield problem
