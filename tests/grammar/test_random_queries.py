"""Queries at random: each ends in the words that were promised, whatever is at hand, reads back, and runs on SQLite.

`walk` checks the promises at each word. Single queries are in sql/*.sql; python -m bench.fuzz draws many more.
"""

import random
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import pytest
import sqlglot
from draws import draws, in_turn
from grammar_cases import ODD, rich_vocabulary, some_words, walk
from rule_cases import LAND, WIDE, check_that_it_runs, database_of, example_in, judge, stop, typed

from querent.data.schema.schema import Column, Function, Schema, Table
from querent.grammar import LEVELS, Constraint, Grammar, Vocabulary, Word
from querent.grammar.lr.tables import DIALECTS

STARRED = typed(
    wide=", ".join(f"c{i} INTEGER" for i in range(700)),
    half=", ".join(f"h{i} INTEGER" for i in range(300)),
    small="id INTEGER, name TEXT",
)
HAS_ENTRY = Function("HAS_ENTRY", (Column("list"), Column("entry")), "INTEGER", "instr(:list, :entry) > 0")
BOOKS = Schema(
    (Table("books", (Column("title"), Column("subjects"), Column("year", "INTEGER"))),), functions=(HAS_ENTRY,)
)


@dataclass(frozen=True)
class Kind:
    """Queries of one kind: the words at hand, those that walks like, and texts that some of the queries must have."""

    schema: Schema
    words: tuple[str, ...]
    liked: Callable[[Word], bool] = lambda word: False
    seen: tuple[str, ...] = ()
    wide: bool = False
    begun: tuple[str, ...] = ("",)


KINDS = {
    "names": Kind(
        LAND,
        (
            "SELECT *, c.people AS n, s.*, area, 2 FROM city AS c, state AS s JOIN city ON 1 = 1 WHERE c.name = 'x'",
            "SELECT SUM(id), AVG(id), ABS(id), ROUND(area, 1), UPPER(name), COALESCE(id, 1), founded FROM state",
            "SELECT t.n FROM (SELECT COUNT(*) AS n FROM river) AS t WHERE 1 = 2 OR 'x' LIKE '%x%' ORDER BY n",
        ),
    ),
    "stars": Kind(
        STARRED,
        ("SELECT *, x.* FROM small x, (SELECT * FROM half) y, wide",),
        lambda word: word.text in {"SELECT", "FROM", "(", ",", "*", "x.*"},
        ("*",),
    ),
    "functions": Kind(
        BOOKS,
        ("SELECT title, COUNT(*) FROM books WHERE HAS_ENTRY(subjects, 'war') = 1 GROUP BY title",),
        lambda word: word.text == "HAS_ENTRY",
        ("HAS_ENTRY",),
    ),
    "windows": Kind(
        LAND,
        (
            "SELECT name, RANK() OVER (PARTITION BY state_id ORDER BY people DESC) AS r FROM city ORDER BY r",
            "SELECT d.r, SUM(d.r) FROM (SELECT LAG(area) OVER (ORDER BY founded) AS r FROM state) AS d WHERE d.r > 1",
            "SELECT COUNT(*) OVER (), LEAD(source) OVER (ORDER BY length), COUNT(*) FROM river GROUP BY 2",
        ),
        lambda word: word.terminal in {"RANKING", "SHIFTED", "OVER_AGG"} or word.text in {"FROM", "PARTITION"},
        ("PARTITION BY", "ORDER BY", "LAG(", "RANK(", "COUNT("),
        wide=True,
    ),
    "with": Kind(
        LAND,
        (
            "SELECT name AS n, 1 FROM city UNION SELECT d.name FROM (SELECT name FROM city) AS d",
            "SELECT d.n, d.* FROM (SELECT COUNT(*) AS n FROM city) AS d WHERE d.n > 3 ORDER BY d.n",
            "SELECT e.n FROM (SELECT people AS n FROM city GROUP BY people) AS e JOIN state ON e.n = state.id",
        ),
        lambda word: word.terminal in {"ALIAS", "FROM"} or (word.kind == "column" and not word.tables),
        ("FROM d",),
        wide=True,
        begun=(
            "WITH",
            "WITH d AS ( SELECT people n FROM city ) SELECT n FROM",
            "WITH d AS ( SELECT 1 n ) SELECT d.* FROM",
        ),
    ),
}


