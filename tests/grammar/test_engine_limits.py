"""What is too long for an engine: tables of a FROM, arguments of a function, words of a query."""

from __future__ import annotations

import sqlite3

import pytest
from rule_cases import judge, stop, typed

from querent.data.errors import ConstraintError
from querent.grammar import MAX_WORDS, Constraint, Grammar, Vocabulary

MANY = typed(**{f"t{i}": "id INTEGER, name TEXT" for i in range(70)})
TABLES = {"sqlite": 64, "mysql": 61, "postgres": 70}


def listed(count: int, first: int = 0) -> str:
    """Return a FROM's sources."""
    return ", ".join(f"t{i}" for i in range(first, first + count))


def longest(dialect: str, sql: str) -> str:
    """Return as much of a query as is admitted."""
    grammar = Grammar.for_schema(MANY, dialect=dialect)
    constraint = Constraint(Vocabulary.build(grammar, [sql]), budget=400)
    found = stop(constraint, sql)
    return sql if found is None else sql[: found[0]]


@pytest.mark.parametrize("dialect", TABLES)
def test_a_from_has_as_many_tables_as_the_engine_joins(dialect: str) -> None:
    admitted = longest(dialect, f"SELECT t0.id FROM {listed(70)}")
    assert admitted.split("FROM ")[1].rstrip(" ,") == listed(TABLES[dialect])


def test_sqlite_joins_the_tables_of_derived_tables_too() -> None:
    database = sqlite3.connect(":memory:")
    for table in MANY.tables:
        database.execute(f"CREATE TABLE {table.name} (id, name)")
    inner = f"SELECT t0.id FROM {listed(9)}"
    assert longest("sqlite", f"SELECT x.id FROM ({inner}) x").endswith("t7")
    several = ", ".join(f"(SELECT t0.id FROM {listed(8)}) x{i}" for i in range(9))
    with pytest.raises(sqlite3.Error, match="at most 64 tables"):
        database.execute(f"SELECT x0.id FROM {several}")
    admitted = longest("sqlite", f"SELECT x0.id FROM {several}")
    assert admitted.endswith("x7")
    database.execute(admitted)


@pytest.mark.parametrize(
    ("dialect", "function"), [("sqlite", "COALESCE"), ("postgres", "CONCAT"), ("mysql", "GREATEST")]
)
def test_a_function_takes_a_hundred_arguments(dialect: str, function: str) -> None:
    admitted = longest(dialect, f"SELECT {function}({', '.join(['1'] * 101)}) FROM t0")
    assert admitted.count("1") == 100


@pytest.mark.parametrize("dialect", TABLES)
def test_a_query_has_a_thousand_words_at_most(dialect: str) -> None:
    grammar = Grammar.for_schema(MANY, dialect=dialect)
    vocabulary = Vocabulary.build(grammar, ["SELECT id FROM t0"])
    with pytest.raises(ConstraintError, match="1001 words"):
        Constraint(vocabulary, budget=MAX_WORDS + 1)
    with pytest.raises(ConstraintError, match="1001 words"):
        Constraint(vocabulary, budget=MAX_WORDS).start(budget=MAX_WORDS + 1)


def test_postgres_sorts_by_keys_that_are_columns_too() -> None:
    wide = typed(wide=", ".join(f"c{i} INTEGER" for i in range(700)))
    sql = "SELECT * FROM wide, wide x ORDER BY 1"
    assert stop(judge((sql,), "sqlite", schema=wide), sql) is None
    stopped = stop(judge((sql,), "postgres", schema=wide), sql)
    assert stopped is not None
    assert (stopped[0], "no ORDER BY beside so many columns" in stopped[1]) == (sql.index("ORDER"), True)


def test_sqlite_has_no_union_of_all_rows_in_one_from_with_right_and_full_joins() -> None:
    """A derived table is of the FROM around it, a subquery has one of its own."""
    side, union = "t0 RIGHT JOIN t1 ON t1.id = t0.id", "SELECT t2.id FROM t2 UNION ALL SELECT t3.id FROM t3"
    refused = [
        f"SELECT 1 FROM {side} JOIN ({union}) ON t0.id = 1",
        f"SELECT 1 FROM {side} JOIN (SELECT t4.id FROM t4, ({union})) ON t0.id = 1",
        f"SELECT 1 FROM (SELECT t4.id FROM t4, {side}), ({union})",
        f"SELECT 1 FROM (SELECT t4.id FROM t4, ({union})), {side}",
        f"SELECT 1 FROM ({union} UNION ALL SELECT t0.id FROM {side})",
    ]
    admitted = [
        f"SELECT t0.id FROM {side} UNION ALL SELECT t4.id FROM t4, ({union})",
        f"SELECT 1 FROM {side} WHERE EXISTS (SELECT 1 FROM t4, ({union}))",
        f"SELECT 1 FROM {side.replace('RIGHT', 'LEFT')} JOIN ({union}) ON t0.id = 1",
        f"SELECT 1 FROM {side} JOIN ({union.replace(' ALL', '')}) ON t0.id = 1",
    ]
    for sql in (*refused, *admitted):
        assert (longest("sqlite", sql) == sql) == (sql in admitted), sql
