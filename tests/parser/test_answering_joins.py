"""Queries that join tables past their keys are known by the schema."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from querent.classifiers.reranker import FEATURES, Reranker
from querent.data.databases.database import Database
from querent.data.schema.ddl import from_ddl
from querent.grammar import Grammar
from querent.parser.answering.choice import choose
from querent.parser.answering.joins_past_keys import JoinsPastKeys
from querent.parser.decoding.candidates import Candidate

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
def joins() -> JoinsPastKeys:
    return JoinsPastKeys(Grammar.for_schema(from_ddl(SCRIPT, "sqlite"), dialect="sqlite"))


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
    ],
)
def test_joins_past_keys_are_counted(joins: JoinsPastKeys, query: str, times: int) -> None:
    assert joins.count(query.split()) == times


def test_a_query_along_the_keys_is_chosen_before_a_likelier_one_past_them(
    joins: JoinsPastKeys, database: Database
) -> None:
    queries = (
        "SELECT ship.name FROM crew JOIN ship ON crew.wage = ship.ship_id",
        "SELECT ship.name FROM ship WHERE ship.retired = 1",
    )
    made = [Candidate(q, math.log(p), tuple(q.split())) for q, p in zip(queries, (0.5, 0.3), strict=True)]
    alike = Reranker({**dict.fromkeys(FEATURES, 0.0), "log probability": 1.0, "joins past keys": -2.0})
    assert [found.candidate.sql for found in choose(made, database, None, alike)] == list(queries)
    assert [found.candidate.sql for found in choose(made, database, joins, alike)] == list(reversed(queries))
