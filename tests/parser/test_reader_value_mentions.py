"""What the shipped span finder takes for values of questions on nobody's database."""

from dataclasses import replace
from pathlib import Path

import databases
import pytest
from cases import table
from sql_pairs import script

from querent.data.databases.schema_readers import from_sqlite
from querent.data.schema.schema import Column, Schema, Table
from querent.ner.index import ValueIndex
from querent.ner.language.question import QuestionText
from querent.parser.reader import value_mentions as reading
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.items import SchemaItems
from querent.parser.reader.value_mentions import NearCells, read_mentions, value_mentions


@pytest.mark.parametrize(("question", "said"), table(__file__, "values_are_found_without_any_cell"))
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
    assert context.values(QuestionText("Who lives in Rome?")) == ()


# --- cells that a question means though none says them


@pytest.fixture
def near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NearCells:
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path))
    file = databases.create(tmp_path / "firms.sqlite", script("firms"))
    schema = from_sqlite(file)
    index = ValueIndex.open(file, schema)
    return NearCells(index, SchemaItems(schema, index.samples))


@pytest.mark.parametrize(("question", "mention", "cell", "how"), table(__file__, "the_cell_that_is_meant"))
def test_the_cell_that_is_meant(
    near: NearCells, question: str, mention: tuple[int, int], cell: tuple[str, str], how: str
) -> None:
    (found,) = near.find(QuestionText(question), [mention], ())
    value, column = cell
    assert (found.value, found.columns, found.how) == (value, (("firm", column),), how)
    assert question[found.start : found.end] == found.text
    assert found.score < 0.5


@pytest.mark.parametrize(("question", "mention"), table(__file__, "what_is_like_no_cell_means_none"))
def test_what_is_like_no_cell_means_none(near: NearCells, question: str, mention: tuple[int, int]) -> None:
    assert near.find(QuestionText(question), [mention], ()) == []


def test_what_a_cell_says_is_not_looked_for(near: NearCells) -> None:
    question = "纽约的公司"
    (found,) = near.find(QuestionText(question), [(0, 2)], ())
    assert near.find(QuestionText(question), [(0, 2)], [found]) == [found]  # not sure enough
    assert near.find(QuestionText(question), [(0, 2)], [replace(found, score=0.9)]) == []
