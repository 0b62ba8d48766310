"""What a question says and a query leaves out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from reader_cases import question, value

from querent.parser.decoding.candidates import items_left_out, values_left_out
from querent.parser.reader.output_vocabulary import ROLES, fixed_words


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


@pytest.mark.parametrize(("items", "left"), [((0, 1), 0.0), ((0, 1, 1, 2), 0.0), ((1,), 2.0), ((), 7.0)])
def test_what_the_heads_want_and_a_query_does_not_use(items: tuple[int, ...], left: float) -> None:
    select, first = 5, len(fixed_words())
    places = np.array([select, -1, *(first + item * ROLES + 1 for item in items)])
    assert items_left_out(np.array([2.0, 5.0, -6.0], np.float32), places) == left
