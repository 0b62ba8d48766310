"""Which texts are sent to a server that is only read, and as what."""

from __future__ import annotations

import pytest

from querent.data.databases.readable import Readable
from querent.data.databases.reading import as_read
from querent.data.errors import DatabaseError
from querent.data.parsing import parse

DIALECTS = ("mysql", "postgres")
KNOWN = Readable(
    frozenset({("", "t"), ("", "order"), ("Sales", "Order")}),
    frozenset({"max", "count", "lower", "now", "round", "lag", "generate_series", "string_agg", "coalesce", "if"}),
    shadowed=frozenset({"round", "lag", "coalesce", "generate_series"}),
    types=frozenset({("", "mood"), ("Sales", "Mood")}),
    calls=frozenset({"pg_read_file", "nextval"}),
    row_calls=frozenset({"leak"}),
    operators=frozenset({"@@@", "^"}),
)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t WHERE b LIKE '%DELETE FROM t; --%'",
        "SELECT MAX(a), COUNT(*) FROM t GROUP BY b HAVING COUNT(*) > 1 ORDER BY 1 LIMIT 3",
        "SELECT 1 UNION ALL (SELECT 2)",
        "WITH x AS (SELECT 1 AS a), y AS (SELECT a FROM x) SELECT a FROM x, y",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n",
        "SELECT set_config, edit, load_file FROM t",
        "SELECT x.a FROM t AS x JOIN (SELECT MAX(b) AS b FROM t) AS y ON x.b = y.b WHERE EXISTS(SELECT 1 FROM t)",
        "SELECT CASE WHEN a NOT IN (1, 2) AND b NOT LIKE 'x' THEN a ELSE -b END FROM t WHERE c IS NOT NULL",
    ],
)
def test_what_reads_is_sent_as_it_stands(sql: str, dialect: str) -> None:
    plain = Readable(KNOWN.tables, KNOWN.functions)
    assert as_read(sql, dialect, plain) == sql


@pytest.mark.parametrize(
    ("dialect", "sql", "sent"),
    [
        ("mysql", "SELECT \"a\\\"b\", 'c''d' FROM t -- end", "SELECT 'a\"b', 'c''d' FROM t"),
        (
            "mysql",
            "SELECT a RLIKE 'x', a && b, a || b, !a FROM t",
            "SELECT a REGEXP 'x', a AND b, a OR b, (NOT a) FROM t",
        ),
        ("mysql", "SELECT 1 FROM t JOIN t s, t u", "SELECT 1 FROM t INNER JOIN t AS s, t AS u"),
        ("mysql", "SELECT user FROM t", "SELECT user FROM t"),
        ("mysql", "SELECT a + INTERVAL 1e3 MINUTE FROM t", "SELECT a + INTERVAL 1e3 MINUTE FROM t"),
        ("postgres", "SELECT DATE '2024-01-01' :: TEXT", "SELECT CAST('2024-01-01' AS DATE) :: TEXT"),
        ("postgres", "SELECT a = b NOT IN (1), a !~ b FROM t", "SELECT a = b NOT IN (1), a !~ b FROM t"),
        ("postgres", "SELECT NOT NOT a IS NULL FROM t", "SELECT NOT a IS NOT NULL FROM t"),
        ("postgres", "SELECT INTERVAL '23:59' x, |/ a FROM t", "SELECT INTERVAL '23:59' AS x, |/ a FROM t"),
        ("postgres", "SELECT 'a\\' FROM \"order\"", "SELECT 'a\\' FROM \"order\""),
        ("postgres", "SELECT (a::text::text[])[1] FROM t", "SELECT (CAST(a AS TEXT) :: TEXT[])[1] FROM t"),
        (
            "postgres",
            "SELECT o.nextval FROM t AS o, LATERAL (SELECT 1 AS nextval) AS x, generate_series(1, x.nextval) AS g",
            "SELECT o.nextval FROM t AS o, LATERAL (SELECT 1 AS nextval) AS x, generate_series(1, x.nextval) AS g",
        ),
        ("postgres", f"SELECT 1{' :: INT' * 150}", f"SELECT CAST(1 AS INT){' :: INT' * 149}"),
        ("postgres", "SELECT current_time FROM t", "SELECT CURRENT_TIME FROM t"),
        (
            "postgres",
            "SELECT string_agg(DISTINCT a, ',' ORDER BY a) FROM t",
            "SELECT string_agg(DISTINCT a, ',' ORDER BY a) FROM t",
        ),
        ("postgres", 'SELECT 1 FROM "Sales"."Order"', 'SELECT 1 FROM "Sales"."Order"'),
        (
            "postgres",
            'SELECT x::mood, x::"Sales"."Mood" FROM t',
            'SELECT CAST(x AS mood), CAST(x AS "Sales"."Mood") FROM t',
        ),
        (
            "postgres",
            "SELECT 'x' COLLATE \"C\", a[1:2], a -> 'x.y' FROM t",
            "SELECT 'x' COLLATE \"C\", a[1:2], a -> 'x.y' FROM t",
        ),
    ],
)
def test_what_is_sent_is_printed_and_means_the_same(dialect: str, sql: str, sent: str) -> None:
    assert as_read(sql, dialect, Readable(KNOWN.tables, KNOWN.functions, types=KNOWN.types, calls=KNOWN.calls)) == sent


