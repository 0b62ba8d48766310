"""Times said from «now», in both languages, and said again."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

import pytest

from querent.data.values.literals import find
from querent.data.values.relative_times import find_relative, say_relative

NOW = datetime(2024, 3, 31, 8)  # a Sunday


def times(question, language="en"):
    return [(m.text, m.sql) for m in find(question, language=language, now=NOW) if m.type == "time"]


@pytest.mark.parametrize(
    ("question", "said", "sql"),
    [
        ("alarms of today", "today", "2024-03-31"),
        ("yesterday's mean of TI-101", "yesterday", "2024-03-30"),
        ("what tripped the day before yesterday", "the day before yesterday", "2024-03-29"),
        ("values three days ago", "three days ago", "2024-03-28"),
        ("TI-101 5 hours ago", "5 hours ago", "2024-03-31 03:00:00"),
        ("max over the last 8 hours", "the last 8 hours", "2024-03-31 00:00:00"),
        ("max over the past two days", "the past two days", "2024-03-29 08:00:00"),
        ("alarms in the last hour", "the last hour", "2024-03-31 07:00:00"),
        ("alarms in the last 24h", "the last 24h", "2024-03-30 08:00:00"),
        ("alarms this week", "this week", "2024-03-25"),
        ("alarms last week", "last week", "2024-03-18"),
        ("alarms in the last two weeks", "the last two weeks", "2024-03-17 08:00:00"),
        ("alarms last month", "last month", "2024-02-01"),
        ("since last Friday", "last Friday", "2024-03-29"),
        ("last Sunday", "last Sunday", "2024-03-24"),
        ("昨天的最大值", "昨天", "2024-03-30"),
        ("大前天的报警", "大前天", "2024-03-28"),
        ("三天前的温度", "三天前", "2024-03-28"),
        ("5个小时前的温度", "5个小时前", "2024-03-31 03:00:00"),
        ("过去8小时的均值", "过去8小时", "2024-03-31 00:00:00"),
        ("最近三天报警", "最近三天", "2024-03-28 08:00:00"),
        ("近24小时", "近24小时", "2024-03-30 08:00:00"),
        ("本周报警", "本周", "2024-03-25"),
        ("上个星期报警", "上个星期", "2024-03-18"),
        ("上周五的报警", "上周五", "2024-03-22"),
        ("这个月报警", "这个月", "2024-03-01"),
        ("昨天下午3点的温度", "昨天下午3点", "2024-03-30 15:00:00"),
        ("value yesterday at 14:30", "yesterday at 14:30", "2024-03-30 14:30:00"),
        ("on 28 March", "28 March", "2024-03-28"),
        ("12月5日的报警", "12月5日", "2023-12-05"),
    ],
)
def test_read(question, said, sql):
    assert times(question) == [(said, sql)]
    assert [m for m in find(question, now=NOW) if m.type == "number"] == []


@pytest.mark.parametrize(
    "question",
    ["the last value", "last readings of the month", "目前的温度", "前天数据"[2:], "下个月", "in past alarms"],
)
def test_not_read(question):
    assert find_relative(question, NOW) == []


def test_without_now_nothing_is_relative():
    assert [m for m in find("alarms yesterday, 昨天") if m.type == "time"] == []
    assert [m.sql for m in find("on 28 March")] == ["03-28"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("how", ["day", "since", "week"])
def test_what_is_said_is_read_back(language, how):
    said = 0
    for number in range(1, 60):
        if how == "since":
            value = str(NOW - timedelta(hours=number))
        elif how == "day":
            value = str(NOW.date() - timedelta(days=number - 1))
        else:
            value = str(NOW.date() - timedelta(days=6 + 7 * (number - 1)))
        text = say_relative(value, how, now=NOW, language=language, rng=random.Random(number))
        if text is not None:
            said += 1
            assert times(f"TI-101 {text}", language) == [(text, value)]
    assert said >= 2
