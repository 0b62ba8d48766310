"""Queries translated from MySQL: the text, and the answers on SQLite."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import sqlglot
from cases import cases, rows

from querent.data.errors import QueryError
from querent.data.sql.dialects import translate

FILE = Path(__file__).with_name("queries.toml")


@pytest.mark.parametrize("case", cases(FILE, "dialect"))
@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_text(case, dialect):
    found = translate(f"SELECT {case['mysql']} FROM x", read="mysql", write=dialect, dates=["time0"])
    assert found == f"SELECT {case[dialect]} FROM x"
    sqlglot.parse_one(found.replace("{", "").replace("}", ""), dialect=dialect)


def test_slots_survive_and_equal_dialects_change_nothing():
    sql = "SELECT  a FROM x WHERE b LIKE '%{topic0}%' AND c > {number0} AND d < {number1} + 1 LIMIT {number0}"
    assert translate(sql, read="mysql", write="mysql") == sql
    assert translate(sql, read="mysql", write="sqlite") == sql.replace("  ", " ")


@pytest.mark.parametrize("case", cases(FILE, "answer"))
def test_answers_on_sqlite_are_those_of_mysql(case):
    sql = translate(f"SELECT {case['mysql']}", read="mysql", write="sqlite")
    assert sqlite3.connect(":memory:").execute(sql).fetchone()[0] == case["is"]


@rows(FILE, "untranslated")
def test_what_is_not_translated_is_told(sql, problem):
    with pytest.raises(QueryError, match=problem):
        translate(sql, read="mysql", write="sqlite")


def test_sqlite_reads_set_operands_without_brackets():
    sql = "(SELECT 1 UNION SELECT {number0}) EXCEPT (SELECT 1 LIMIT 1)"
    found = translate(sql, read="mysql", write="sqlite")
    assert found == "SELECT 1 UNION SELECT {number0} EXCEPT SELECT * FROM (SELECT 1 LIMIT 1) AS side"
    assert sqlite3.connect(":memory:").execute(found.replace("{number0}", "5")).fetchall() == [(5,)]
