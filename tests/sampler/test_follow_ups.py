"""What people may ask after a query: the query that each follow-up means, and how it is said."""

import random
from contextlib import suppress
from pathlib import Path

import pytest
from cases import cases
from sampled import source
from sqlglot import exp, parse_one

from querent.sampler.follow_ups import CHANGES, follow_ups
from querent.sampler.follow_ups.changed_query import ChangedQuery
from querent.sampler.parts.draws import Draw, NothingToDraw, SamplingFrame
from querent.sampler.parts.phrases import Templates

LIST = "SELECT title FROM dish WHERE kind = 'soup' AND price > 9"


@pytest.fixture(scope="module", params=["en", "zh"])
def frame(request: pytest.FixtureRequest) -> SamplingFrame:
    return source("kitchen").frame(request.param)


def changed(change: str, sql: str, frame: SamplingFrame) -> set[str]:
    """Return what a change makes of a query by 40 seeds, each in words of the language."""
    found: set[str] = set()
    for seed in range(40):
        with suppress(NothingToDraw):
            query, said = CHANGES[change](Draw(frame, random.Random(seed)), ChangedQuery.of(sql, frame))
            assert Templates.of(frame.language).say(said, random.Random(seed))
            found.add(query.sql)
    return found


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("changes.toml")))
def test_changes(case: dict[str, str], frame: SamplingFrame) -> None:
    found = changed(case.get("change", case["name"]), case["sql"], frame)
    assert case["after"] in found if "after" in case else found == set()


def test_a_condition_of_another_table_joins_it(frame: SamplingFrame) -> None:
    found = changed("a condition of another table", "SELECT title FROM dish", frame)
    assert found
    assert all({one.name for one in parse_one(sql).find_all(exp.Table)} == {"dish", "cook"} for sql in found)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT title FROM dish UNION SELECT name FROM cook",
        "SELECT title FROM dish WHERE price > (SELECT AVG(price) FROM dish)",
        "SELECT a.name FROM cook AS a JOIN cook AS b ON a.wage = b.wage",
        "SELECT 1 FROM guest",
        "no query",
    ],
)
def test_what_cannot_be_taken_apart_has_no_follow_ups(sql: str, frame: SamplingFrame) -> None:
    assert follow_ups(sql, frame, source("kitchen").database, count=3, seed=1) == []


def test_follow_ups_lean_on_each_other(frame: SamplingFrame) -> None:
    home, seen = source("kitchen"), set[str]()
    for seed in range(25):
        found = follow_ups(LIST, frame, home.database, count=3, seed=seed)
        assert found == follow_ups(LIST, frame, home.database, count=3, seed=seed)
        answers = [home.rows(sql) for sql in (LIST, *(one.sql for one in found))]
        assert all(answers)
        assert all(rows not in answers[:place] for place, rows in enumerate(answers))  # each answer is another
        assert len({one.change for one in found}) == len(found) <= 3
        seen |= {one.change for one in found}
    assert 8 < len(seen) <= len(CHANGES)


def test_the_first_of_several_that_are_equal_is_no_follow_up(frame: SamplingFrame) -> None:
    home = source("kitchen")
    for seed in range(25):
        for one in follow_ups("SELECT town FROM cook", frame, home.database, count=4, seed=seed):
            if one.sql.endswith("LIMIT 1"):
                assert len(home.rows(one.sql.replace("LIMIT 1", "LIMIT 2"))) == 2, one
