"""The times that questions say, of the tables of spans.toml."""

import tomllib
from datetime import datetime, time
from pathlib import Path

import pytest

from querent.data.languages import language_of
from querent.ner.language.question import QuestionText
from querent.ner.spans.finding import find_spans
from querent.ner.spans.periods import TimeSpan

NOW = datetime(2024, 5, 15, 10, 30)  # a Wednesday
CASES = tomllib.loads(Path(__file__).with_name("spans.toml").read_text("utf-8"))


def spans_of(question: str, language: str = "", *, now: datetime = NOW, fiscal_month: int = 1) -> list[TimeSpan]:
    asked = QuestionText(question, language or language_of(question))
    return find_spans(asked, now=now, fiscal_month=fiscal_month)


def written(span: TimeSpan) -> str:
    period = f"{span.part} {' '.join(map(str, span.numbers))}"
    if span.start is not None and span.end is not None:
        period = f"{moment(span.start)} {moment(span.end)} {span.grain}"
    return f"{span.bound} {period}{' now' * span.relative}{' ?' * (not span.sure)}"


def moment(at: datetime) -> str:
    """Return a day, with the time of day behind it unless that is midnight."""
    if at.time() == time():
        return f"{at:%Y-%m-%d}"
    return at.isoformat(timespec="seconds" if at.second else "minutes")


@pytest.mark.parametrize(("language", "question"), [(kind, one) for kind in ("en", "zh") for one in CASES[kind]])
def test_times(language: str, question: str) -> None:
    assert list(map(written, spans_of(question, language))) == CASES[language][question]


@pytest.mark.parametrize("question", CASES["words"])
def test_the_words_of_a_span_are_those_of_the_time(question: str) -> None:
    (span,) = spans_of(question)
    assert span.text == question[span.first : span.last] == CASES["words"][question]


@pytest.mark.parametrize("question", CASES["notes"])
def test_what_is_taken_for_granted_is_told(question: str) -> None:
    (span,) = spans_of(question)
    note = CASES["notes"][question]
    assert note in span.note and bool(note) == bool(span.note)


@pytest.mark.parametrize("question", CASES["fiscal"])
def test_fiscal_years_that_begin_in_april(question: str) -> None:
    assert list(map(written, spans_of(question, fiscal_month=4))) == CASES["fiscal"][question]


@pytest.mark.parametrize(
    ("now", "question", "span"),
    [
        (datetime(2024, 3, 31), "the last month", "in 2024-02-01 2024-03-01 month now ?"),
        (datetime(2024, 3, 31), "in the last month", "in 2024-02-29 2024-04-01 day now"),
        (datetime(2024, 2, 29, 23, 59), "a year ago", "in 2023-01-01 2024-01-01 year now"),
        (datetime(2024, 2, 29, 23, 59), "more than a year ago", "before 2023-02-28 2023-03-01 day now"),
        (datetime(2024, 1, 1), "last quarter", "in 2023-10-01 2024-01-01 quarter now"),
        (datetime(2024, 1, 1), "last week", "in 2023-12-25 2024-01-01 week now"),
        (datetime(2024, 5, 19, 12), "this weekend", "in 2024-05-18 2024-05-20 day now"),
        (datetime(2024, 5, 17), "last Friday", "in 2024-05-10 2024-05-11 day now"),
        (datetime(2024, 2, 28), "on February 29", "in 2020-02-29 2020-03-01 day now"),
        (datetime(2024, 5, 15), "on 31 April", "in month 4"),
    ],
)
def test_the_clock(now: datetime, question: str, span: str) -> None:
    assert list(map(written, spans_of(question, now=now))) == [span]


def test_days_before_months_where_people_write_so() -> None:
    assert list(map(written, spans_of("costi dal 3/4/2020", "it"))) == ["in 2020-04-03 2020-04-04 day"]
    assert list(map(written, spans_of("costs on 3/4/2020"))) == ["in 2020-03-04 2020-03-05 day"]


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
    (span,) = spans_of(question)
    assert span.interval == interval
