"""Formulas of a role that may read a part of the database: told, or of a bank; and none of what is hidden."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import querent
from querent.grammar import Access

SCHEMA = """
CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT, port TEXT, owner TEXT);
CREATE TABLE trips (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats (id), fare REAL, cost REAL, state TEXT,
    seats INTEGER);
INSERT INTO boats VALUES (1, 'Gull', 'Bergen', 'Ann Dee'), (2, 'Tern', 'Oslo', 'Bo Lund');
INSERT INTO trips VALUES (1, 1, 30, 10, 'late', 0), (2, 1, 20, 15, 'ok', 4), (3, 2, 50, 20, 'ok', 9),
    (4, 2, 10, 12, 'late', 7);
"""
BANK = """
[[formula]]
name = "surplus"
kind = "calculation"
is = "fare - cost"
[[formula]]
name = "late trips"
kind = "condition"
is = "state = 'late'"
[[formula]]
name = "load"
kind = "calculation"
is = "SUM(seats) / COUNT(trips.id)"
"""
ROLES = {
    "some columns": Access((), {"boats": ("id", "name", "port"), "trips": ("id", "boat_id", "fare", "state", "seats")}),
    "a whole table": Access(("trips",), {"boats": ("id", "name")}),
    "one table": Access(("trips",)),
}
ASKED = (
    ("How many zork boats are there?", "zork refers to port = 'Oslo'", {"port"}),
    ("names of the zork boats", "zork refers to owner = 'Ann Dee'", {"owner"}),
    ("names of the zork boats", "zork refers to boats.owner = 'Ann Dee'", {"owner"}),
    ("What is the average gain?", "gain = fare - cost", {"fare", "cost"}),
    ("What is the average worth?", "worth = fare / seats", {"fare", "seats"}),
    ("What is the total surplus?", "", {"fare", "cost"}),
    ("How many late trips are there?", "", {"state"}),
    ("What is the load?", "", {"seats"}),
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the database, and its bank beside it."""
    folder = tmp_path_factory.mktemp("roles")
    with sqlite3.connect(folder / "boats.sqlite") as connection:
        connection.executescript(SCHEMA)
    (folder / "knowledge.toml").write_text(BANK, encoding="utf-8")
    return folder / "boats.sqlite"


@pytest.fixture(scope="module", params=ROLES)
def role(database: Path, request: pytest.FixtureRequest) -> Iterator[tuple[querent.Connection, Access]]:
    """Open it for one role after the other."""
    access = ROLES[request.param]
    with querent.connect(database, language="en", knowledge=database.parent, access=access) as opened:
        yield opened, access


def test_a_role_writes_formulas_of_what_it_may_read_and_no_others(role: tuple[querent.Connection, Access]) -> None:
    """Each is written, or told as not possible; what it needs and may not be read stands nowhere."""
    connection, access = role
    readable = {"fare", "cost", "state", "seats"} if "trips" in access.tables else set[str]()
    readable |= {column for columns in access.columns.values() for column in columns}
    for question, evidence, needs in ASKED:
        answer = connection.ask(question, evidence=evidence)
        if needs <= readable:
            assert answer.status != "error", (question, answer.reason)
            assert answer.knowledge, (question, answer.sql)
            assert all(column in str(answer.sql) for column in needs), answer.sql
        else:
            assert answer.knowledge == ()
            assert not any(hidden in str(answer.sql) for hidden in {"port", "owner", "cost"} - readable), answer.sql
            told = f"{answer.reason} {answer.unread}"
            assert answer.status in {"unsure", "no_answer"}, (question, answer.sql, answer.confidence, told)
            assert any(f"{column}: nothing here" in told for column in needs)


def test_what_is_hidden_is_told_as_what_is_not_there(role: tuple[querent.Connection, Access]) -> None:
    """A role cannot find out by its evidence which columns there are."""
    connection, access = role
    if "boats" not in access.columns:
        return
    hidden = connection.ask("names of the zork boats", evidence="zork refers to boats.owner = 'Ann Dee'")
    missing = connection.ask("names of the zork boats", evidence="zork refers to boats.crew = 'Ann Dee'")
    told = str(missing.to_json() | {"seconds": 0}).replace("crew", "owner")
    assert str(hidden.to_json() | {"seconds": 0}) == told
