"""Every name resolves: a query that is admitted beside one that is refused at the first word that is too much."""

from __future__ import annotations

import pytest
from rule_cases import MARK, Pair, hold, judge, judge_of, reason, stop, typed

OWED = [
    Pair("SELECT area FROM state", "SELECT area FROM city »WHERE people > 1", "area is not in FROM"),
    Pair("SELECT area FROM city, state", "SELECT area FROM city»", "area is not in FROM"),
    Pair("SELECT state.area FROM state", "SELECT state.area FROM state AS s»", "state is not in FROM"),
    Pair("SELECT s.area FROM state AS s", "SELECT s.area FROM state»", "s is not in FROM"),
    Pair("SELECT s.area FROM state s", "SELECT s.area FROM city »s", "s must be another source"),
    Pair("SELECT people FROM city WHERE people > 1", "SELECT people FROM city WHERE »area > 1", "area is not in FROM"),
    Pair("SELECT 1", "SELECT area»", "the columns need a FROM"),
    Pair("SELECT * FROM state", "SELECT *»", "grammar expects"),
    Pair("SELECT s.* FROM state AS s", "SELECT s.* FROM state»", "s is not in FROM"),
]

ALIASES = [
    Pair(
        "SELECT a.name, b.name FROM city AS a, city AS b WHERE a.id < b.id",
        "SELECT a.name, b.name FROM city AS a, city AS »a",
        "FROM has a source a already",
    ),
    Pair("SELECT 1 FROM city, city AS a", "SELECT 1 FROM city, city »WHERE 1 = 1", "has a source city already"),
    Pair(
        "SELECT a.people FROM city AS a JOIN state AS s ON a.state_id = s.id",
        "SELECT a.people FROM city AS a JOIN state AS s ON a.state_id = s.id WHERE »city.people > 1",
        "city is not in FROM",
    ),
    Pair(
        "SELECT a.people FROM city AS a JOIN state AS s ON s.area > 1",
        "SELECT a.people FROM city AS a JOIN state AS s ON »a.area > 1",
        "a has no column area",
    ),
]

DERIVED = [
    Pair(
        "SELECT t.n FROM (SELECT people AS n FROM city) AS t",
        "SELECT t.n FROM (SELECT people »FROM city) AS t",
        "the derived table must show n",
    ),
    Pair(
        "SELECT t.people FROM (SELECT people FROM city) AS t",
        "SELECT t.people FROM (SELECT id »FROM city) AS t",
        "the derived table must show people",
    ),
    Pair(
        "SELECT 1 FROM (SELECT people FROM city) AS t WHERE t.people > 1",
        "SELECT 1 FROM (SELECT people FROM city) AS t WHERE »t.n > 1",
        "t has no column n",
    ),
    Pair(
        "SELECT 1 FROM city, (SELECT people FROM city) AS t",
        "SELECT 1 FROM state, (SELECT people FROM city WHERE »state.area > 1) AS t",
        "a derived table sees nothing",
    ),
    Pair(
        "SELECT 1 FROM (SELECT id, people FROM city) AS t",
        "SELECT 1 FROM (SELECT id AS n, people AS »n FROM city) AS t",
        "shows n already",
    ),
    Pair(
        "SELECT 1 FROM (SELECT 1 AS n) AS t",
        "SELECT 1 FROM (SELECT 1 AS n) »WHERE 1 = 1",
        "grammar expects",
        "mysql",
    ),
]

CORRELATED = [
    Pair(
        "SELECT people FROM city WHERE EXISTS (SELECT 1 FROM state WHERE state.id = city.state_id)",
        "SELECT people FROM city WHERE EXISTS (SELECT 1 FROM state WHERE state.id = »river.state_id)",
        "river is not in FROM",
    ),
    Pair(
        "SELECT 1 FROM city WHERE people > (SELECT MIN(area) FROM state WHERE area > people)",
        "SELECT 1 FROM city WHERE people > (SELECT MIN(area) FROM state) AND »area > 1",
        "area is not in FROM",
    ),
    Pair(
        "SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM state JOIN river ON area > length)",
        "SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM state JOIN river ON »people > length)",
        "is of the query around this one",
        "mysql",
    ),
    # with `city.people` behind it, the server refuses a «forward reference in item list»
    Pair(
        "SELECT EXISTS (SELECT 1 FROM state GROUP BY area HAVING area > 1), city.people FROM city"
        " WHERE EXISTS (SELECT 1 FROM state GROUP BY area HAVING area > city.people)",
        "SELECT EXISTS (SELECT 1 FROM state GROUP BY area HAVING area > »city.people), city.people FROM city",
        "whose select list is not over",
        "mysql",
    ),
    Pair(
        "SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM state ORDER BY area)",
        "SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM state ORDER BY »people)",
        "is of the query around this one",
    ),
]

