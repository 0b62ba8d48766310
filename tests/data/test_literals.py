"""Numbers and times in questions, of the tables of literals.toml."""

import random
import tomllib
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querent.data.values.literals import find, readings
from querent.data.values.numerals import chinese_number, english_number, plain, value_of
from querent.data.values.times import say_relative

CASES = tomllib.loads(Path(__file__).with_name("literals.toml").read_text("utf-8"))
NOW = datetime(2024, 3, 31, 8)  # a Sunday


@pytest.mark.parametrize("question", CASES["digits"])
def test_digits(question: str) -> None:
    assert [[m.text, m.sql] for m in find(question)] == CASES["digits"][question]


@pytest.mark.parametrize("question", CASES["none"])
def test_what_holds_no_number(question: str) -> None:
    assert find(question) == []


@pytest.mark.parametrize("question", CASES["numbers"])
def test_number_words(question: str) -> None:
    assert [m.sql for m in find(question)] == [CASES["numbers"][question]]


@pytest.mark.parametrize("question", CASES["times"])
def test_times(question: str) -> None:
    assert [(m.sql, m.type, m.literal) for m in find(question)] == [(CASES["times"][question], "time", "string")]


@pytest.mark.parametrize("question", CASES["relative"])
def test_times_said_from_now(question: str) -> None:
    found = find(question, now=NOW)
    assert [[m.text, m.sql] for m in found if m.type == "time"] == [CASES["relative"][question]]
    assert [m for m in found if m.type == "number"] == []


@pytest.mark.parametrize(
    "question", ["the last value", "last readings of the month", "目前的温度", "数据", "下个月", "in past alarms"]
)
def test_words_that_say_no_time_from_now(question: str) -> None:
    assert [one for one in find(question, now=NOW) if one.type == "time"] == []


def test_without_now_nothing_is_relative() -> None:
    assert [m for m in find("alarms yesterday, 昨天") if m.type == "time"] == []
    assert [m.sql for m in find("on 28 March")] == ["03-28"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("how", ["day", "since", "week"])
def test_what_is_said_is_read_back(language, how) -> None:
    said = 0
    for number in range(1, 60):
        days = {"day": number - 1, "week": 6 + 7 * (number - 1)}.get(how, 0)
        value = str(NOW - timedelta(hours=number) if how == "since" else NOW.date() - timedelta(days=days))
        text = say_relative(value, how, now=NOW, language=language, rng=random.Random(number))
        if text is not None:
            said += 1
            times = [m for m in find(f"TI-101 {text}", language=language, now=NOW) if m.type == "time"]
            assert [(m.text, m.sql) for m in times] == [(text, value)]
    assert said >= 2


def test_no_such_day_is_no_time() -> None:
    assert all(m.type == "number" for m in find("2013年2月30日 and 99:99"))


def test_a_date_takes_the_year_of_the_one_before() -> None:
    assert [m.sql for m in find("从零七年三月十六号到四月二十八这段时间")] == ["2007-03-16", "2007-04-28"]


def test_day_first_outside_english_and_chinese() -> None:
    assert [m.sql for m in find("08/12/2013", language="de")] == ["2013-12-08"]


@pytest.mark.parametrize("text", CASES["readings"])
def test_readings(text: str) -> None:
    assert list(readings(text)) == CASES["readings"][text]


@pytest.mark.parametrize("text", CASES["chinese"])
def test_chinese_numerals(text: str) -> None:
    assert chinese_number(text) == CASES["chinese"][text]


def test_english_numbers() -> None:
    assert english_number("three million two hundred thousand and five") == 3_200_005
    assert english_number("twenty-first") == 21
    assert english_number("two and a half") == 2.5
    assert english_number("one two") is None


@given(st.decimals(-(10**9), 10**9, places=3))
def test_plain_numbers_keep_their_value(number: object) -> None:
    value = value_of(str(number))
    assert value is not None
    assert value_of(plain(value)) == value


@pytest.mark.parametrize(
    "text", ["1" * 10_000, "一" * 10_000, "零" * 9_999 + "点", "1e999999999", "1.2.3万", "٢٠١٣年8月1٣日", " " * 10_000]
)
def test_monsters_neither_break_nor_hang(text: str) -> None:
    assert all(len(m.sql) < 100 for m in find(text))
    assert all(len(form) < 100 for form in readings(text[:50]))
    assert value_of("1e999999999") is None


@given(st.text(alphabet="0123456789年月日点一二三十百千万%.,:-/ abn前第个TI", max_size=40))
def test_mentions_point_into_the_question(question: str) -> None:
    end = 0
    for mention in find(question):
        assert end <= mention.start < mention.end
        assert question[mention.start : mention.end] == mention.text
        assert mention.type == "time" or value_of(mention.sql) is not None
        end = mention.end
