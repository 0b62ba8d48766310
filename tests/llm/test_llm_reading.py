"""The query within what a model wrote."""

from __future__ import annotations

import pytest
from cases import table

from querent.llm.executor import ReadAnswer, read_answer

SQL = "SELECT a FROM t"
NONE = "there is no SQL in the answer"


@pytest.mark.parametrize(("text", "program"), table(__file__, "a_query_is_found_wherever_it_stands"))
def test_a_query_is_found_wherever_it_stands(text, program):
    assert read_answer(text, "sqlite") == ReadAnswer(program, SQL)


def test_a_query_goes_on_over_lines_and_semicolons_in_quotes():
    sql = "SELECT a\nFROM t\nWHERE b = 'x; y'"
    assert read_answer(f"It is\n{sql};", "sqlite").sql == sql
    assert read_answer(f"```\n{sql};\n```", "sqlite").sql == sql
    within = "WITH x AS (SELECT 1 AS a) SELECT a FROM x"
    assert read_answer(within, "sqlite") == ReadAnswer("", within)


@pytest.mark.parametrize("text", table(__file__, "an_answer_without_sql"))
def test_an_answer_without_sql(text):
    read = read_answer(text, "sqlite")
    assert (read.sql, read.problem) == ("", NONE)


def test_two_different_queries():
    read = read_answer("```sql\nSELECT a FROM t\n```\nor\n```sql\nSELECT b FROM t\n```", "sqlite")
    assert read.problem == "there are 2 different queries in the answer; write one"
    assert "2 different" in (read_answer("```\nSELECT a FROM t; SELECT b FROM t\n```", "sqlite").problem or "")
    assert "2 different" in (read_answer("SELECT 'a' FROM t\n\nSELECT 'A' FROM t", "sqlite").problem or "")


@pytest.mark.parametrize(("text", "what"), table(__file__, "nothing_but_select"))
def test_nothing_but_select(text, what):
    assert read_answer(text, "sqlite").problem == f"{what}: nothing but SELECT ever runs"


@pytest.mark.parametrize("sql", ["SELECT a FROM", "SELECT a b c FROM t", "SELECT a, FROM t"])
def test_a_query_that_is_none_is_left_to_the_validator(sql):
    assert read_answer(f"```sql\n{sql}\n```", "sqlite") == ReadAnswer("", sql)
