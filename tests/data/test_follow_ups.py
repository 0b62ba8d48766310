"""What people may ask after a query: the query that each follow-up means, and how it is said."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from sqlglot import exp, parse_one
from sqlite_rows import write_sqlite

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.sampler.follow_ups import CHANGES, follow_ups
from querent.sampler.follow_ups.changed_query import ChangedQuery
from querent.sampler.parts.draws import Draw, NothingToDraw, SamplingFrame
from querent.sampler.parts.phrases import Templates

SCHEMA = """
CREATE TABLE cook (cook_id INTEGER PRIMARY KEY, name TEXT, town TEXT, wage INTEGER, bonus INTEGER);
CREATE TABLE dish (dish_id INTEGER PRIMARY KEY, title TEXT, kind TEXT, price INTEGER,
                   cook_id INTEGER REFERENCES cook (cook_id));
"""
LIST = "SELECT title FROM dish WHERE kind = 'soup' AND price > 9"
COUNT = "SELECT COUNT(*) FROM dish WHERE kind = 'soup'"
JOINED = "SELECT T1.title FROM dish AS T1 JOIN cook AS T2 ON T1.cook_id = T2.cook_id WHERE T2.town = 'Ulm'"


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    towns = ("Ulm", "Bonn", "Jena")
    cooks = [(n, f"Cook {'ABCDEFGH'[n]}", towns[n % 3], 2000 + 137 * n, 90 - n * n % 7) for n in range(8)]
    dishes = [
        (n, f"Dish {n:02}", ("soup", "stew", "salad", "roast")[n % 4], 5 + n * n % 23, n * n % 8) for n in range(25)
    ]
    return write_sqlite(tmp_path_factory.mktemp("kitchen") / "k.sqlite", SCHEMA, {"cook": cooks, "dish": dishes})


@pytest.fixture(scope="module", params=["en", "zh"])
def frame(kitchen: Path, request: pytest.FixtureRequest) -> SamplingFrame:
    with Database.open(kitchen) as database:
        return SamplingFrame.of(from_sqlite(kitchen), database, request.param)


def changed(change: str, sql: str, frame: SamplingFrame) -> set[str]:
    """Return what a change makes of a query by 25 seeds, each in the words of a rule that there is."""
    found: set[str] = set()
    for seed in range(40):
        try:
            query, said = CHANGES[change](Draw(frame, random.Random(seed)), ChangedQuery.of(sql, frame))
        except NothingToDraw:
            continue
        assert Templates.of(frame.language).say(said, random.Random(seed))
        found.add(query.sql)
    return found


@pytest.mark.parametrize(
    ("change", "sql", "expected"),
    [
        ("other value", COUNT, "SELECT COUNT(*) FROM dish WHERE kind = 'roast'"),
        ("a condition fewer", LIST, "SELECT title FROM dish WHERE price > 9"),
        ("a condition fewer", JOINED, "SELECT title FROM dish"),
        ("a condition more", "SELECT AVG(wage) FROM cook", "SELECT AVG(wage) FROM cook WHERE town = 'Bonn'"),
        ("count", LIST, "SELECT COUNT(*) FROM dish WHERE kind = 'soup' AND price > 9"),
        ("list", COUNT, "SELECT title FROM dish WHERE kind = 'soup'"),
        ("a column more", "SELECT title FROM dish", "SELECT title, price FROM dish"),
        ("another column", JOINED, "SELECT T1.price FROM dish AS T1 JOIN cook AS T2 ON T1.cook_id = T2.cook_id "
                                   "WHERE T2.town = 'Ulm'"),
        ("a figure", COUNT, "SELECT AVG(price) FROM dish WHERE kind = 'soup'"),
        ("groups", "SELECT COUNT(*) FROM cook", "SELECT town, COUNT(*) FROM cook GROUP BY town"),
        ("leading group", "SELECT town, COUNT(*) FROM cook GROUP BY town",
         "SELECT town FROM cook GROUP BY town ORDER BY COUNT(*) DESC LIMIT 1"),
        ("order", LIST, "SELECT title FROM dish WHERE kind = 'soup' AND price > 9 ORDER BY price DESC"),
        ("top", "SELECT name FROM cook", "SELECT name FROM cook ORDER BY wage DESC LIMIT 1"),
        ("parents", COUNT, "SELECT DISTINCT cook.name FROM dish JOIN cook ON dish.cook_id = cook.cook_id "
                           "WHERE dish.kind = 'soup'"),
        ("count of children", "SELECT name FROM cook WHERE town = 'Ulm'",
         "SELECT COUNT(*) FROM dish JOIN cook ON dish.cook_id = cook.cook_id WHERE cook.town = 'Ulm'"),
        ("children of the best", "SELECT name FROM cook ORDER BY wage DESC LIMIT 1",
         "SELECT dish.title FROM dish JOIN cook ON dish.cook_id = cook.cook_id "
         "WHERE cook.cook_id = (SELECT cook_id FROM cook ORDER BY wage DESC LIMIT 1)"),
        ("rows of the best group", "SELECT town FROM cook GROUP BY town ORDER BY COUNT(*) DESC LIMIT 1",
         "SELECT name FROM cook WHERE town = (SELECT town FROM cook GROUP BY town ORDER BY COUNT(*) DESC LIMIT 1)"),
        ("every group", "SELECT AVG(wage) FROM cook WHERE town = 'Ulm'",
         "SELECT town, AVG(wage) FROM cook GROUP BY town"),
        ("groups of a size", "SELECT town, COUNT(*) FROM cook GROUP BY town",
         "SELECT town, COUNT(*) FROM cook GROUP BY town HAVING COUNT(*) > 1"),
        ("a count more", "SELECT town, AVG(wage) FROM cook GROUP BY town",
         "SELECT town, AVG(wage), COUNT(*) FROM cook GROUP BY town"),
        ("the other column", "SELECT AVG(wage) FROM cook", "SELECT AVG(bonus) FROM cook"),
        ("the other column", "SELECT name FROM cook ORDER BY wage DESC LIMIT 2",
         "SELECT name FROM cook ORDER BY bonus DESC LIMIT 2"),
        ("the other figure", "SELECT town, AVG(wage) FROM cook GROUP BY town",
         "SELECT town, MAX(wage) FROM cook GROUP BY town"),
        ("the other side", LIST, "SELECT title FROM dish WHERE kind = 'soup' AND price < 9"),
        ("every row", "SELECT name FROM cook ORDER BY wage LIMIT 3", "SELECT name FROM cook ORDER BY wage"),
        ("a condition against", "SELECT AVG(wage) FROM cook", "SELECT AVG(wage) FROM cook WHERE town <> 'Bonn'"),
    ],
)  # fmt: skip
def test_a_change(change: str, sql: str, expected: str, frame: SamplingFrame) -> None:
    found = changed(change, sql, frame)
    assert expected in found, found


def test_of_another_table(frame: SamplingFrame) -> None:
    found = changed("a condition of another table", "SELECT title FROM dish", frame)
    assert found
    assert all({one.name for one in parse_one(sql).find_all(exp.Table)} == {"dish", "cook"} for sql in found)


@pytest.mark.parametrize(
    ("change", "sql"),
    [
        ("count", COUNT),
        ("list", "SELECT MAX(price) FROM dish"),
        ("groups", LIST),
        ("a condition fewer", "SELECT title FROM dish"),
        ("a condition more", "SELECT name FROM cook ORDER BY wage LIMIT 3"),  # of these three, or three of those
        ("the other column", "SELECT AVG(wage), MAX(bonus) FROM cook"),
        ("the other figure", "SELECT MIN(wage), MAX(wage) FROM cook"),
        ("every row", "SELECT name FROM cook LIMIT 3"),
        ("order", "SELECT DISTINCT town FROM cook"),
        ("a figure", "SELECT town, COUNT(*) FROM cook GROUP BY town"),
    ],
)
def test_what_cannot_be_changed_so(change: str, sql: str, frame: SamplingFrame) -> None:
    assert changed(change, sql, frame) == set()


@pytest.mark.parametrize("sql", [
    "SELECT title FROM dish UNION SELECT name FROM cook",
    "SELECT title FROM dish WHERE price > (SELECT AVG(price) FROM dish)",
    "SELECT a.name FROM cook AS a JOIN cook AS b ON a.wage = b.wage",
    "SELECT 1 FROM guest",
    "no query",
])  # fmt: skip
def test_of_what_cannot_be_taken_apart_there_are_none(sql: str, frame: SamplingFrame, kitchen: Path) -> None:
    with pytest.raises(NothingToDraw):
        ChangedQuery.of(sql, frame)
    with Database.open(kitchen) as database:
        assert follow_ups(sql, frame, database, count=3, seed=1) == []


def test_one_leans_on_the_other(frame: SamplingFrame, kitchen: Path) -> None:
    seen: set[str] = set()
    with Database.open(kitchen) as database:
        for seed in range(60):
            found = follow_ups(LIST, frame, database, count=3, seed=seed)
            assert found == follow_ups(LIST, frame, database, count=3, seed=seed)
            told = [database.query(sql).rows for sql in (LIST, *(one.sql for one in found))]
            assert all(told)
            assert all(rows not in told[:place] for place, rows in enumerate(told))  # each tells something else
            assert len({one.change for one in found}) == len(found) <= 3
            seen |= {one.change for one in found}
    assert len(seen) > 8
    assert seen <= {*CHANGES}


def test_the_first_of_several_that_are_equal_is_not_asked_for(frame: SamplingFrame, kitchen: Path) -> None:
    with Database.open(kitchen) as database:
        for seed in range(60):
            for one in follow_ups("SELECT town FROM cook", frame, database, count=4, seed=seed):
                if one.sql.endswith("LIMIT 1"):
                    key = parse_one(one.sql).args["order"].expressions[0]
                    rows = database.query(one.sql.replace("LIMIT 1", "LIMIT 2")).rows
                    assert len(rows) == 2, (one, key)
