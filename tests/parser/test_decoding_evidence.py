"""Evidence beside one question: its formulas stand before those of the banks, and for no other question."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import querent
from querent.data.errors import InputError

SCHEMA = """
CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT, port TEXT);
CREATE TABLE trips (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats (id), fare REAL, cost REAL, state TEXT,
    seats INTEGER);
INSERT INTO boats VALUES (1, 'Gull', 'Bergen'), (2, 'Tern', 'Oslo');
INSERT INTO trips VALUES (1, 1, 30, 10, 'late', 0), (2, 1, 20, 15, 'ok', 4), (3, 2, 50, 20, 'ok', 9),
    (4, 2, 10, 12, 'late', 7);
"""
BANK = """
[[formula]]
name = "margin"
kind = "calculation"
is = "fare - cost"
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the database, and its bank beside it."""
    folder = tmp_path_factory.mktemp("evidence")
    with sqlite3.connect(folder / "boats.sqlite") as connection:
        connection.executescript(SCHEMA)
    (folder / "knowledge.toml").write_text(BANK, encoding="utf-8")
    return folder / "boats.sqlite"


@pytest.fixture(scope="module")
def connection(database: Path) -> Iterator[querent.Connection]:
    """Open it with its formulas."""
    with querent.connect(database, language="en", knowledge=database.parent) as opened:
        yield opened


def test_evidence_is_for_one_question(connection: querent.Connection) -> None:
    """What it tells is used there, told, and forgotten."""
    question, evidence = "How many crowded trips are there?", "crowded trips refers to seats < 5"
    answer = connection.ask(question, evidence=evidence)
    assert answer.rows == ((2,),)
    (use,) = answer.knowledge
    assert (use.name, use.said, use.grounded) == ("crowded trips", "crowded trips", "trips.seats < 5")
    assert answer.unread == ()
    assert connection.ask(question).knowledge == ()
    assert connection.knowledge is not None
    assert len(connection.knowledge.bank) == 1


def test_evidence_stands_before_the_banks(connection: querent.Connection) -> None:
    """The same name in both is what the evidence says; another of the bank stays."""
    question = "What is the total margin?"
    assert connection.ask(question).rows == ((53.0,),)
    answer = connection.ask(question, evidence="margin = fare / 2")
    assert answer.rows == ((55.0,),)
    assert connection.ask(question, evidence="crowded refers to seats < 5").rows == ((53.0,),)


def test_it_needs_no_bank(database: Path) -> None:
    """A connection without formulas takes evidence, too; one without a constraint cannot hold to it."""
    with querent.connect(database, language="en") as opened:
        assert opened.ask("What is the average gain?", evidence="gain = fare - cost").rows == ((13.25,),)
    with (
        querent.connect(database, language="en", level=None) as opened,
        pytest.raises(InputError, match="evidence without a constraint"),
    ):
        opened.ask("What is the average gain?", evidence="gain = fare - cost")


def test_what_is_no_formula_is_named_and_ignored(connection: querent.Connection) -> None:
    """Each piece stands in `Answer.unread` with the reason; one that would be a formula makes the answer unsure."""
    words = "crowded trips refers to seats < 5; a trip is a voyage of sorts"
    answer = connection.ask("How many crowded trips are there?", evidence=words)
    assert (answer.rows, answer.status) == (((2,),), "ok")
    assert answer.unread == ("'a trip is a voyage of sorts': no formula, which is name = expression",)
    assert answer.to_json()["unread"] == answer.unread
    for evidence in ("dear refers to trips.price > 25", "dear refers to fare > DIVIDE(cost", "dear = AVG(kind)"):
        answer = connection.ask("How many dear trips are there?", evidence=evidence)
        assert answer.status != "ok", (answer.sql, answer.unread)
        assert "dear" in str(answer.reason)


def test_a_query_with_evidence_is_explained(connection: querent.Connection) -> None:
    """The steps are those of the query that is answered."""
    question, evidence = "What is the average gain?", "gain = fare - cost"
    told = connection.explain(question, evidence=evidence)
    assert told.sql == connection.ask(question, evidence=evidence).sql
    assert "trips.gain" in [step.word for step in told.steps]