JOINS = [
    Pair(
        "SELECT 1 FROM city NATURAL JOIN state WHERE name = 'x'",
        "SELECT 1 FROM city JOIN state USING (id) WHERE »name = 'x'",
        "more than one source",
    ),
    Pair(
        "SELECT 1 FROM state JOIN river ON 1 = 1", "SELECT 1 FROM state JOIN river »USING (id)", "no column in common"
    ),
    Pair(
        "SELECT 1 FROM city JOIN river USING (state_id) WHERE state_id > 1",
        "SELECT 1 FROM city JOIN river ON 1 = 1 WHERE »state_id > 1",
        "more than one source",
    ),
    Pair(
        "SELECT city.name FROM city NATURAL JOIN state",
        "SELECT name FROM city JOIN »state ON 1 = 1",
        "no FROM could hold",
        "postgres",
    ),
    Pair(
        "SELECT people FROM city NATURAL JOIN state",
        "SELECT name FROM city NATURAL JOIN »state",
        "name cannot become one column",
    ),
    Pair(
        "SELECT 1 FROM city JOIN state USING (id) JOIN river ON 1 = 1",
        "SELECT 1 FROM city JOIN state USING (id) JOIN »state AS a USING (id)",
        "no FROM could hold",
    ),
    Pair(
        "SELECT 1 FROM city AS a, state AS b JOIN river AS c ON b.id = c.state_id",
        "SELECT 1 FROM city AS a, state AS b JOIN river AS c ON »a.id = c.state_id",
        "a is not in FROM",
        "mysql",
    ),
    Pair(
        "SELECT 1 FROM city AS a, state AS b JOIN river AS c ON b.id = c.state_id",
        "SELECT 1 FROM city AS a, state AS b JOIN river AS c ON »a.id = c.state_id",
        "a is not in FROM",
        "postgres",
    ),
]

AMBIGUOUS = [
    Pair(
        "SELECT COUNT((SELECT 1 AS n UNION SELECT area FROM state ORDER BY n LIMIT 1)) FROM city",
        "SELECT COUNT((SELECT 1 AS n UNION SELECT area FROM state ORDER BY »area LIMIT 1)) FROM city",
        "is no output column",
    ),
    Pair(
        "SELECT 1 FROM city, (SELECT COUNT(*) AS n FROM state) AS t WHERE people > 1",
        "SELECT 1 FROM city, (SELECT COUNT(*) FROM state) AS t WHERE »people > 1",
        "a name of its own",
        "postgres",
    ),
    Pair(
        "SELECT people FROM city, (SELECT COUNT(*) AS n FROM state) AS t",
        "SELECT people FROM city, (SELECT COUNT(*) »FROM state) AS t",
        "a column without a name",
        "postgres",
    ),
    Pair(
        "SELECT t.area FROM (SELECT s.area, (SELECT 1 area) AS n FROM state AS s) AS t",
        "SELECT t.area FROM (SELECT s.area, (SELECT 1 area) »FROM state AS s) AS t",
        "a column without a name",
        "postgres",
    ),
    Pair(
        "SELECT 1 FROM (SELECT s.area, (SELECT 1 area) AS n FROM state AS s) AS t WHERE t.area > 1",
        "SELECT 1 FROM (SELECT s.area, (SELECT 1 area) FROM state AS s) AS t WHERE »t.area > 1",
        "a name of its own",
        "postgres",
    ),
    Pair(
        "SELECT area FROM state AS s, (SELECT 1 + (area) AS n FROM state) AS t",
        "SELECT area FROM state AS s, (SELECT (»area) FROM state) AS t",
        "area stands bare in the query around",
    ),
    Pair("SELECT city.name FROM city, state", "SELECT name FROM city, »state", "no FROM could hold"),
    Pair("SELECT 1 FROM city, state WHERE people > 1", "SELECT 1 FROM city, state WHERE »name = 'x'", "more than one"),
    Pair(
        "SELECT 1 FROM city JOIN river ON people > 1",
        "SELECT 1 FROM city JOIN river ON »state_id > 1",
        "more than one source",
    ),
    Pair(
        "SELECT 1 FROM state AS s, river WHERE EXISTS (SELECT 1 FROM city WHERE name = 'x')",
        "SELECT 1 FROM state AS s, city WHERE EXISTS (SELECT 1 FROM river WHERE »name = 'x')",
        "more than one source",
    ),
    Pair(
        "SELECT 1 FROM state WHERE name = 'x'",
        "SELECT 1 FROM state, (SELECT name FROM city) AS t WHERE »name = 'x'",
        "more than one source",
    ),
]

