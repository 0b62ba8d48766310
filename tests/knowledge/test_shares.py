"""Shares that a question asks for in its own words, from the sentence to the rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import querent

SCHEMA = """
CREATE TABLE wards (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE nurses (id INTEGER PRIMARY KEY, name TEXT, shift TEXT, sex TEXT, years INTEGER,
    ward_id INTEGER REFERENCES wards(id));
INSERT INTO wards VALUES (1, 'Cardiology'), (2, 'Surgery');
INSERT INTO nurses VALUES (1, 'Ann', 'night', 'F', 3, 1), (2, 'Bea', 'day', 'F', 12, 1), (3, 'Carl', 'day', 'M', 15, 1),
    (4, 'Dora', 'evening', 'F', 1, 1), (5, 'Emil', 'night', 'M', 20, 2);
"""
BANK = """
[[formula]]
name = "veteran"
says = ["veterans"]
kind = "condition"
is = "years >= 10"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the database, and a bank beside it."""
    folder = tmp_path_factory.mktemp("shares")
    with sqlite3.connect(folder / "hospital.sqlite") as connection:
        connection.executescript(SCHEMA)
    (folder / "knowledge.toml").write_text(BANK, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def connection(folder: Path) -> Iterator[querent.Connection]:
    """Open it with its formulas."""
    with querent.connect(folder / "hospital.sqlite", language="en", knowledge=folder) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("what percentage of the nurses work at night?", [(40.0,)]),
        ("what share of the nurses in Cardiology have the shift night?", [(0.25,)]),
        ("what is the percentage of night nurses of each ward?", [("Cardiology", 25.0), ("Surgery", 100.0)]),
        ("what proportion of the nurses have the shift night or evening?", [(0.6,)]),
        ("what percentage of the nurses are veterans?", [(60.0,)]),
    ],
)
def test_a_share_is_reckoned(connection: querent.Connection, question: str, rows: list[tuple[object, ...]]) -> None:
    answer = connection.ask(question)
    assert sorted(answer.rows) == [tuple(pytest.approx(cell) for cell in row) for row in rows], answer.sql
    assert len(answer.knowledge) == 1


def test_no_bank_is_needed(folder: Path) -> None:
    with querent.connect(folder / "hospital.sqlite", language="en") as opened:
        answer = opened.ask("what percentage of the nurses work at night?")
    assert answer.rows == ((pytest.approx(40.0),),)


def test_rows_of_one_part_for_each_row_of_another(connection: querent.Connection) -> None:
    answer = connection.ask("what is the ratio of night to day shifts among the nurses?")
    assert answer.rows == ((pytest.approx(1.0),),), answer.sql


@pytest.mark.parametrize("question", ["which nurses have the shift night?", "what is the rate of the night nurses?"])
def test_other_questions_ask_for_none(connection: querent.Connection, question: str) -> None:
    assert "AVG(CASE" not in (connection.ask(question).sql or "")
