"""The query within what a model wrote."""

from __future__ import annotations

import pytest

from querent.llm.reading import ReadAnswer, read_answer

SQL = "SELECT a FROM t"
NONE = "there is no SQL in the answer"


@pytest.mark.parametrize(
    ("text", "program"),
    [
        (f"rows = rows of t\nanswer = a of rows\n```sql\n{SQL};\n```", "rows = rows of t\nanswer = a of rows"),
        (f"Sure!\nSQL: {SQL}\n\nThat is all.", "Sure!"),
        (f"问题很简单。\nSQL：{SQL}", "问题很简单。"),
        (f"**SQL:** `{SQL}`", ""),
        (f"The query is\n\n{SQL}; it takes each row.", "The query is"),
        (f"SELECT the rows of t.\n\n{SQL}", "SELECT the rows of t."),
        (f"```{SQL}```", ""),
        (f"```sql\n{SQL}", ""),
        (f"```python\nprint(1)\n```\n{SQL}", "```python\nprint(1)\n```"),
        (f"```sql\n{SQL}\n```\nor, which is the same,\n```sql\nselect  a\nfrom T;\n```", ""),
        (f"<think>SELECT b FROM t</think>answer = a of t\nSQL:\n```sql\n{SQL}\n```", "answer = a of t"),
    ],
)
def test_a_query_is_found_wherever_it_stands(text, program):
    assert read_answer(text, "sqlite") == ReadAnswer(program, SQL)


def test_a_query_goes_on_over_lines_and_semicolons_in_quotes():
    sql = "SELECT a\nFROM t\nWHERE b = 'x; y'"
    assert read_answer(f"It is\n{sql};", "sqlite").sql == sql
    assert read_answer(f"```\n{sql};\n```", "sqlite").sql == sql
    within = "WITH x AS (SELECT 1 AS a) SELECT a FROM x"
    assert read_answer(within, "sqlite") == ReadAnswer("", within)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I do not know.",
        "```sql\n```",
        "```sql\n-- nothing\n```",
        "Create a list.",
        "select all and then count them",
    ],
)
def test_an_answer_without_sql(text):
    read = read_answer(text, "sqlite")
    assert (read.sql, read.problem) == ("", NONE)


def test_two_different_queries():
    read = read_answer("```sql\nSELECT a FROM t\n```\nor\n```sql\nSELECT b FROM t\n```", "sqlite")
    assert read.problem == "there are 2 different queries in the answer; write one"
    assert "2 different" in (read_answer("```\nSELECT a FROM t; SELECT b FROM t\n```", "sqlite").problem or "")
    assert "2 different" in (read_answer("SELECT 'a' FROM t\n\nSELECT 'A' FROM t", "sqlite").problem or "")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("```sql\nDROP TABLE t\n```", "DROP is no SELECT"),
        ("DROP TABLE t;", "DROP is no SELECT"),
        ("SQL: DELETE FROM t", "DELETE is no SELECT"),
        ("```sql\nSELECT 1; DROP TABLE t\n```", "DROP is no SELECT"),
        ("SELECT 1; DROP TABLE t", "DROP is no SELECT"),
        ("```sql\nPRAGMA table_info(t)\n```", "PRAGMA is no SELECT"),
        ("```sql\n-- easy\nINSERT INTO t VALUES (1)\n```", "INSERT is no SELECT"),
    ],
)
def test_nothing_but_select(text, what):
    assert read_answer(text, "sqlite").problem == f"{what}: nothing but SELECT ever runs"


@pytest.mark.parametrize("sql", ["SELECT a FROM", "SELECT a b c FROM t", "SELECT a, FROM t"])
def test_a_query_that_is_none_is_left_to_the_validator(sql):
    assert read_answer(f"```sql\n{sql}\n```", "sqlite") == ReadAnswer("", sql)
