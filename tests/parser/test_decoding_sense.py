"""Queries that run and make no sense are known by the keys and the cells of the database."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from querent.data.databases.database import Database
from querent.data.schema.ddl import from_ddl
from querent.grammar import Grammar
from querent.parser.answering.choice import choose
from querent.parser.decoding.candidates import Candidate
from querent.parser.decoding.sense import Sense

SCRIPT = """
CREATE TABLE ship (ship_id INTEGER PRIMARY KEY, name TEXT, tonnes INTEGER, "home port" TEXT, retired INTEGER);
CREATE TABLE crew (crew_id INTEGER PRIMARY KEY, ship_id INTEGER REFERENCES ship (ship_id), name TEXT, wage INTEGER);
CREATE TABLE visit (visit_id INTEGER PRIMARY KEY, vessel INTEGER REFERENCES ship, day TEXT);
CREATE TABLE weather (day TEXT, wind INTEGER);
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    file = tmp_path_factory.mktemp("sense") / "ships.sqlite"
    with closing(sqlite3.connect(file)) as made:
        made.executescript(SCRIPT)
        made.execute("INSERT INTO ship VALUES (1, 'Argo', 90, 'Volos', 0), (2, 'Fram', 400, NULL, 1)")
        made.commit()
    with Database.open(file) as opened:
        yield opened


@pytest.fixture(scope="module")
def sense(database: Database) -> Sense:
    return Sense(Grammar.for_schema(from_ddl(SCRIPT, "sqlite"), dialect="sqlite"), database)


@pytest.mark.parametrize(
    ("query", "times"),
    [
        ("SELECT crew.name FROM crew JOIN ship ON crew.ship_id = ship.ship_id", 0),
        ("SELECT crew.name FROM crew JOIN visit ON crew.ship_id = visit.vessel", 0),  # both are keys of one ship
        ("SELECT crew.name FROM crew JOIN ship ON crew.wage = ship.ship_id", 1),
        ("SELECT crew.name FROM crew JOIN ship ON crew.wage = ship.tonnes", 0),  # odd, but no key is passed over
        ("SELECT crew.name FROM crew JOIN ship ON crew.name = ship.name", 0),
        ("SELECT weather.wind FROM visit JOIN weather ON visit.day = weather.day", 0),
        ("SELECT weather.wind FROM visit JOIN weather ON visit.vessel = weather.wind", 0),  # no key joins these tables
        ("SELECT ship.name FROM ship WHERE ship.ship_id NOT IN ( SELECT visit.vessel FROM visit )", 0),
        ("SELECT ship.name FROM ship WHERE ship.ship_id NOT IN ( SELECT DISTINCT visit.visit_id FROM visit )", 1),
        ("SELECT ship.name FROM ship WHERE ship.tonnes IN ( SELECT crew.ship_id FROM crew )", 1),
        ("SELECT ship.name FROM ship WHERE ship.ship_id IN ( SELECT MAX ( crew.wage ) FROM crew )", 0),
        ("SELECT ship.name FROM ship WHERE ship.ship_id IN ( SELECT", 0),
        ("SELECT ship.name FROM ship WHERE ship.ship_id IN ( SELECT DISTINCT", 0),
        ("SELECT c.name FROM crew c JOIN ship s ON c.wage = s.ship_id", 0),  # of other names nothing is known
        ("SELECT COUNT(*) FROM ship WHERE ship.retired IS NOT NULL", 1),
        ('SELECT COUNT(*) FROM ship WHERE ship."home-port" IS NOT NULL', 0),
        ("SELECT COUNT(*) FROM ship WHERE ship.retired IS NULL", 0),
    ],
)
def test_what_makes_no_sense(sense: Sense, query: str, times: int) -> None:
    words = [word.replace("home-port", "home port") for word in query.split()]
    assert sense.against(words) == times


def test_what_is_asked_of_nulls_is_sent_as_ours(sense: Sense, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Database, "query")  # which checks what others have written
    assert sense.against(["WHERE", 'ship."home port"', "IS", "NOT", "NULL"]) == 0
    assert sense.against(["SELECT", "COUNT(*)", "FROM", "ship", "WHERE", "ship.tonnes", "IS", "NOT", "NULL"]) == 1


def test_without_a_database_nothing_is_known_of_nulls() -> None:
    blind = Sense(Grammar.for_schema(from_ddl(SCRIPT, "sqlite"), dialect="sqlite"), None)
    assert blind.against(["WHERE", "ship.retired", "IS", "NOT", "NULL"]) == 0
    assert blind.against(["ON", "crew.wage", "=", "ship.ship_id"]) == 1


def test_a_query_that_makes_sense_is_chosen_before_a_likelier_one_that_makes_none(
    sense: Sense, database: Database
) -> None:
    queries = (
        "SELECT ship.name FROM ship WHERE ship.retired IS NOT NULL",
        "SELECT ship.name FROM ship WHERE retired = 1",
    )
    made = [Candidate(q, math.log(p), tuple(q.split())) for q, p in zip(queries, (0.7, 0.1), strict=True)]
    assert [found.candidate.sql for found in choose(made, database)] == list(queries)
    assert [found.candidate.sql for found in choose(made, database, sense)] == list(reversed(queries))
