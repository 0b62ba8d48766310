"""Which texts are sent to a server that is only read."""

from __future__ import annotations

import pytest

from querent.data.reading import refusal

DIALECTS = ("sqlite", "mysql", "postgres")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t WHERE b LIKE '%DELETE FROM t; --%'",
        "SELECT MAX(a), COUNT(*) FROM t GROUP BY b HAVING COUNT(*) > 1 ORDER BY 1 LIMIT 3",
        "SELECT 1 UNION ALL (SELECT 2)",
        "WITH x AS (SELECT 1 AS a) SELECT a FROM x -- the end",
        "SELECT set_config, edit, load_file FROM t",
    ],
)
def test_what_reads_is_sent(sql: str, dialect: str) -> None:
    assert refusal(sql, dialect) is None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("DELETE FROM t", "not one query"),
        ("SELECT 1; SELECT 2", "not one query"),
        ("", "not one query"),
        ("WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x", "it would write"),
    ],
)
def test_what_is_no_query_is_refused(sql: str, why: str, dialect: str) -> None:
    assert why in (refusal(sql, dialect) or "nothing")


@pytest.mark.parametrize(
    ("dialect", "sql", "why"),
    [
        ("mysql", "SELECT LOAD_FILE('/etc/passwd')", "LOAD_FILE()"),
        ("mysql", "SELECT a FROM t WHERE Get_Lock ('x', 1)", "Get_Lock()"),
        ("mysql", "SELECT 1 /*! INTO OUTFILE 'x' */", "/*!"),
        ("mysql", "SELECT 1 /*M!100100 + 1 */", "/*M!"),
        ("mysql", "SELECT 1 FROM t LOCK IN SHARE MODE", "lock rows"),
        ("mysql", "SELECT a INTO @x FROM t", "it would write"),
        ("postgres", "SELECT a INTO other FROM t", "it would write"),
        ("postgres", "SELECT a FROM t FOR UPDATE", "lock rows"),
        ("postgres", "SELECT * FROM pg_catalog . pg_ls_dir('.')", "pg_ls_dir()"),
        ("postgres", "SELECT \"pg_read_file\"('/etc/passwd')", "pg_read_file()"),
        ("postgres", "SELECT set_config('a', 'b', false)", "set_config()"),
        ("postgres", "SELECT query_to_xml_and_xmlschema('DELETE FROM t', true, true, '')", "query_to_xml"),
        ("sqlite", "SELECT load_extension('x')", "load_extension()"),
    ],
)
def test_what_does_more_than_read_is_refused(dialect: str, sql: str, why: str) -> None:
    assert why in (refusal(sql, dialect) or "nothing")