OUTPUTS = [
    Pair(
        "SELECT people AS n FROM city ORDER BY n", "SELECT people FROM city ORDER BY »n", "no output column is called n"
    ),
    Pair("SELECT people AS n FROM city GROUP BY n", "SELECT people AS n FROM city WHERE »n > 1", "not known here"),
    Pair(
        "SELECT COUNT(*) AS n FROM city GROUP BY people ORDER BY n",
        "SELECT COUNT(*) AS n FROM city GROUP BY people HAVING »n > 1",
        "not known here",
        "postgres",
    ),
    Pair(
        "SELECT people AS n FROM city ORDER BY n DESC",
        "SELECT people AS n FROM city ORDER BY n »+ 1",
        "stands alone",
        "postgres",
    ),
    Pair(
        "SELECT people AS n FROM city, river GROUP BY n",
        "SELECT people AS length FROM city, river GROUP BY »length",
        "length is an output column too",
    ),
]
COMPOUND = [
    Pair(
        "SELECT people FROM city UNION SELECT length FROM river ORDER BY people DESC",
        "SELECT people FROM city UNION SELECT length FROM river ORDER BY »city.people",
        "is no output column",
    ),
    Pair(
        "SELECT people FROM city UNION SELECT length FROM river ORDER BY 1",
        "SELECT people FROM city UNION SELECT length FROM river ORDER BY people »+ 1",
        "only output columns",
    ),
    Pair(
        "(SELECT people FROM city) UNION (SELECT length FROM river) ORDER BY people",
        "(SELECT people FROM city) UNION ((SELECT people FROM city) UNION (SELECT length FROM river) »ORDER BY people)",
        "no ORDER BY within an operand",
        "postgres",
    ),
    Pair(
        "SELECT city.name FROM city UNION SELECT name FROM state ORDER BY name",
        "SELECT city.name FROM city, state UNION SELECT name FROM state ORDER BY »name",
        "the first SELECT calls another column so, or several",
    ),
    Pair(
        "SELECT state.name AS n FROM city JOIN state USING (name) UNION SELECT name FROM state ORDER BY n",
        "SELECT state.name FROM city JOIN state USING (name) UNION SELECT name FROM state ORDER BY »name",
        "the first SELECT calls another column so, or several",
    ),
    Pair(
        "SELECT people AS length FROM city, river UNION SELECT 1 ORDER BY length",
        "SELECT people AS length FROM city, river UNION SELECT 1 ORDER BY »people",
        "people is no output column",
    ),
    Pair(
        "SELECT city.name FROM city, state UNION SELECT name FROM state ORDER BY name",
        "SELECT city.name FROM city, state UNION SELECT name FROM state ORDER BY »area",
        "area is no output column",
        "postgres",
    ),
]

# declares every alias with its tables, and uses every function
WORDS = (
    "SELECT a.id, a.area, b.id, c.length, s.area, COUNT(*) AS length, t.n, MAX(t.people) "
    "FROM city AS a, state AS a, state AS b, river AS c, state AS s, (SELECT 1 AS n) AS t WHERE city.id = 1",
)

ALL = [*OWED, *ALIASES, *DERIVED, *CORRELATED, *JOINS, *AMBIGUOUS, *OUTPUTS, *COMPOUND]


@pytest.mark.parametrize("pair", ALL, ids=lambda pair: f"{pair.dialect}: {pair.bad}")
def test_one_is_admitted_and_one_is_refused(pair: Pair) -> None:
    hold(pair, judge_of(ALL, pair.dialect, "scope", more=WORDS))


def test_using_may_name_several_columns() -> None:
    pair = Pair(
        "SELECT 1 FROM city JOIN state USING (id, name)",
        "SELECT 1 FROM city JOIN state USING (id, »id)",
        "id is not once on both sides",
    )
    hold(pair, judge_of([*ALL, pair], "sqlite", "scope", more=WORDS))


