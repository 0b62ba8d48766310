"""What is too long for an engine: tables of a FROM, arguments of a function, words of a query, columns of a star."""

import pytest
from rule_cases import judge, reason, stop, typed

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
    assert longest("sqlite", f"SELECT x.id FROM (SELECT t0.id FROM {listed(9)}) x").endswith("t7")
    several = ", ".join(f"(SELECT t0.id FROM {listed(8)}) x{i}" for i in range(9))
    assert longest("sqlite", f"SELECT x0.id FROM {several}").endswith("x7")


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


STARRED = typed(
    wide=", ".join(f"c{i} INTEGER" for i in range(700)),
    half=", ".join(f"h{i} INTEGER" for i in range(300)),
    small="id INTEGER, name TEXT",
)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM wide, wide x",
        "SELECT id, * FROM wide, small",
        "SELECT x.* FROM (SELECT * FROM wide, wide y) x, wide",
        "SELECT c1, c2, c3, c4, c5 FROM wide",
        "SELECT name FROM small WHERE EXISTS (SELECT * FROM wide)",
    ],
)
def test_what_fits_is_admitted(sql: str) -> None:
    assert stop(judge((sql,), "sqlite", schema=STARRED), sql) is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM wide, wide x», wide y",
        "SELECT *», *, * FROM wide",
        "SELECT * FROM wide, wide x», (SELECT * FROM wide) y",
        "SELECT * FROM wide x, wide y »JOIN wide z ON 1 = 1",
    ],
)
def test_what_is_too_wide_is_stopped(sql: str) -> None:
    assert "columns" in str(reason(judge((sql,), "sqlite", schema=STARRED), sql))
