"""What a span tells beside its interval: its place, its notes, fiscal years, the clock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from querent.ner.language.question import QuestionText
from querent.ner.spans.finding import find_spans
from querent.ner.spans.periods import TimeSpan

NOW = datetime(2024, 5, 15, 10, 30)
Told = Callable[..., list[str]]


def only(question: str, language: str = "en") -> TimeSpan:
    (span,) = find_spans(QuestionText(question, language), now=NOW)
    return span


@pytest.mark.parametrize(
    ("question", "language", "text"),
    [
        ("tolls paid after the 3rd of May 2020 by hand", "en", "3rd of May 2020"),
        ("tolls paid between March and May 2020 by hand", "en", "March and May 2020"),
        ("tolls paid from 2019 onwards by hand", "en", "2019"),
        ("tolls paid until the end of 2019 by hand", "en", "the end of 2019"),
        ("tolls paid over the last 30 days by hand", "en", "last 30 days"),
        ("tolls paid in Q3 of last year by hand", "en", "Q3 of last year"),
        ("自２０１９年３月以来交的费", "zh", "２０１９年３月"),
        ("从2019年到2021年交的费", "zh", "2019年到2021年"),
        ("截至上个月底交的费", "zh", "上个月底"),
        ("晚于2017年4月的费", "zh", "2017年4月"),
    ],
)
def test_the_words_of_a_span_are_those_of_the_time(question: str, language: str, text: str) -> None:
    span = only(question, language)
    assert span.text == text
    assert question[span.first : span.last] == text


@pytest.mark.parametrize(
    ("question", "language", "note"),
    [
        ("tolls in December", "en", "any year"),
        ("tolls on Mondays", "en", "any week"),
        ("tolls at 8 am", "en", "any day"),
        ("每月15日的费", "zh", "any month"),
        ("tolls on May 20", "en", "2023"),
        ("tolls last June", "en", "2023"),
        ("tolls in the last year", "en", "back from today"),
        ("tolls at the end of 2020", "en", "last month"),
        ("tolls in late 2020", "en", "late"),
        ("30天内的费", "zh", "up to today"),
    ],
)
def test_what_is_taken_for_granted_is_told(question: str, language: str, note: str) -> None:
    assert note in only(question, language).note


@pytest.mark.parametrize(
    "question", ["tolls in May 2020", "tolls last month", "tolls since 2020", "tolls on 2020-05-04"]
)
def test_what_is_plain_needs_no_note(question: str) -> None:
    assert only(question).note == ""


@pytest.mark.parametrize(
    ("question", "language", "spans"),
    [
        ("budget of FY2023", "en", ["in 2022-04-01 2023-04-01 year"]),
        ("budget of Q1 FY2023", "en", ["in 2022-04-01 2022-07-01 quarter"]),
        ("budget of the first half of FY 2023", "en", ["in 2022-04-01 2022-10-01 half"]),
        ("budget of this fiscal year", "en", ["in 2024-04-01 2025-04-01 year now"]),
        ("budget of last fiscal year", "en", ["in 2023-04-01 2024-04-01 year now"]),
        ("2023财年的预算", "zh", ["in 2022-04-01 2023-04-01 year"]),
        ("上个财年的预算", "zh", ["in 2023-04-01 2024-04-01 year now"]),
        ("budget of 2023", "en", ["in 2023-01-01 2024-01-01 year ?"]),
        ("budget in Q1 2023", "en", ["in 2023-01-01 2023-04-01 quarter"]),
    ],
)
def test_fiscal_years_that_begin_in_april(told: Told, question: str, language: str, spans: list[str]) -> None:
    assert told(question, language, fiscal_month=4) == spans


@pytest.mark.parametrize(
    ("now", "question", "spans"),
    [
        (datetime(2024, 3, 31), "the last month", ["in 2024-02-01 2024-03-01 month now ?"]),
        (datetime(2024, 3, 31), "in the last month", ["in 2024-02-29 2024-04-01 day now"]),
        (datetime(2024, 2, 29, 23, 59), "a year ago", ["in 2023-01-01 2024-01-01 year now"]),
        (datetime(2024, 2, 29, 23, 59), "more than a year ago", ["before 2023-02-28 2023-03-01 day now"]),
        (datetime(2024, 1, 1), "last quarter", ["in 2023-10-01 2024-01-01 quarter now"]),
        (datetime(2024, 1, 1), "last week", ["in 2023-12-25 2024-01-01 week now"]),
        (datetime(2024, 5, 19, 12), "this weekend", ["in 2024-05-18 2024-05-20 day now"]),
        (datetime(2024, 5, 17), "last Friday", ["in 2024-05-10 2024-05-11 day now"]),
        (datetime(2024, 2, 28), "on February 29", ["in 2020-02-29 2020-03-01 day now"]),
        (datetime(2024, 5, 15), "on 31 April", ["in month 4"]),
    ],
)
def test_the_clock(told: Told, now: datetime, question: str, spans: list[str]) -> None:
    assert told(question, "en", now=now) == spans


def test_the_year_before_another_one_is_unsure(told: Told) -> None:
    assert told("tolls in 2019 and in the previous year", "en") == [
        "in 2019-01-01 2020-01-01 year",
        "in 2023-01-01 2024-01-01 year now ?",
    ]
    assert told("tolls this month and in the previous month", "en") == [
        "in 2024-05-01 2024-06-01 month now",
        "in 2024-04-01 2024-05-01 month now",
    ]


def test_days_before_months_where_people_write_so(told: Told) -> None:
    assert told("costi dal 3/4/2020", "it") == ["in 2020-04-03 2020-04-04 day"]
    assert told("costs on 3/4/2020", "en") == ["in 2020-03-04 2020-03-05 day"]


@pytest.mark.parametrize(
    ("question", "interval"),
    [
        ("tolls after March 2020", (datetime(2020, 4, 1), None)),
        ("tolls since March 2020", (datetime(2020, 3, 1), None)),
        ("tolls before March 2020", (None, datetime(2020, 3, 1))),
        ("tolls until March 2020", (None, datetime(2020, 4, 1))),
        ("tolls before the end of March 2020", (None, datetime(2020, 4, 1))),
        ("tolls until the start of March 2020", (None, datetime(2020, 3, 1))),
        ("tolls since the end of March 2020", (datetime(2020, 4, 1), None)),
        ("tolls older than 10 days", (None, datetime(2024, 5, 5))),
    ],
)
def test_which_side_of_a_period(question: str, interval: tuple[datetime | None, datetime | None]) -> None:
    assert only(question).interval == interval
