"""What holds of the time spans of any question."""

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from draws import draws
from hypothesis import given, settings
from hypothesis import strategies as st

from querent.ner.language.question import QuestionText
from querent.ner.spans.finding import find_spans
from querent.ner.spans.periods import TimeSpan

NOW = datetime(2024, 5, 15, 10, 30)
DATA = Path(__file__).parents[4] / "shared" / "data"
WORDS = re.findall(
    r"\S+",
    "the last 30 days 2023 Q3 of between and March may second first half year quarters ago since until after 5 12 "
    "in on to - / , week month 1990 s 's end start or later 8 am today yesterday next this FY older than 15th each "
    "年 月 日 上 个 下 本 第 三 十二 季度 半年 最近 前 后 之前 以来 到 至 和 底 初 周末 周 一 去年 今天 内 世纪 年代 "
    "9999 0 31",
)


def check(question: str, spans: list[TimeSpan]) -> None:
    for span in spans:
        assert span.text == question[span.first : span.last]
        assert span.text.strip() == span.text != ""
        assert (span.start is None) == (span.end is None)
        assert (span.part is None) == (span.start is not None)
        assert bool(span.numbers) == (span.part is not None)
        assert span.start is None or span.end is None or span.start < span.end
    assert all(one.last <= other.first for one, other in pairwise(spans))


@settings(max_examples=draws(400), deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(WORDS), max_size=14), st.sampled_from(["", " "]), st.integers(1, 12))
def test_words_of_times_in_any_order(words: list[str], glue: str, fiscal_month: int) -> None:
    question = glue.join(words)
    check(question, find_spans(QuestionText(question, "en"), now=NOW, fiscal_month=fiscal_month))


@settings(max_examples=draws(200), deadline=None, derandomize=True)
@given(st.text(max_size=40))
def test_any_text(question: str) -> None:
    check(question, find_spans(QuestionText(question, "zh"), now=NOW))


@pytest.mark.parametrize("now", [datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59), datetime(2024, 2, 29)])
def test_a_clock_at_the_end_of_the_calendar(now: datetime) -> None:
    for question in (
        "the last 900 years and next year",
        "last decade, this week, next 30 days",
        "between November and this month",
        "since March",
        "上个月、下周和明年",
    ):
        check(question, find_spans(QuestionText(question, "en"), now=now))


@pytest.mark.parametrize(
    "again", ["first week of ", "year that was ", "2023, the last day of ", "Q1 ", "between ", "上", "5-"]
)
def test_words_that_open_ever_more(again: str) -> None:
    """Neither the depth of calls nor the time grows with them."""
    find_spans(QuestionText(again * 1100, "en"), now=NOW)


def asked() -> Iterator[str]:
    for name in ("spider-train/train_spider.json", "bird-train/train.json", "chase-train/chase_train.json"):
        for one in json.loads((DATA / "multi" / name).read_text(encoding="utf-8")):
            yield from [one["question"]] if "question" in one else (t["utterance"] for t in one["interaction"])


@pytest.mark.skipif(not (DATA / "multi").is_dir(), reason="the questions are not there")
def test_questions_of_other_people() -> None:
    questions = list(asked())
    for question in questions[:: max(1, len(questions) // draws(5000))]:
        check(question, find_spans(QuestionText(question, "zh" if "的" in question else "en"), now=NOW))


def test_a_day_is_a_day_at_any_hour() -> None:
    for hour in range(24):
        (span,) = find_spans(QuestionText("yesterday", "en"), now=NOW.replace(hour=hour))
        assert span.end is not None and span.start is not None
        assert span.end - span.start == timedelta(days=1)
        assert span.end == datetime(2024, 5, 15)
