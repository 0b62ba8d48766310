"""Random queries run: each one on SQLite, in process, on tables with rows in them."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator

import pytest
from draws import draws
from grammar_cases import walk
from rule_cases import WIDE, example_in, judge, stop, typed

from querent.data.schema.schema import Schema
from querent.grammar import Constraint, Grammar, Vocabulary

SEED = 20
SCHEMA = typed(
    city="id INTEGER, name TEXT, people INTEGER, state_id INTEGER",
    state="id INTEGER, name TEXT, area REAL, founded DATE",
    river="length INTEGER, source TEXT, deep BOOLEAN, state_id INTEGER",
)
WORDS = (
    "SELECT *, c.people AS n, s.*, area, 2 FROM city AS c, state AS s JOIN city ON 1 = 1 WHERE c.name = 'x' OR id > 2",
    "SELECT SUM(id), AVG(id), ABS(id), ROUND(area, 1), UPPER(name), COALESCE(id, 1), DATE(founded) FROM state",
    "SELECT t.n FROM (SELECT COUNT(*) AS n FROM river) AS t WHERE 1 = {number0} OR 'x' LIKE '%{name0}%' ORDER BY n",
)
ROWS = {
    "city": [(1, "Ulm", 126_000, 1), (2, "Köln", 1_084_000, 2), (3, "", -1, None), (None, None, 0, 1)],
    "state": [(1, "Baden", 35_751.5, "1952-04-25"), (2, "x", 0.0, ""), (3, None, None, None)],
    "river": [(362, "Neckar", 1, 1), (0, "it's", 0, 2), (None, "%", None, None)],
}


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    for table in SCHEMA.tables:
        columns = ", ".join(f"{c.name} {c.type}" for c in table.columns)
        connection.execute(f"CREATE TABLE {table.name} ({columns})")
        marks = ", ".join("?" * len(table.columns))
        connection.executemany(f"INSERT INTO {table.name} VALUES ({marks})", ROWS[table.name])
    connection.execute("PRAGMA query_only = ON")
    yield connection
    connection.close()


def constraint_of(schema: Schema, level: str = "runs", without: tuple[str, ...] = ()) -> Constraint:
    grammar = Grammar.for_schema(schema, dialect="sqlite")
    vocabulary = Vocabulary.build(grammar, WORDS, functions="seen")
    return Constraint(vocabulary, level=level, without=without)


def failures(constraint: Constraint, database: sqlite3.Connection, seed: int, queries: int) -> list[tuple[str, str]]:
    """Write and run some queries; return those that fail, with what SQLite says."""
    rng = random.Random(seed)
    found: list[tuple[str, str]] = []
    for _ in range(queries):
        words = walk(constraint, rng, budget=rng.choice([5, 10, 15, 20, 30]))
        sql = constraint.vocabulary.decode(words).replace("{number0}", "7").replace("{name0}", "x")
        steps = iter(range(200))  # queries without end are stopped, and are no errors
        database.set_progress_handler(lambda steps=steps: next(steps, None) is None, 10_000)
        try:
            database.execute(sql).fetchmany(100)
        except sqlite3.Error as error:
            if str(error) != "interrupted":
                found.append((sql, str(error)))
    return found


def test_every_query_runs(database: sqlite3.Connection) -> None:
    print(f"seed {SEED}")
    assert failures(constraint_of(SCHEMA), database, SEED, draws(500)) == []


def test_queries_of_the_grammar_alone_fail(database: sqlite3.Connection) -> None:
    found = failures(constraint_of(SCHEMA, "grammar"), database, SEED, 40)
    assert len(found) > 20
    assert any("no such column" in error for _, error in found)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("sources", "no such column"),
        ("visible", "no such column"),
        ("ambiguous", "ambiguous column name"),
        ("unique", "ambiguous column name"),
        ("common columns", "cannot join using column id"),
        ("derived", "no such column: t.id"),
        ("lateral", "no such column: city.id"),
        ("compound order", "does not match any column"),
        ("column counts", "same number of result columns"),
        ("width", "too many columns in result set"),
        ("aggregate place", "aggregate functions are not allowed"),
        ("outer aggregate", "misuse of aggregate"),
        ("constant terms", "out of range"),
        ("literals", "ESCAPE expression must be a single character"),
    ],
)
def test_what_a_rule_refuses_fails(database: sqlite3.Connection, rule: str, said: str) -> None:
    database.execute("PRAGMA query_only = OFF")
    (wide,) = WIDE
    database.execute(f"CREATE TABLE wide ({', '.join(c.name for c in wide.columns)})")
    with pytest.raises(sqlite3.Error, match=said):
        database.execute(example_in(rule, "sqlite")).fetchall()


def test_what_breaks_a_promise_fails_on_some_rows(database: sqlite3.Connection) -> None:
    sql = "SELECT ABS(RANDOM() * 0 - 9223372036854775807 - 1)"
    with pytest.raises(sqlite3.Error, match="integer overflow"):
        database.execute(sql).fetchall()
    assert stop(judge((sql,), "sqlite", schema=SCHEMA), sql) is not None
    assert stop(judge((sql,), "sqlite", without=("promises",), schema=SCHEMA), sql) is None
