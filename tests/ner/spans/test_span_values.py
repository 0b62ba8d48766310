"""Values of a question with the periods that they mean."""

import tomllib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from querent.ner.index import FoundValue, ValueIndex
from querent.ner.language.question import QuestionText

CASES = tomllib.loads((Path(__file__).parents[1] / "questions.toml").read_text("utf-8"))

NOW = datetime(2024, 5, 15, 10, 30)
FERRIES = """
CREATE TABLE crossing (boat TEXT, sailed TEXT, built INTEGER, season TEXT);
INSERT INTO crossing VALUES ('Nerrie', '2023-07-15', 1998, '2023'), ('Old May', '2023-03-02', 2001, '2024');
"""


@pytest.fixture(scope="module")
def ferries(indexed: Callable[[str], ValueIndex]) -> ValueIndex:
    return indexed(FERRIES)


def found(index: ValueIndex, question: str, language: str = "en") -> dict[tuple[str, str], FoundValue]:
    """Return what is found with spans, by what is said and the value."""
    return {(v.text, v.value): v for v in index.find(QuestionText(question, language), now=NOW)}


@pytest.mark.parametrize(("question", "language", "said", "value", "grain"), CASES["a_period_is_one_value"])
def test_a_period_is_one_value(
    ferries: ValueIndex, question: str, language: str, said: str, value: str, grain: str
) -> None:
    values = found(ferries, question, language)
    span = values[said, value].span
    assert span is not None
    assert (span.grain, span.text) == (grain, said)
    inside = [v for v in values.values() if v.kind != "cell" and v.text != said]
    assert all(v.end <= span.first or span.last <= v.start or v.start < span.first for v in inside), inside


def test_a_year_stays_the_number_that_it_is(ferries: ValueIndex) -> None:
    for question, language in (("boats built in 2001", "en"), ("2001年造的船", "zh"), ("boats built since 2001", "en")):
        without = {(v.text, v.value, v.kind, v.score) for v in ferries.find(QuestionText(question, language))}
        values = found(ferries, question, language)
        assert {(v.text, v.value, v.kind, v.score) for v in values.values()} == without
        span = values["2001", "2001"].span
        assert span is not None
        assert (span.start, span.end) == (datetime(2001, 1, 1), datetime(2002, 1, 1))
    assert span.bound == "since"


def test_both_years_of_a_range_stay_beside_it(ferries: ValueIndex) -> None:
    values = found(ferries, "boats built between 1998 and 2001")
    assert [values[y, y].kind for y in ("1998", "2001")] == ["number", "number"]
    assert [str(values[y, y].span.start)[:4] for y in ("1998", "2001")] == ["1998", "2001"]
    whole = values["1998 and 2001", "1998"]
    assert (whole.span.start, whole.span.end) == (datetime(1998, 1, 1), datetime(2002, 1, 1))


def test_a_cell_that_is_a_time_has_its_span(ferries: ValueIndex) -> None:
    cells = [v for v in ferries.find("crossings of 2023", now=NOW) if v.columns]
    assert [v.span.start for v in cells] == [datetime(2023, 1, 1)]
    cells = [v for v in ferries.find("crossings from 2023 to 2024", now=NOW) if v.columns]
    assert sorted(v.span.start for v in cells) == [datetime(2023, 1, 1), datetime(2024, 1, 1)]


def test_a_number_that_may_be_an_age_stays(ferries: ValueIndex) -> None:
    values = found(ferries, "boats older than 30 years")
    assert values["30", "30"].span is None
    assert values["older than 30 years", "1994-05-15"].span.bound == "before"


def test_what_stands_in_quotes_says_no_time(ferries: ValueIndex) -> None:
    assert all(v.span is None for v in found(ferries, "crossings of 'The Last Year of May'").values())
    assert found(ferries, "crossings on '2023-03-02'")["2023-03-02", "2023-03-02"].span is not None


def test_two_periods_that_begin_alike_are_two(ferries: ValueIndex) -> None:
    both = ferries.find("is Q1 2023 better than January 2023", now=NOW)
    assert sorted(v.span.grain for v in both if v.span) == ["month", "quarter"]


def test_a_period_that_is_said_twice_is_one(ferries: ValueIndex) -> None:
    spans = [v.span for v in ferries.find("is May 2023 like May 2023", now=NOW) if v.kind == "time"]
    assert [span.first for span in spans] == [3]


def test_without_a_clock_there_are_no_spans(ferries: ValueIndex) -> None:
    values = ferries.find("crossings of Q3 2023 and last month")
    assert all(v.span is None and v.kind != "time" for v in values)


def test_fiscal_years_begin_where_it_is_said(ferries: ValueIndex) -> None:
    (span,) = [v.span for v in ferries.find("crossings in FY2023", now=NOW, fiscal_month=10) if v.span]
    assert (span.start, span.end) == (datetime(2022, 10, 1), datetime(2023, 10, 1))
    assert "2022-10-01" in span.note
