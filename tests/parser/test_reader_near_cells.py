"""Cells that a question means though none says them."""

from __future__ import annotations

import sqlite3
import tomllib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from querent.data.databases.schema_readers import from_sqlite
from querent.ner.index import ValueIndex
from querent.ner.language.question import QuestionText
from querent.parser.reader.items import SchemaItems
from querent.parser.reader.value_mentions import NearCells

CASES = tomllib.loads(Path(__file__).with_name("reader.toml").read_text("utf-8"))

SCRIPT = """
CREATE TABLE firm (name TEXT, city TEXT, code TEXT, founded INTEGER);
INSERT INTO firm VALUES ('ExxonMobil', 'New York', 'X_1', 1999), ('PetroChina', 'Tianjin', 'B17', 1999),
    ('Fedex', 'Memphis', 'C9', 1971), ('philanthropist', '北京', 'D', 1900);
"""


@pytest.fixture
def near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NearCells:
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path))
    with closing(sqlite3.connect(tmp_path / "firms.sqlite")) as connection:
        connection.executescript(SCRIPT)
    schema = from_sqlite(tmp_path / "firms.sqlite")
    index = ValueIndex.open(tmp_path / "firms.sqlite", schema)
    return NearCells(index, SchemaItems(schema, index.samples))


@pytest.mark.parametrize(("question", "mention", "cell", "how"), CASES["the_cell_that_is_meant"])
def test_the_cell_that_is_meant(
    near: NearCells, question: str, mention: tuple[int, int], cell: tuple[str, str], how: str
) -> None:
    (found,) = near.find(QuestionText(question), [mention], ())
    value, column = cell
    assert (found.value, found.columns, found.how) == (value, (("firm", column),), how)
    assert question[found.start : found.end] == found.text
    assert found.score < 0.5


@pytest.mark.parametrize(("question", "mention"), CASES["what_is_like_no_cell_means_none"])
def test_what_is_like_no_cell_means_none(near: NearCells, question: str, mention: tuple[int, int]) -> None:
    assert near.find(QuestionText(question), [mention], ()) == []


def test_what_a_cell_says_is_not_looked_for(near: NearCells) -> None:
    question = "纽约的公司"
    (found,) = near.find(QuestionText(question), [(0, 2)], ())
    assert near.find(QuestionText(question), [(0, 2)], [found]) == [found]  # not sure enough
    assert near.find(QuestionText(question), [(0, 2)], [replace(found, score=0.9)]) == []
