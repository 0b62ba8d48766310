"""Questions without their values."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from querent.ner.index import ValueIndex
from querent.ner.masking import ValueMask


@pytest.fixture(scope="module")
def index(indexed: Callable[[str], ValueIndex]) -> ValueIndex:
    return indexed(
        "CREATE TABLE book (title TEXT, author TEXT, year INTEGER);"
        "INSERT INTO book VALUES ('Dune', 'Frank Herbert', 1965), ('围城', '钱锺书', 1947), ('Dune Road', 'Jo', 7);"
    )


@pytest.mark.parametrize(
    ("question", "language", "masked"),
    [
        ("who wrote Dune?", "en", "who wrote [title]?"),
        ("who wrote Dune Road?", "en", "who wrote [title]?"),
        ("books of frank herbert before 1970", "en", "books of [author] before [number]"),
        ("《围城》的作者是谁", "zh", "《[title]》的作者是谁"),
        ("钱锺书写了围城吗", "zh", "[author]写了[title]吗"),
        ("how many books are there", "en", "how many books are there"),
    ],
)
def test_each_value_has_a_mask_and_the_rest_stays(index: ValueIndex, question: str, language: str, masked: str) -> None:
    assert ValueMask(index, language)(question) == masked
