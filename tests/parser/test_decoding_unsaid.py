"""What a question says and a query leaves out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reader_cases import question, value

from querent.parser.decoding.unsaid import loses_each, lost_rate, turns_round, unsaid

PLAIN = "SELECT artist.name FROM artist"


def left_out(text: str, query: str) -> float:
    return unsaid(question(text), query.split())


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ((), 0.75 + 0.5),  # of those said by the same words the best
        (("SELECT", "'%{text0}%'"), 0.5),
        (("{text1}",), 0.5),  # which shares a word with the first
        (("{number2}",), 0.75),
        (("'{text2}'", "'{text0}'"), 0.0),
        (("album.title", "2"), 0.75 + 0.5),
    ],
)
def test_what_a_question_names_and_a_query_does_not_use(words: tuple[str, ...], left: float) -> None:
    text = "albums of Nina Simone since 1990"
    names = [(value(text, "Nina Simone"), 0.75), (value(text, "Nina"), 0.25), (value(text, "1990", kind="number"), 0.5)]
    asked = question(text, *(replace(found, score=score) for found, score in names))
    assert unsaid(asked, words) == pytest.approx(left)


LOST = [
    "artists not from here",
    "artists that never toured",
    "artists without an album",
    "who doesn't tour?",
    "all artists except the old",
    "没有专辑的歌手",
    "不在这里的歌手",
    "除了老歌手以外",
]
NO_NEGATION = [
    "artists with not more than two albums",
    "no later than two",
    "show the no. of albums",
    "artists",
    "note the north",
    "不同的歌手",
    "不超过两张专辑的歌手",
    "非常老的歌手",
    "无论多老",
]


@pytest.mark.parametrize("text", LOST)
def test_a_negation_that_the_query_loses(text: str) -> None:
    assert left_out(text, PLAIN) == 1
    for kept in ("WHERE NOT EXISTS", "WHERE artist.name IS NULL", "WHERE artist.name != '{text0}'", "EXCEPT", "= 0"):
        assert left_out(text, f"{PLAIN} {kept}".replace("{text0}", "x")) == 0


@pytest.mark.parametrize("text", NO_NEGATION)
def test_what_is_no_negation(text: str) -> None:
    assert left_out(text, PLAIN) == 0


def test_a_negation_within_a_name_or_said_by_a_cell() -> None:
    text = "albums called Never Say No"
    named = question(text, value(text, "Never Say No"))
    assert unsaid(named, ["'{text0}'"]) == 0
    text = "artists that are not active"
    cell = question(text, value(text, "active", is_="No", how="meaning"))
    assert unsaid(cell, ["'{text0}'"]) == 0
    assert unsaid(question(text, value(text, "active", is_="Yes", how="meaning")), ["'{text0}'"]) == 1


@pytest.mark.parametrize(
    ("question", "sql", "lost"),
    [
        ("the margin of each shop", "SELECT (SUM(a) / SUM(b)) FROM sales", True),
        ("每个网点的收入", "SELECT (SUM(a)) FROM sales", True),
        ("the margin of each shop", "SELECT shop, (SUM(a) / SUM(b)) FROM sales GROUP BY shop", False),
        ("the margin of each shop", "SELECT shop, (a / b) FROM sales", False),
        ("the margin of all shops", "SELECT (SUM(a) / SUM(b)) FROM sales", False),
    ],
)
def test_one_value_of_all_is_none_of_each(question: str, sql: str, lost: bool) -> None:
    assert loses_each(question, sql) is lost


@pytest.mark.parametrize(
    ("text", "sql", "lost"),
    [
        ("what is the complaint rate of hotels", "SELECT complaints FROM hotels", "rate"),
        ("what is the complaint rate of hotels", "SELECT 1.0 * complaints / guests FROM hotels", None),
        ("what is the unemployment rate", "SELECT unemployment_rate FROM towns", None),
        ("what percentage of students passed", "SELECT COUNT(*) FROM students", "percentage"),
        ("投诉率是多少", "SELECT 投诉数 FROM 酒店", "率"),
        ("发动机的功率是多少", "SELECT 功 FROM 发动机", None),
        ("how do guests rate hotels and which shares rose", "SELECT name FROM hotels", "rate"),
        ("which shares rose", "SELECT name FROM stocks", None),
    ],
)
def test_a_rate_that_nothing_reckons(text: str, sql: str, lost: str | None) -> None:
    assert lost_rate(question(text), sql) == lost


def test_a_rate_in_a_name_asks_for_none() -> None:
    text = "who sings Rate of Change"
    assert lost_rate(question(text, value(text, "Rate of Change")), PLAIN) is None


@pytest.mark.parametrize(
    ("text", "sql", "round_"),
    [
        ("which plant has the best margin", "SELECT name FROM t ORDER BY (a / b) LIMIT 1", True),
        ("which plant has the best margin", "SELECT name FROM t ORDER BY (a / b) DESC LIMIT 1", False),
        ("哪个工厂的利润率最低", "SELECT name FROM t ORDER BY (a / b) DESC LIMIT 1", True),
        ("plants with at least two lines", "SELECT name FROM t ORDER BY (a / b) DESC", False),
        ("the highest and the lowest margin", "SELECT name FROM t ORDER BY (a / b)", False),
        ("which plant has the highest margin", "SELECT MAX(a / b) FROM t", False),
    ],
)
def test_the_best_comes_first(text: str, sql: str, round_: bool) -> None:
    assert turns_round(text, sql) is round_
