"""Queries translated from MySQL: the text, and the answers on SQLite."""

from __future__ import annotations

import sqlite3

import pytest
import sqlglot

from querent.data.errors import QueryError
from querent.data.sql.dialects import translate

CASES = {
    "HOUR(t)": ("CAST(STRFTIME('%H', t) AS INTEGER)", "EXTRACT(HOUR FROM t)"),
    "DAY(t)": ("CAST(STRFTIME('%d', t) AS INTEGER)", "EXTRACT(DAY FROM t)"),
    "WEEKDAY(t)": ("(CAST(STRFTIME('%w', t) AS INTEGER) + 6) % 7", "(EXTRACT(DOW FROM t) + 6) % 7"),
    "2 * WEEKDAY(t)": ("2 * ((CAST(STRFTIME('%w', t) AS INTEGER) + 6) % 7)", "2 * ((EXTRACT(DOW FROM t) + 6) % 7)"),
    "DATE_ADD(t, INTERVAL 1 HOUR)": ("DATETIME(t, '+1 hours')", "t + INTERVAL '1 HOUR'"),
    "t - INTERVAL 3 DAY": ("DATETIME(t, '-3 days')", "t - INTERVAL '3 DAY'"),
    "DATE_SUB(t, INTERVAL {number0} HOUR)": ("DATETIME(t, '-{number0} hours')", "t - (INTERVAL '1 HOUR' * {number0})"),
    "DATE_ADD('{time1}', INTERVAL 7 DAY)": (
        "DATETIME('{time1}', '+7 days')",
        "CAST('{time1}' AS TIMESTAMP) + INTERVAL '7 DAY'",
    ),
    "DATE_ADD('{time0}', INTERVAL 7 DAY)": (
        "DATE('{time0}', '+7 days')",
        "CAST(CAST('{time0}' AS DATE) + INTERVAL '7 DAY' AS DATE)",
    ),
    "DATE_ADD(DATE(t), INTERVAL n + 1 DAY)": (
        "DATE(DATE(t), (n + 1) || ' days')",
        "CAST(CAST(t AS DATE) + (INTERVAL '1 DAY' * (n + 1)) AS DATE)",
    ),
    "TIMESTAMPDIFF(HOUR, a, b)": (
        "(UNIXEPOCH(b) - UNIXEPOCH(a)) / 3600",
        "TRUNC(EXTRACT(EPOCH FROM (b - a)) / 3600)",
    ),
    "n / TIMESTAMPDIFF(MINUTE, a, b)": (
        "CAST(n AS REAL) / ((UNIXEPOCH(b) - UNIXEPOCH(a)) / 60)",
        "CAST(n AS DOUBLE PRECISION) / NULLIF(TRUNC(EXTRACT(EPOCH FROM (b - a)) / 60), 0)",
    ),
    "ROUND(100.0 * (a - b) / (c - d), 1)": (
        "ROUND(100.0 * (a - b) / (c - d), 1)",
        "ROUND(CAST(CAST(100.0 * (a - b) AS DOUBLE PRECISION) / NULLIF((c - d), 0) AS DECIMAL), 1)",
    ),
    "ROUND(AVG(a), 1)": ("ROUND(AVG(a), 1)", "ROUND(CAST(AVG(a) AS DECIMAL), 1)"),
    "100.0 * COUNT(*) / {number0}": (
        "100.0 * COUNT(*) / {number0}",
        "CAST(100.0 * COUNT(*) AS DOUBLE PRECISION) / NULLIF({number0}, 0)",
    ),
    "COUNT(*) / 3": ("CAST(COUNT(*) AS REAL) / 3", "CAST(COUNT(*) AS DOUBLE PRECISION) / NULLIF(3, 0)"),
}


@pytest.mark.parametrize("expression", CASES)
@pytest.mark.parametrize(("dialect", "place"), [("sqlite", 0), ("postgres", 1)])
def test_text(expression, dialect, place):
    found = translate(f"SELECT {expression} FROM x", read="mysql", write=dialect, dates=["time0"])
    assert found == f"SELECT {CASES[expression][place]} FROM x"
    sqlglot.parse_one(found.replace("{", "").replace("}", ""), dialect=dialect)


def test_slots_survive_and_equal_dialects_change_nothing():
    sql = "SELECT  a FROM x WHERE b LIKE '%{topic0}%' AND c > {number0} AND d < {number1} + 1 LIMIT {number0}"
    assert translate(sql, read="mysql", write="mysql") == sql
    assert translate(sql, read="mysql", write="sqlite") == sql.replace("  ", " ")


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("HOUR('2024-03-31 08:30:00')", 8),
        ("WEEKDAY('2024-03-31')", 6),
        ("WEEKDAY('2024-03-25 23:00:00')", 0),
        ("TIMESTAMPDIFF(HOUR, '2024-03-30 08:00:00', '2024-03-31 07:59:59')", 23),
        ("TIMESTAMPDIFF(MINUTE, '2024-03-31 08:00:00', '2024-03-31 07:58:30')", -1),
        ("TIMESTAMPDIFF(DAY, '2024-02-28', '2024-03-01')", 2),
        ("DATE_ADD('2024-02-28 23:00:00', INTERVAL 2 HOUR)", "2024-02-29 01:00:00"),
        ("DATE_SUB('2024-03-01', INTERVAL 1 DAY)", "2024-02-29"),
        ("DATE(DATE_ADD('2024-03-01 10:00:00', INTERVAL 1 DAY))", "2024-03-02"),
        ("1 / 4", 0.25),
        ("90 / TIMESTAMPDIFF(MINUTE, '2024-03-31 08:00:00', '2024-03-31 08:30:00')", 3),
        ("EXTRACT(MONTH FROM '2024-03-31')", 3),
    ],
)
def test_answers_on_sqlite_are_those_of_mysql(expression, answer):
    sql = translate(f"SELECT {expression}", read="mysql", write="sqlite")
    assert sqlite3.connect(":memory:").execute(sql).fetchone()[0] == answer


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("SELECT FROM WHERE", "cannot be translated from mysql to sqlite"),
        ("SELECT DATE_ADD(t, INTERVAL 1 QUARTER) FROM x", "INTERVAL … QUARTER is not translated"),
        ("SELECT TIMESTAMPDIFF(MONTH, a, b) FROM x", "TIMESTAMPDIFF"),
        ("SELECT EXTRACT(QUARTER FROM a) FROM x", "EXTRACT"),
    ],
)
def test_what_is_not_translated_is_told(sql, problem):
    with pytest.raises(QueryError, match=problem):
        translate(sql, read="mysql", write="sqlite")


def test_sqlite_reads_set_operands_without_brackets():
    sql = "(SELECT 1 UNION SELECT {number0}) EXCEPT (SELECT 1 LIMIT 1)"
    found = translate(sql, read="mysql", write="sqlite")
    assert found == "SELECT 1 UNION SELECT {number0} EXCEPT SELECT * FROM (SELECT 1 LIMIT 1) AS side"
    assert sqlite3.connect(":memory:").execute(found.replace("{number0}", "5")).fetchall() == [(5,)]
