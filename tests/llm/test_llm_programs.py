"""Programs of thoughts: which steps a query is said in."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from querent.data.domains.loading import load_domain
from querent.data.errors import QueryError
from querent.llm.programs import program_of


def steps(sql: str, dialect: str = "sqlite") -> list[str]:
    return program_of(sql, dialect).splitlines()


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT author FROM book WHERE title = 'Dune'",
            ["rows = rows of book where title = 'Dune'", "answer = author of rows"],
        ),
        (
            "SELECT T1.name, COUNT(*) AS n FROM author AS T1 JOIN book AS T2 ON T1.name = T2.author "
            "GROUP BY 1 HAVING n > 3 ORDER BY n DESC LIMIT 3 OFFSET 2",
            [
                "rows = rows of author AS T1 JOIN book AS T2 ON T1.name = T2.author",
                "groups = rows grouped by 1, those with n > 3",
                "answer = T1.name, COUNT(*) AS n of groups, sorted by n DESC, the first 3 after 2",
            ],
        ),
        (
            "SELECT title FROM book WHERE author IN (SELECT name FROM author WHERE country = 'Chile')",
            [
                "part1 = name of author where country = 'Chile'",
                "rows = rows of book where author IN part1",
                "answer = title of rows",
            ],
        ),
        (
            "SELECT a FROM t UNION SELECT b FROM u ORDER BY 1",
            ["part1 = a of t", "part2 = b of u", "answer = rows of part1 or part2, each once, sorted by 1"],
        ),
        (
            "SELECT a FROM t EXCEPT SELECT b FROM u",
            ["part1 = a of t", "part2 = b of u", "answer = rows of part1 that are not in part2"],
        ),
        (
            "WITH x AS (SELECT a FROM t) SELECT COUNT(DISTINCT a) FROM x LEFT JOIN y USING (a)",
            ["x = a of t", "rows = rows of x LEFT JOIN y USING (a)", "answer = COUNT(DISTINCT a) of rows"],
        ),
        (
            "SELECT COUNT(*) FROM (SELECT a FROM t GROUP BY a HAVING COUNT(*) > 1) AS q",
            [
                "part1_groups = t grouped by a, those with COUNT(*) > 1",
                "part1 = a of part1_groups",
                "rows = rows of part1 AS q",
                "answer = COUNT(*) of rows",
            ],
        ),
        ("SELECT DISTINCT a FROM t", ["rows = rows of t", "answer = different a of rows"]),
        ("SELECT 1", ["answer = 1"]),
    ],
)
def test_a_query_is_said_in_steps(sql, expected):
    assert steps(sql) == expected


def test_the_same_query_has_the_same_program_and_stays_as_it_is():
    sql = "SELECT title FROM book AS b WHERE b.year > (SELECT AVG(year) FROM book) ORDER BY title LIMIT 2"
    assert program_of(sql, "sqlite") == program_of(sql.replace("WHERE", "\nWHERE"), "sqlite")


@pytest.mark.parametrize("sql", ["SELECT FROM WHERE", "DROP TABLE t", "SELECT 1; SELECT 2", ""])
def test_what_is_no_query_has_none(sql):
    with pytest.raises(QueryError, match="no query of sqlite"):
        program_of(sql, "sqlite")


ODD = (
    "SELECT * FROM (VALUES (1, 2)) AS v",
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT n FROM c",
    "SELECT a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c) FROM t",
    "(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL (SELECT b FROM u LIMIT 2) LIMIT 1",
    "SELECT CASE WHEN a > 1 THEN (SELECT MAX(b) FROM u) ELSE 0 END AS x FROM t GROUP BY x",
    "SELECT a FROM t WHERE x = ALL (SELECT y FROM u) OR NOT a IN (SELECT 1 UNION SELECT 2)",
    "SELECT a FROM t, u CROSS JOIN w NATURAL JOIN v",
    "SELECT COUNT(*) FROM t HAVING COUNT(*) > (SELECT 2)",
    "SELECT a FROM t WHERE (a, b) IN (SELECT c, d FROM u) FETCH FIRST 3 ROWS ONLY",
    "SELECT a FROM ((SELECT a FROM t) AS x JOIN (SELECT b FROM u) AS y ON x.a = y.b)",
    "SELECT GROUPING(a), a FROM t GROUP BY ROLLUP (a)",
    "SELECT a AS a FROM t ORDER BY a",
)


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
@pytest.mark.parametrize("sql", ODD)
def test_whatever_sqlglot_reads_has_a_program(sql, dialect):
    if not isinstance(sqlglot.parse_one(sql, read=dialect), exp.Query):
        pytest.skip("no query in this dialect")
    told = steps(sql, dialect)
    assert told[-1].startswith("answer = ")
    assert all(" = " in line for line in told)
    assert "SELECT" not in " ".join(told)


def test_every_gold_query_of_the_plant_has_a_program():
    domain = load_domain("plant", language="en")
    queries = sorted({example.slotted: example.sql for example in domain.examples}.values())[::3]
    told = [steps(sql, domain.dialect) for sql in queries]
    assert len(told) > 100
    assert all(lines[-1].startswith("answer = ") for lines in told)
    assert not [lines for lines in told if "SELECT" in " ".join(lines)]