@pytest.mark.parametrize("pair", ALL, ids=lambda pair: f"{pair.dialect}: {pair.bad}")
def test_the_grammar_alone_admits_both(pair: Pair) -> None:
    """So each refusal above is the scope's, not the grammar's."""
    sql = pair.bad.replace(MARK, "")
    found = stop(judge_of(ALL, pair.dialect, "grammar", more=WORDS), sql)
    if found is not None and "grammar expects" not in pair.why:
        assert found[0] == len(sql) > pair.bad.index(MARK), found  # a prefix of a query, and no more


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT t.city, MAX(1) FROM (SELECT town.city FROM town) AS t GROUP BY t.city", None),
        ("SELECT DISTINCT t.city FROM (SELECT town.city FROM town) AS t", None),
        ("SELECT 1 FROM (SELECT town.city FROM town) AS t ORDER BY t.city", None),
        ("SELECT t.n FROM (SELECT 1 AS n, paper.city :: TEXT AS t FROM paper) AS t", None),
        ("SELECT t.n FROM (SELECT 1 AS n, paper.city »FROM paper) AS t", "no values of this type"),
        ("SELECT t.city, MAX(1) FROM (SELECT »paper.city FROM paper) AS t", "takes city, which has no order"),
        ("SELECT DISTINCT t.city FROM (SELECT »paper.city FROM paper) AS t", "takes city, which has no order"),
        ("SELECT COUNT(DISTINCT t.n) FROM (SELECT paper.city »AS n FROM paper) AS t", "no values of this type"),
        ("SELECT 1 FROM (SELECT * FROM paper) AS t ORDER BY »t.city", "city of a derived table is of a type"),
    ],
)
def test_a_derived_table_gives_nothing_without_order_to_the_query_around(sql: str, why: str | None) -> None:
    schema = typed(town="city VARCHAR(20)", farm="city VARCHAR(20)", paper="city POINT")
    # bare, the column is taken for a text, as most are
    words = (
        "SELECT DISTINCT MAX(t.n), t.city FROM (SELECT 1 AS n, town.city, paper.city FROM town, paper) AS t ORDER BY 1",
        "SELECT *, NULL :: TEXT, paper.*, COUNT(DISTINCT city) FROM paper, farm GROUP BY city",
    )
    found = reason(judge(words, "postgres", schema=schema), sql)
    assert (why or "") in (found or "")


@pytest.mark.parametrize(
    ("dialect", "sql", "why"),
    [
        ("mysql", "SELECT MAX(t.n) FROM (SELECT paper.body IS NULL AS n FROM paper) AS t", None),
        ("mysql", "SELECT MAX(t.n) FROM (SELECT paper.body »AS n FROM paper) AS t", "no values of this type"),
        ("mysql", "SELECT 1 FROM (SELECT * FROM paper) AS t WHERE »t.body = 1", "of a type that is not shown"),
        ("mysql", "SELECT paper.size * »t.n FROM paper, (SELECT 1e300 AS n) AS t", "may have"),
        ("mysql", "SELECT 1 FROM (SELECT paper.size AS n FROM paper) AS t WHERE t.n * 2 > 1", None),
        ("mysql", "SELECT 1 FROM (SELECT paper.name AS n FROM paper) AS t WHERE t.n »* 2 > 1", "may have"),
        ("sqlite", "SELECT REPLACE(»t.n, 'a', 'b') FROM (SELECT name AS n FROM paper) AS t", "does not take other"),
        ("sqlite", "SELECT 1 FROM (SELECT name AS n FROM paper) AS t WHERE REPLACE(t.n, 'a', 'b') = 'a'", None),
        (
            "sqlite",
            "SELECT 1 FROM (SELECT REPLACE(name, 'a', 'b') AS n FROM paper) AS t WHERE REPLACE(»t.n, 'a', 'b') = 'a'",
            "does not take other",
        ),
    ],
)
def test_of_a_derived_table_as_much_is_expected_as_it_may_show(dialect: str, sql: str, why: str | None) -> None:
    schema = typed(paper="name VARCHAR(20), body JSON, size DOUBLE")
    found = reason(judge((sql, "SELECT body, name FROM paper"), dialect, schema=schema), sql)
    assert (why or "") in (found or "")


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT UPPER(name) AS name FROM city »GROUP BY name", "GROUP BY takes name for an output column"),
        ("SELECT MAX(id), UPPER(name) AS »name FROM city GROUP BY name", "GROUP BY takes name"),
        ("SELECT MAX(id) AS name, »name FROM city GROUP BY name", "GROUP BY takes name"),
        ("SELECT MAX(id), name AS name FROM city GROUP BY name", None),
        ("SELECT UPPER(city.name) AS name, MAX(id) FROM city GROUP BY city.name", None),
        ("SELECT UPPER(name) AS name FROM city ORDER BY 1", None),
    ],
)
def test_no_output_hides_a_column_that_must_be_grouped(dialect: str, sql: str, why: str | None) -> None:
    words = ("SELECT MAX(id) AS n, UPPER(city.name) AS name, name FROM city ORDER BY 1",)
    found = reason(judge(words, dialect), sql)
    assert (why or "") in (found or "")


def test_a_derived_table_does_not_show_what_a_bare_word_would_not_hold() -> None:
    schema = typed(a="name TEXT, x INTEGER", b="name BOOLEAN, y INTEGER", c="id INTEGER")
    words = ("SELECT name FROM c JOIN (SELECT b.name FROM b) AS d ON 1 = 1", "SELECT a.name, x FROM a WHERE y > 1")
    constraint = judge(words, "sqlite", schema=schema)
    stopped = stop(constraint, "SELECT name FROM c JOIN (SELECT b.name FROM b) AS d ON 1 = 1")
    assert stopped is not None
    assert stopped[0] == words[0].index("b.name")
