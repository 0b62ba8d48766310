"""What a question says and a query leaves out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reader_cases import question, value

from querent.classifiers.intents import read_intents
from querent.parser.answering.left_out import share_left_out, values_left_out
from querent.parser.decoding.candidates import Candidate


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
    assert values_left_out(asked, words) == pytest.approx(left)


@pytest.mark.parametrize(
    ("text", "words", "lost"),
    [
        ("what is the complaint rate of hotels", "SELECT hotels.complaints FROM hotels", True),
        ("what is the complaint rate of hotels", "SELECT 1.0 * hotels.complaints / hotels.guests FROM hotels", False),
        ("what is the unemployment rate", "SELECT towns.unemployment_rate FROM towns", False),
        ("what is the unemployment rate", "SELECT towns.duration FROM towns", True),  # of whose letters some are «rat»
        ("what percentage of students passed", "SELECT COUNT(*) FROM students", True),
        ("投诉率是多少", "SELECT 酒店.投诉数 FROM 酒店", True),
        ("投诉率是多少", "SELECT 酒店.投诉率 FROM 酒店", False),
        ("发动机的功率是多少", "SELECT 发动机.功 FROM 发动机", False),
        ("which stocks rose", "SELECT stocks.name FROM stocks", False),
    ],
)
def test_a_share_that_nothing_reckons(text: str, words: str, lost: bool) -> None:
    intents = read_intents(text, "en" if text.isascii() else "zh")
    assert share_left_out(intents, question(text), Candidate("", 0.0, tuple(words.split()))) is lost


def test_a_share_in_a_name_is_asked_by_nobody() -> None:
    text = "who sings Rate of Change"
    plain = Candidate("", 0.0, ("SELECT", "artist.name", "FROM", "artist"))
    assert not share_left_out(read_intents(text, "en"), question(text, value(text, "Rate of Change")), plain)
