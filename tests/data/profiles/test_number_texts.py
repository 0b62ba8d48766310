"""Numbers that are kept as text."""

from __future__ import annotations

import pytest

from querent.meaning.number_texts import number_in
from querent.meaning.profile import NumberText


@pytest.mark.parametrize(
    ("cells", "number"),
    [
        (["98", "140", "null", ""], NumberText((), nothing=("null", ""), whole=True)),
        (["$9,450", "$31,500.25"], NumberText(("$", ","))),
        (["120,300", "8,000", "-"], NumberText((",",), nothing=("-",), whole=True)),
        (["45%", "7.5%"], NumberText(("%",))),
        (["12 kg", "7.5 kg"], NumberText(("kg", " "))),
        (["54 m2", "120.5 m2"], NumberText(("m2", " "))),
        (["€ 1.234,50", "€ 7,20"], NumberText(("€", " ", "."), decimal_comma=True)),
        (["3,5", "12,25"], NumberText((), decimal_comma=True)),
        (["12%", "0"], NumberText(("%",), whole=True)),
        (["-5", "+7"], NumberText((), whole=True)),
        (["120元", "80元", "暂无"], NumberText(("元",), nothing=("暂无",), whole=True)),
        (["1 200", "30 000"], NumberText((" ",), whole=True)),
    ],
)
def test_how_a_text_says_a_number(sampled, cells, number):
    found = number_in(sampled(cells, "price")).number
    assert found is not None
    assert (set(found.removed) - {",", "."}, found.nothing, found.whole) == (
        set(number.removed) - {",", "."},
        number.nothing,
        number.whole,
    )
    assert found.decimal_comma == number.decimal_comma


def test_marks_are_taken_away_behind_signs(sampled):
    assert number_in(sampled(["Rs. 1,200", "Rs. 90"], "price")).number.removed == ("Rs.", " ", ",")


@pytest.mark.parametrize(
    ("cells", "doubt"),
    [
        (["5 kg", "7 lb"], "several units"),
        (["$5", "€7"], "several units"),
        (["5%", "0.07"], "some have not"),
        (["5%", "7%", 0.08], "some have not"),
        (["5"] * 19 + ["5 or 6"], "'5 or 6'"),
        (["1,5", "2.5"], "thousands"),
    ],
)
def test_what_cannot_be_compared_is_a_doubt(sampled, cells, doubt):
    found = number_in(sampled(cells, "weight"))
    assert found.number is None
    assert doubt in found.doubt


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        (["00501", "90210"], "x"),
        (["90210", "10115"], "zip"),
        (["555-1234"], "x"),
        (["1st", "2nd"], "place"),
        (["12 Elm Road", "7 Mill Lane"], "x"),
        (["4006381333931", "4006381333948", "4006381333955"], "x"),
        (["A12", "A13"], "x"),
        (["10-20", "5-7"], "x"),
        (["Ada"], "x"),
        (["前403", "1636"], "x"),
        ([], "x"),
    ],
)
def test_what_names_something_is_no_number(sampled, cells, name):
    assert number_in(sampled(cells, name)) is None


def test_a_unit_of_nought_is_taken_away_too(sampled):
    assert number_in(sampled(["0.0%", "12", "7.5"], "share")).number.removed == ("%",)


def test_a_word_among_many_numbers_is_none_and_told(sampled):
    found = number_in(sampled(["0.5"] * 30 + ["trace"], "rain"))
    assert found.number.nothing == ("trace",)
    assert "'trace'" in found.doubt
    found = number_in(sampled([0.5] * 30 + ["trace"], "rain")).number
    assert (found.nothing, found.whole) == (("trace",), False)
