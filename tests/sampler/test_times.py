"""Times that questions say: their ends, their words in three languages, and what is read of them again."""

import random
from datetime import date, datetime, time
from functools import cache
from pathlib import Path

import pytest
from cases import cases, rows

from querent.meaning.profile import TimeStorage
from querent.ner.language.question import QuestionText
from querent.ner.spans.finding import find_spans
from querent.sampler.spans import Span, recurring_of, span_of

CASES = Path(__file__).with_name("spans.toml")
DAY = TimeStorage("iso", "day", text=True)
CLOCK = datetime(2024, 3, 15, 12)
AROUND = {"en": "orders {}", "zh": "{}的订单"}


@cache
def spans(*days: date) -> dict[tuple[str, int], list[Span]]:
    """Return what is drawn around days, some of it seen from the clock, by rule and count."""
    found = dict[tuple[str, int], list[Span]]()
    for seed in range(1500):
        for one in (span_of(days, DAY, random.Random(seed), CLOCK), recurring_of(days, DAY, random.Random(seed))):
            found.setdefault((one.rule, one.fields.get("n", 0)), []).append(one)
    return found


def said(span: Span, language: str, form: str = "") -> set[str]:
    return {span.said(language, form, random.Random(seed)) for seed in range(40)}


def drawn(case: dict) -> Span:
    return spans(*case.get("days", [date(2024, 2, 29)]))[case["rule"], case.get("n", 0)][0]


@pytest.mark.parametrize("case", cases(CASES, "interval"))
def test_a_span_has_its_ends_and_its_words(case):
    one = drawn(case)
    assert one.start == datetime.combine(case["start"], time())
    assert one.end == datetime.combine(case["end"], time())
    for language in ("en", "zh", "de"):
        assert case[language] in said(one, language, "in")


@rows(CASES, "recurring")
def test_a_part_of_all_times_has_its_numbers_and_its_words(rule, part, numbers, en, zh, de):
    one = next(one for one in spans(date(2024, 2, 29), date(2024, 3, 2))[rule, 0] if numbers == [*one.numbers])
    assert one.part == part
    assert (en in said(one, "en", "in"), zh in said(one, "zh"), de in said(one, "de", "in")) == (True, True, True)


@pytest.mark.parametrize("language", AROUND)
def test_the_reader_reads_the_span_that_is_said(language):
    for found in (spans(date(2024, 2, 29)), spans(date(2021, 5, 6), date(2023, 8, 9))):
        for one in (several[0] for several in found.values()):
            for words in said(one, language, "in") | (set() if one.part else said(one, language)):
                read = find_spans(QuestionText(AROUND[language].format(words), language), now=CLOCK)
                assert (one.part or None, one.numbers if one.part else (one.start, one.end)) in [
                    (span.part, tuple(span.numbers) if span.part else span.interval) for span in read
                ], words


def test_without_a_clock_no_span_is_seen_from_one():
    found = {span_of([date(2024, 2, 29)], DAY, random.Random(seed), None).rule for seed in range(500)}
    assert found == {"year", "half", "quarter", "month", "week", "day"}


@pytest.mark.parametrize(("grain", "rules"), [("year", {"year"}), ("month", {"year", "half", "quarter", "month"})])
def test_a_span_is_no_finer_than_the_cells(grain, rules):
    storage = TimeStorage("iso", grain, text=True)
    assert {span_of([date(2024, 2, 29)], storage, random.Random(seed), CLOCK).rule for seed in range(200)} == rules
