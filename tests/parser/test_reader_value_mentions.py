"""What the shipped span finder takes for values of questions on nobody's database."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from querent.data.schema.schema import Column, Schema, Table
from querent.ner.language.question import QuestionText
from querent.parser.reader import value_mentions as reading
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.value_mentions import read_mentions, value_mentions

CASES = tomllib.loads(Path(__file__).with_name("reader.toml").read_text("utf-8"))


@pytest.mark.parametrize(("question", "said"), CASES["values_are_found_without_any_cell"])
def test_values_are_found_without_any_cell(question: str, said: list[str]) -> None:
    assert [question[start:end] for start, end in value_mentions(QuestionText(question))] == said


def test_questions_that_are_read_together_say_what_they_say_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["Who sang in the Stadium of Light?", "Who sang in the Tower of London?", "姓王的患者有哪些？", "", "?!"]
    monkeypatch.setattr(reading, "_known", {})
    alone = [value_mentions(QuestionText(question)) for question in asked]
    monkeypatch.setattr(reading, "_known", {})
    read_mentions(asked)
    monkeypatch.delattr(reading, "word_states")  # nothing that has words is read again
    assert [value_mentions(QuestionText(question)) for question in asked] == alone
    assert alone[0]


def test_two_thousand_words_are_read_as_far_as_the_encoder_reads() -> None:
    assert all(end <= 4000 for _, end in value_mentions(QuestionText("Rome or Oslo " * 1000)))


def test_a_database_without_cells_is_asked_for_none() -> None:
    schema = Schema((Table("town", (Column("name", "TEXT"),)),))
    context = DatabaseContext.of(schema, None, dialect="sqlite", language="en")
    assert context.values("Who lives in Rome?") == ()
