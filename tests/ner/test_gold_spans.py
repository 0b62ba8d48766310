"""Literals of gold queries are found in questions, in whatever form the value index knows."""

import tomllib
from pathlib import Path

import pytest

from querent.ner.gold_spans import gold_literals

CASES = tomllib.loads(Path(__file__).with_name("questions.toml").read_text("utf-8"))


@pytest.mark.parametrize(("question", "sql", "said"), CASES["literals_are_found_in_their_question"])
def test_literals_are_found_in_their_question(question: str, sql: str, said: list[str]) -> None:
    found = [one.span for one in gold_literals(question, sql) if one.span is not None]
    assert [question[start:end] for start, end in found] == said


def test_what_is_not_said_has_no_span() -> None:
    (one,) = gold_literals("Which students have a scholarship?", "SELECT a FROM t WHERE scholarship = 'Y'")
    assert (one.value, one.string, one.span) == ("Y", True, None)


def test_chinese_numerals_are_found() -> None:
    (one,) = gold_literals("前三名是谁？", "SELECT a FROM t ORDER BY b DESC LIMIT 3", language="zh")
    assert (one.value, one.span) == ("3", (1, 2))