def test_a_key_of_a_json_column_is_read_as_an_argument_too() -> None:
    assert as_read("SELECT LOWER(a -> 'b') FROM t", "postgres", KNOWN) == "SELECT LOWER(a -> 'b') FROM t"
    with pytest.raises(DatabaseError, match="leak"):
        as_read("SELECT LOWER((t.leak) -> 'b') FROM t", "postgres", KNOWN)


def test_functions_that_somebody_has_added_are_not_called_in_place_of_the_servers() -> None:
    sql = "SELECT round(a), lag(a) OVER (ORDER BY b), coalesce(a, b), lower(c) FROM t, generate_series(1, 2) AS g(n)"
    assert as_read(sql, "postgres", KNOWN) == (
        "SELECT pg_catalog.round(a), pg_catalog.lag(a) OVER (ORDER BY b), coalesce(a, b), lower(c) "
        "FROM t, pg_catalog.generate_series(1, 2) AS g(n)"
    )


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("DELETE FROM t", "not one query"),
        ("SELECT 1; SELECT 2", "not one query"),
        ("", "not one query"),
        ("SELECT " + "a + " * 30000 + "a FROM t", "more than 100,000 characters"),
        ("SELECT " + "(" * 3000 + "a" + ")" * 3000 + " FROM t", "not one query"),
        ("SELECT f(1)", "f() is not known to only read"),
        ("SELECT * FROM f(1)", "f() is not known to only read"),
        ("SELECT lower(f(1)) FROM t", "f() is not known to only read"),
        ("SELECT 1 FROM other", "there is no table other"),
        ("SELECT 1 FROM mysql.user", "there is no table mysql.user"),
        ("SELECT 1 FROM x.t", "there is no table x.t"),
        ("WITH a AS (SELECT 1 FROM b), b AS (SELECT 1) SELECT 1 FROM a", "there is no table b"),
        ("WITH b AS (SELECT 1 FROM b) SELECT 1 FROM b", "there is no table b"),
        ("SELECT (SELECT 1 FROM b) FROM (WITH b AS (SELECT 1) SELECT 1 FROM b) AS x", "there is no table b"),
        ("SELECT current_role FROM t", "tells who is asking"),
        ("SELECT a FROM t FOR UPDATE", "FOR UPDATE"),
    ],
)
def test_what_is_not_known_to_only_read_is_refused(sql: str, why: str, dialect: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        as_read(sql, dialect, KNOWN)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("dialect", "sql", "why"),
    [
        ("mysql", "SELECT LOAD_FILE('/etc/passwd')", "LOAD_FILE()"),
        ("mysql", "SELECT a FROM t WHERE Get_Lock ('x', 1)", "Get_Lock()"),
        ("mysql", "SELECT 1 /*! INTO OUTFILE 'x' */", "a command"),
        ("mysql", "SELECT 1 /*M!100100 + 1 */", "a command"),
        ("mysql", "SELECT /*+ SET_VAR(sql_mode='') */ 1", "not known"),
        ("mysql", "SELECT SQL_CALC_FOUND_ROWS a FROM t", "SQL_CALC_FOUND_ROWS"),
        ("mysql", "SELECT 1 FROM t LOCK IN SHARE MODE", "not known"),
        ("mysql", "SELECT a INTO @x FROM t", "not one query"),
        ("mysql", "SELECT @@datadir", "@@datadir"),
        ("mysql", "SELECT @x := 1", "not known"),
        ("mysql", "SELECT 1 FROM t PARTITION (p0)", "not known"),
        ("mysql", "SELECT a FROM T", "there is no table T"),
        ("postgres", "SELECT a INTO other FROM t", "not known"),
        ("postgres", "SELECT * FROM pg_catalog . pg_ls_dir('.')", "pg_ls_dir()"),
        ("postgres", "SELECT pg_catalog.lower(a), x.lower(a) FROM t", "x.lower(a)"),
        ("postgres", "SELECT * FROM x.generate_series(1, 2)", "generate_series()"),
        ("postgres", "SELECT \"pg_read_file\"('/etc/passwd')", "pg_read_file()"),
        ("postgres", "SELECT \"Lower\"('x')", "Lower()"),
        ("postgres", "SELECT U&\"pg\\005fread_file\"('/etc/passwd')", "U&"),
        ("postgres", 'SELECT u&"\\0061" FROM t', "U&"),
        ("postgres", "SELECT U&'\\0061'", "not known"),
        ("postgres", "SELECT E'\\141'", "not known"),
        ("postgres", "SELECT f.pg_read_file FROM lower('/etc/passwd') AS f", "f.pg_read_file"),
        ("postgres", "SELECT lower.pg_read_file FROM lower('/etc/passwd')", "lower.pg_read_file"),
        ("postgres", "SELECT f.nextval FROM t, LATERAL lower(t.a) AS f", "f.nextval"),
        ("postgres", "SELECT u.nextval FROM unnest(ARRAY['s']) AS u", "u.nextval"),
        ("postgres", "SELECT unnest.nextval FROM unnest(ARRAY['s'])", "unnest.nextval"),
        ("postgres", 'SELECT (SELECT "F".nextval) FROM pg_catalog.lower(\'s\') AS "F"', "nextval"),
        ("postgres", "SELECT 1 FROM ta\u212ale", "there is no table"),
        ("postgres", "SELECT ('/etc/passwd').pg_read_file", "pg_read_file"),
        ("postgres", "SELECT (lower('x')).pg_read_file", "pg_read_file"),
        ("postgres", "SELECT t.leak FROM t", "t.leak"),
        ("postgres", "SELECT 't'::regclass", "REGCLASS"),
        ("postgres", "SELECT CAST('{t}' AS regclass[])", "not"),
        ("postgres", "SELECT regclass 't'", "REGCLASS"),
        ("postgres", "SELECT 't'::pg_node_tree", "no type of plain values"),
        ("postgres", "SELECT 't'::x.mood", "no type of plain values"),
        ("postgres", "SELECT a OPERATOR(x.+) b FROM t", "not known"),
        ("postgres", "SELECT a ^ b FROM t", "somebody has added"),
        ("postgres", 'SELECT 1 FROM "T"', "there is no table T"),
        ("postgres", "SELECT * FROM ROWS FROM (lower('x'), pg_ls_dir('.')) AS x", "not"),
        ("postgres", "SELECT * FROM f('x') AS x(a int)", "not known"),
        ("postgres", "SELECT CURRENT_CATALOG", "not known"),
        ("postgres", "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone", "is no query"),
        ("postgres", "WITH a AS (LISTEN x) SELECT * FROM a", "is no query"),
        ("postgres", "COPY t TO PROGRAM 'true'", "not one query"),
        ("postgres", "SELECT user FROM t", "tells who is asking"),
        ("postgres", "SELECT $1", "not known"),
        ("postgres", "SELECT * FROM t TABLESAMPLE f(1)", "not known"),
    ],
)
def test_what_does_more_than_read_is_refused(dialect: str, sql: str, why: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        as_read(sql, dialect, KNOWN)
    assert why in str(caught.value)


def test_a_text_that_is_no_query_is_refused_without_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    parse("WITH a AS (VACUUM) SELECT * FROM a", "sqlite")
    assert parse("VACUUM INTO 'x'", "sqlite") is None
    assert caplog.text == ""


def test_what_sqlglot_stumbles_over_is_no_query() -> None:
    sql = "SELECT a FROM t MATCH_RECOGNIZE (PATTERN ) (a b+) DEFINE b AS x > 1)"
    assert parse(sql, "sqlite") is None
    assert parse(sql, "oracle") is None
    with pytest.raises(DatabaseError):
        as_read(sql, "postgres", KNOWN)
