"""Questions without their values."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from querent.ner.index import ValueIndex
from querent.ner.masking import ValueMask

CASES = tomllib.loads(Path(__file__).with_name("questions.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def index(indexed: Callable[[str], ValueIndex]) -> ValueIndex:
    return indexed(
        "CREATE TABLE book (title TEXT, author TEXT, year INTEGER);"
        "INSERT INTO book VALUES ('Dune', 'Frank Herbert', 1965), ('围城', '钱锺书', 1947), ('Dune Road', 'Jo', 7);"
    )


@pytest.mark.parametrize(("question", "language", "masked"), CASES["each_value_has_a_mask_and_the_rest_stays"])
def test_each_value_has_a_mask_and_the_rest_stays(index: ValueIndex, question: str, language: str, masked: str) -> None:
    assert ValueMask(index, language)(question) == masked
