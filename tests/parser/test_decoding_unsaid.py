"""What a question says and a query leaves out."""

from __future__ import annotations

import pytest
from reader_cases import question, value

from querent.parser.decoding.unsaid import unsaid

PLAIN = "SELECT artist.name FROM artist"


def left_out(text: str, query: str) -> float:
    return unsaid(question(text), query.split())


def test_a_value_that_no_word_writes() -> None:
    text = "albums of Björk since 1990"
    asked = question(text, value(text, "Björk"), value(text, "1990", kind="number", how="literal"))
    assert unsaid(asked, PLAIN.split()) == pytest.approx(2.0)
    assert unsaid(asked, [*PLAIN.split(), "WHERE", "artist.name", "=", "'{text0}'"]) == pytest.approx(1.0)
    assert unsaid(asked, ["'%{text0}%'", "{number1}"]) == 0


def test_of_values_said_by_the_same_words_one_is_enough() -> None:
    text = "albums of Björk"
    asked = question(text, value(text, "Björk"), value(text, "Björk", is_="Björk Guðmundsdóttir", how="part"))
    assert unsaid(asked, ["'{text1}'"]) == 0
    assert unsaid(asked, PLAIN.split()) == pytest.approx(1.0)


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
