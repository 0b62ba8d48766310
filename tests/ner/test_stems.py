"""Words without their endings."""

from __future__ import annotations

import pytest

from querent.ner.language.words import stem


@pytest.mark.parametrize(
    ("words", "stems"),
    [
        ("Cities countries", "city country"),
        ("classes matches dishes boxes", "class match dish box"),
        ("glass address", "glass address"),  # their s is no ending
        ("ordered rating airlines", "order rat airline"),
        ("paintings painting buildings ratings", "paint paint build rat"),  # both endings
        ("gas bed ring id IDs", "gas bed ring id ids"),  # what would be left is too short
        ("bus used", "bus used"),
        ("2010s 1990", "2010 1990"),
        ("ÉTATS", "état"),
        ("城市 城市s", "城市 城市s"),
    ],
)
def test_stems(words: str, stems: str) -> None:
    assert " ".join(map(stem, words.split())) == stems


def test_plural_and_singular_meet() -> None:
    for pair in ("city cities", "class classes", "box boxes", "match matches", "airline airlines", "order orders"):
        one, several = pair.split()
        assert stem(one) == stem(several)
