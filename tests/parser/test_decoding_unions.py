"""Unions of texts and times as words of the decoder: shown side by side, and never reckoned with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from formula_banks import write_bank

import querent
from querent.grammar import Constraint
from querent.parser.decoding.starting import StartingPoint
from querent.parser.normal_form import ShortConstraint
from querent.parser.reader.formula_items import offered

SCHEMA = """
CREATE TABLE crew (id INTEGER PRIMARY KEY, name TEXT, phone TEXT, email TEXT, rank TEXT, wage REAL, bonus REAL);
CREATE TABLE trips (id INTEGER PRIMARY KEY, crew_id INTEGER REFERENCES crew (id), starts DATE, ends DATE, fare REAL);
INSERT INTO crew VALUES (1, 'Ann', '12', 'ann@sea.org', 'mate', 10, 1), (2, 'Bo', '34', 'bo@sea.org', 'cook', 8, 2);
INSERT INTO trips VALUES (1, 1, '2024-03-01', '2024-03-04', 30), (2, 2, '2024-05-01', '2024-05-02', 20);
"""
FORMULAS = {"contact": ("union", "phone, email"), "term": ("union", "starts, ends"), "pay": ("union", "wage, bonus")}


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[querent.Connection]:
    """Open the database with its bank."""
    file = write_bank(tmp_path_factory.mktemp("unions"), SCHEMA, FORMULAS)
    with querent.connect(file, language="en", knowledge=file.parent) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What is the contact of Ann?", (("12", "ann@sea.org"),)),
        ("Show the contact of each mate", (("12", "ann@sea.org"),)),
        ("What is the term of the trip with fare 20?", (("2024-05-01", "2024-05-02"),)),
        ("What are all the terms?", (("2024-03-01", "2024-03-04"), ("2024-05-01", "2024-05-02"))),
    ],
)
def test_the_columns_are_shown(connection: querent.Connection, question: str, rows: tuple[object, ...]) -> None:
    answer = connection.ask(question)
    assert answer.knowledge, answer.sql
    assert tuple(row[-len(rows[0]) :] for row in answer.rows) == rows


def test_texts_have_no_place_where_one_value_is_due(connection: querent.Connection) -> None:
    """The word stands where outputs do, and neither in a function nor in a condition, nor orders it."""
    answerer = connection.parser.whole
    assert answerer.knowledge is not None
    for name, adds_up in (("contact", False), ("pay", True)):
        items = offered(answerer.context, answerer.knowledge.find(f"the {name} of the crew"))
        assert items is not None
        read = answerer.parser.read(answerer.context, f"the {name} of the crew", None, items)
        constraint = ShortConstraint(Constraint(answerer.context.vocabulary))
        read = replace(read, places=np.zeros(len(items.context.vocabulary), np.int64))  # all words have one
        start = StartingPoint(constraint, answerer.context, read, items)
        (own,) = (one.word for one in items.offers)
        for before, listed in (("SELECT", True), ("SELECT AVG (", False), ("SELECT crew.name FROM crew WHERE", False),
                               ("SELECT crew.name FROM crew ORDER BY", False)):  # fmt: skip
            prefix = start.state()
            for text in before.split():
                texts = [word.text for word in items.context.vocabulary.words]
                prefix = prefix.advance(texts.index(text))
            assert prefix.allowed()[own] == (listed or adds_up), (name, before)
