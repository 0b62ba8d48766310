"""Words without their endings."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from querent.ner.language.words import stem

CASES = tomllib.loads(Path(__file__).with_name("questions.toml").read_text("utf-8"))


@pytest.mark.parametrize(("words", "stems"), CASES["stems"])
def test_stems(words: str, stems: str) -> None:
    assert " ".join(map(stem, words.split())) == stems


def test_plural_and_singular_meet() -> None:
    for pair in ("city cities", "class classes", "box boxes", "match matches", "airline airlines", "order orders"):
        one, several = pair.split()
        assert stem(one) == stem(several)
