"""A question that names a formula which no query here can hold: never `ok`, and the reason names the formula."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from formula_banks import write_bank

import querent
from querent.data.databases.schema_readers import read_schema
from querent.grammar import Access, Constraint
from querent.ner.language.question import QuestionText
from querent.parser.answering.answerer import Answerer
from querent.parser.normal_form import ShortConstraint
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.formula_items import formula_linker

SCHEMA = """
CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT, port TEXT, built_year INTEGER, tonnage REAL);
CREATE TABLE trips (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats (id), fare REAL, cost REAL, kind TEXT,
    starts TEXT, ends TEXT);
INSERT INTO boats VALUES (1, 'Gull', 'Bergen', 1999, 20), (2, 'Tern', 'Oslo', 2004, 35);
INSERT INTO trips VALUES (1, 1, 30, 10, 'cash', '2024-03-01', '2024-03-04'), (2, 2, 20, 8, 'flow', '2024-05-01', NULL);
"""
MANY = " + ".join(f"{n}.5 * fare" for n in range(40))
"""More constants than a query has slots."""
FORMULAS = {
    "surplus": ("calculation", "fare - cost"),
    "sea margin": ("calculation", "fare - 2 * cost"),
    "freight": ("calculation", "fare / boats.tonnage"),
    "levy": ("calculation", MANY),
    "cash flow ratio": ("calculation", '"operating cash flow" / liabilities'),
    "years to refit": ("calculation", '"refit date" - "current year"'),
    "crowded trips": ("condition", "passengers > 5"),
    "contact": ("union", "phone, email"),
    "days out": ("calculation", "DAYS(starts, ends)"),
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the database, and its bank beside it."""
    return write_bank(tmp_path_factory.mktemp("unwritten"), SCHEMA, FORMULAS)


@pytest.fixture(scope="module")
def connection(database: Path) -> Iterator[querent.Connection]:
    """Open it with its formulas."""
    with querent.connect(database, language="en", knowledge=database.parent) as opened:
        yield opened


def held(answer: querent.Answer, formula: str) -> None:
    """Hold an answer to what is promised of one that does without a formula."""
    assert formula not in {one.name for one in answer.knowledge}, answer.sql
    assert answer.status in {"unsure", "no_answer", "error"}, (answer.status, answer.confidence, answer.sql)
    assert answer.status == "error" or formula in str(answer.reason), answer.reason


@pytest.mark.parametrize(
    ("question", "formula"),
    [
        ("How many crowded trips are there?", "crowded trips"),  # a column is missing
        ("Show the contact of the boat Gull", "contact"),
        ("What is the average cash flow ratio?", "cash flow ratio"),  # «flow» is a cell, which makes it no share
        ("What is the average years to refit?", "years to refit"),  # and no year of the boats'
        ("What is the average levy of the trips?", "levy"),  # more constants than there are slots
    ],
)
def test_what_is_missing_is_told(connection: querent.Connection, question: str, formula: str) -> None:
    held(connection.ask(question), formula)


@pytest.mark.parametrize(
    ("question", "formula", "bounds"),
    [
        ("What is the average freight?", "freight", {"sources": 1}),
        ("What is the average freight?", "freight", {"budget": 14}),
        ("What is the total surplus?", "surplus", {"budget": 6}),
    ],
)
def test_what_the_bounds_leave_no_room_for_is_told(
    connection: querent.Connection, question: str, formula: str, bounds: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    answerer = connection.parser.whole
    assert formula in {one.name for one in connection.ask(question).knowledge}  # it is written without the bounds
    narrow = ShortConstraint(Constraint(answerer.context.vocabulary, **bounds))
    monkeypatch.setattr(answerer, "constraint", narrow)
    held(connection.ask(question), formula)


def test_what_the_dialects_types_refuse_is_told(connection: querent.Connection, database: Path) -> None:
    """PostgreSQL has no days between texts, which SQLite reads as dates."""
    question, formula = "What is the average days out?", "days out"
    assert connection.ask(question).knowledge[0].name == formula
    answerer = connection.parser.whole
    assert answerer.knowledge is not None
    context = DatabaseContext.of(read_schema(str(database)), answerer.context.index, dialect="postgres", language="en")
    knowledge = formula_linker(answerer.knowledge.bank, context, answerer.parser.vectors)
    other = Answerer(answerer.parser, context, None, calibration=answerer.calibration, knowledge=knowledge)
    held(other.ask(QuestionText(question)), formula)


def test_what_a_role_may_not_read_is_told(connection: querent.Connection, database: Path) -> None:
    assert connection.ask("What is the total surplus?").knowledge[0].name == "surplus"
    access = Access(("boats",), {"trips": ("id", "boat_id", "fare")})
    with querent.connect(database, language="en", knowledge=database.parent, access=access) as role:
        held(role.ask("What is the total surplus?"), "surplus")
