"""At which word the constraint stops a query, and why."""

import re
import sqlite3
from dataclasses import replace
from functools import lru_cache

from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import EOS, RULES, Access, Constraint, Grammar, State, Vocabulary

MARK = "»"
"""Stands in a query right before the word that is refused, at the end if the query may not end."""


def typed(**tables: str) -> Schema:
    """Make a schema: ``typed(city="name TEXT, population INTEGER")``."""
    columns = {t: [tuple(c.split(maxsplit=1)) for c in text.split(", ")] for t, text in tables.items()}
    return Schema(tuple(Table(t, tuple(Column(*c) for c in several)) for t, several in columns.items()))


LAND = typed(
    city="id INTEGER, name TEXT, people INTEGER, state_id INTEGER",
    state="id INTEGER, name TEXT, area REAL, founded DATE",
    river="length INTEGER, source TEXT, deep BOOLEAN, state_id INTEGER",
)
_KEYED = tuple(replace(t, primary_key=("id",)) if t.name == "city" else t for t in LAND.tables)
PLACE = typed(place="name TEXT, spot POINT").tables
_TOLD = typed(crowd="state_id INTEGER, people INTEGER").tables[0]
CROWD = (replace(_TOLD, behind=1, aggregated=True),)
WIDE = typed(wide=", ".join(["id INTEGER", *(f"c{i} INTEGER" for i in range(1, 1100))])).tables


def schema_of(sql: str) -> Schema:
    """Return the tables that the examples in the product are about, those of strange types and sizes if named."""
    more = {"place": PLACE, "crowd": CROWD, "wide": WIDE}
    return Schema((*_KEYED, *(table for name, tables in more.items() if name in sql for table in tables)))


def example_in(rule: str, dialect: str) -> str:
    """Return a query that a rule refuses in a dialect where it holds."""
    return RULES[rule].elsewhere.get(dialect, RULES[rule].example)


_WORD = re.compile(
    r"""'[^']*'|`[^`]*`|"[^"]*"|\d+\.\d+|\w+(?:\.\w+)*(?:\.\*)?|->>|->|#>>|#>|@>|<=|>=|<>|!=|::|\|\||[^\s\w]"""
)


@lru_cache
def judge(
    queries: tuple[str, ...],
    dialect: str,
    level: str = "runs",
    without: tuple[str, ...] = (),
    schema: Schema = LAND,
    *,
    wide: bool = False,
    joins: str = "any",
    access: Access | None = None,
) -> Constraint:
    """Return the constraint on a vocabulary with the words of some queries, marked or not."""
    grammar = Grammar.for_schema(schema, dialect=dialect, wide=wide, access=access)
    words = Vocabulary.build(grammar, [sql.replace(MARK, "") for sql in queries])
    return Constraint(words, budget=80, level=level, without=without, joins=joins)


def stop(constraint: Constraint, sql: str) -> tuple[int, str] | None:
    """Return how many characters of a query are admitted and why no more are; None if all are.

    The query need not be one, but it is made of words of the vocabulary.
    """
    words = constraint.vocabulary.words
    states = [constraint.start()]  # SUM is one word with OVER behind it and another without
    for found in _WORD.finditer(sql):
        able = [i for i, w in enumerate(words) if w.text == found[0]]
        assert able, f"{found[0]} is not in the vocabulary"
        allowed = [(state, i) for state in states for i in able if state.admits(i)]
        if not allowed:
            return found.start(), _explained(constraint, states, able)
        states = [state.advance(i) for state, i in allowed]
    ended = any(state.allowed()[EOS] for state in states)
    return None if ended else (len(sql), _explained(constraint, states, [EOS]))


def _explained(constraint: Constraint, states: list[State], able: list[int]) -> str:
    """Return why none of some words may come, in the state whose grammar would let one, if there is such."""
    words, terminals = constraint.vocabulary.words, constraint.grammar.terminals
    for state in states:
        known = {terminals[t] for t in constraint.stack.paths(state.next_words.node)}
        for i in able:
            if words[i].terminal in known:
                return state.explain(i)
    return states[0].explain(able[0])


def reason(constraint: Constraint, sql: str) -> str | None:
    """Return why the word behind `MARK` is refused; None if a query without one is admitted. No other word is."""
    found = stop(constraint, sql.replace(MARK, ""))
    assert (found and found[0]) == (sql.index(MARK) if MARK in sql else None), found
    return found and found[1]


def database_of(schema: Schema) -> sqlite3.Connection:
    """Return a database of a schema with a few rows in each table."""
    database = sqlite3.connect(":memory:")
    for table in schema.tables:
        database.execute(f"CREATE TABLE {table.name} ({', '.join(f'{c.name} {c.type}' for c in table.columns)})")
        rows = [[n % 3 if c.type != "TEXT" else "ab"[n % 2] for c in table.columns] for n in range(5)]
        rows.append([None for _ in table.columns])
        database.executemany(f"INSERT INTO {table.name} VALUES ({', '.join('?' * len(table.columns))})", rows)
    return database


def check_that_it_runs(database: sqlite3.Connection, sql: str) -> None:
    """Run a query; one without end is stopped, and is no error."""
    steps = iter(range(200))
    database.set_progress_handler(lambda: next(steps, None) is None, 10_000)
    try:
        database.execute(sql).fetchmany(100)
    except sqlite3.OperationalError as error:
        assert str(error) == "interrupted", sql
