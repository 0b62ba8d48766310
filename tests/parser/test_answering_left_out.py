"""What a question says and a query leaves out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reader_cases import question, value

from querent.parser.answering.left_out import values_left_out


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