@lru_cache
def constraint_of(name: str, dialect: str, level: str = "runs", without: tuple[str, ...] = ()) -> Constraint:
    kind = KINDS[name]
    words = Vocabulary.build(Grammar.for_schema(kind.schema, dialect=dialect, wide=kind.wide), kind.words)
    shown = Word("n", "COLUMN", "column", column="n") if name == "with" else None  # of a query of WITH
    return Constraint(Vocabulary(words.grammar, (*words.words, *filter(None, [shown]))), level=level, without=without)


def written(name: str, constraint: Constraint, rng: random.Random, budget: int, kept: float = 1.0) -> str:
    liked = {number for number, word in enumerate(constraint.vocabulary.words) if KINDS[name].liked(word)}
    available = some_words(constraint.vocabulary, rng, kept)
    begun = rng.choice(KINDS[name].begun) if kept == 1.0 else ""
    ids = walk(constraint, rng, available=available, budget=budget, liked=liked, begun=begun)
    assert len(ids) <= budget
    assert available[ids].all()
    return constraint.vocabulary.decode(ids)


@pytest.mark.parametrize("name", KINDS)
def test_queries_run(name: str) -> None:
    rng, constraint = random.Random(name), constraint_of(name, "sqlite")
    database = database_of(KINDS[name].schema)
    database.create_function("HAS_ENTRY", 2, lambda several, one: int(str(one) in str(several)))
    queries = [written(name, constraint, rng, rng.choice([20, 30, 50])) for _ in range(draws(60))]
    for sql in queries:
        check_that_it_runs(database, sql)
    assert not KINDS[name].seen or any(text in sql for sql in queries for text in KINDS[name].seen)


@pytest.mark.parametrize(
    ("level", "dialect"), [*in_turn([(v, d) for d in DIALECTS] for v in LEVELS), ("runs", "mysql")]
)
@pytest.mark.parametrize("name", KINDS)
def test_queries_end_in_time_whatever_is_at_hand(name: str, dialect: str, level: str) -> None:
    rng, constraint = random.Random(f"{name} {dialect}"), constraint_of(name, dialect, level)
    for _ in range(draws(40)):
        written(name, constraint, rng, rng.randint(12, 40), rng.choice([1.0, 0.9, 0.7, 0.5, 0.0]))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_shortest_query_of_with_takes_its_budget_and_no_less_does(dialect: str) -> None:
    """``WITH d AS (SELECT 1) SELECT 1``; MariaDB's column is called by a name."""
    constraint, most = constraint_of("with", dialect), 9 + (dialect == "mysql")
    assert not constraint.start(None, most - 1).admits(constraint.vocabulary.index("WITH", "WITH"))
    assert len(walk(constraint, random.Random(1), budget=most, begun="WITH")) == most


@pytest.mark.parametrize("dialect", DIALECTS)
def test_strange_names_read_back_as_the_same_words_and_parse(dialect: str) -> None:
    constraint, rng = Constraint(rich_vocabulary(Grammar.for_schema(ODD, dialect=dialect))), random.Random(8)
    words = constraint.vocabulary
    for _ in range(draws(60)):
        ids = walk(constraint, rng, budget=rng.randint(6, 50))
        assert words.encode(words.decode(ids)) == ids
        plain = words.decode(ids).replace("{number0}", "7")
        sqlglot.parse_one(plain, dialect=dialect, error_level=sqlglot.ErrorLevel.RAISE)


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
        ("promises", "integer overflow"),
    ],
)
def test_what_a_rule_refuses_fails(rule: str, said: str) -> None:
    sql = example_in(rule, "sqlite") if rule != "promises" else "SELECT ABS(RANDOM() * 0 - 9223372036854775807 - 1)"
    with pytest.raises(sqlite3.Error, match=said):
        database_of(Schema((*LAND.tables, *WIDE))).execute(sql).fetchall()


def test_what_breaks_a_promise_is_admitted_without_the_rule() -> None:
    sql = "SELECT ABS(RANDOM() * 0 - 9223372036854775807 - 1)"
    assert stop(judge((sql,), "sqlite"), sql) is not None
    assert stop(judge((sql,), "sqlite", without=("promises",)), sql) is None
