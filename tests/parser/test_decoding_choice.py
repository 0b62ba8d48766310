"""The choice among queries by what they return, and how sure an answer is."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from reader_cases import write_database

from querent.classifiers.answerable import DOUBTED
from querent.classifiers.calibration import Calibration, Signs
from querent.data.databases import database as databases
from querent.data.databases.database import Database
from querent.parser.answering.choice import EMPTY, UNSAID, Choice, choose
from querent.parser.decoding.candidates import Candidate


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    file = write_database(tmp_path_factory.mktemp("choice"))
    with Database.open(file, timeout=0.2, max_rows=3) as opened:
        yield opened


def choice(database: Database, *queries: tuple[float, str]) -> list[Choice]:
    return choose([Candidate(sql, math.log(share), ()) for share, sql in queries], database)


GERMAN = "SELECT name FROM artist WHERE country = 'Germany'"
SAME = "SELECT name FROM artist WHERE artist_id = 3"
OTHER = "SELECT name FROM artist WHERE artist_id = 1"


def test_a_lock_is_waited_for_once_however_many_queries_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    clock = count()

    def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(databases.time, "sleep", sleep)
    monkeypatch.setattr(databases.time, "monotonic", lambda: sum(waited) + next(clock) * 1e-6)
    file = write_database(tmp_path)
    with Database.open(file, timeout=1.0) as opened, closing(sqlite3.connect(file, isolation_level=None)) as locker:
        locker.execute("BEGIN EXCLUSIVE")
        found = choice(opened, (0.4, GERMAN), (0.3, OTHER), (0.2, SAME))
        assert {one.problem for one in found} == {"database is locked"}
        assert 1 <= sum(waited) < 1.1
        locker.execute("COMMIT")
        assert choice(opened, (0.4, GERMAN))[0].rows is not None


@pytest.mark.parametrize(
    "other",
    [
        SAME,
        "SELECT name FROM artist WHERE artist_id = 3 ORDER BY name",
        "SELECT 'Can'",  # whatever the column is called
    ],
)
def test_queries_with_the_same_rows_are_one_answer_whose_probabilities_add_up(database: Database, other: str) -> None:
    first, second = choice(database, (0.3, OTHER), (0.2, GERMAN), (0.15, other))
    assert (first.candidate.sql, first.rows.rows) == (GERMAN, [("Can",)])  # the likeliest of them
    assert (first.probability, first.weight) == (pytest.approx(0.35), pytest.approx(0.35))
    assert (second.candidate.sql, second.weight) == (OTHER, pytest.approx(0.3))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("SELECT 1 UNION ALL SELECT 2", "SELECT 2 UNION ALL SELECT 1", True),  # a bag has no order
        ("SELECT 1 UNION ALL SELECT 1", "SELECT 1", False),  # but it counts
        ("SELECT 1, 2", "SELECT 2, 1", True),  # nor has a row
        ("SELECT 1, 'x' UNION ALL SELECT 2, 'y'", "SELECT 'y', 2 UNION ALL SELECT 'x', 1", True),
        ("SELECT 1, 'x' UNION ALL SELECT 2, 'y'", "SELECT 'y', 1 UNION ALL SELECT 'x', 2", False),
        ("SELECT 1, NULL", "SELECT NULL, 1", True),
        ("SELECT 1, 2", "SELECT 2, 2", False),
        pytest.param("SELECT 1, 2 UNION ALL SELECT 2, 1", "SELECT 1, 2 UNION ALL SELECT 1, 2", False),
        ("SELECT 2", "SELECT 2.0", True),
        ("SELECT 0.1 + 0.2", "SELECT 0.3", True),
        ("SELECT '2'", "SELECT 2", False),
        ("SELECT 'a' WHERE 0", "SELECT 'b' WHERE 0", True),
        ("SELECT 'a' WHERE 0", "SELECT 'a', 'b' WHERE 0", False),  # rows of another shape
        ("SELECT NULL", "SELECT NULL WHERE 0", False),
        ("SELECT NULL", "SELECT 0", False),
        ("SELECT x'00ff'", "SELECT x'00FF'", True),
    ],
)
def test_what_the_same_rows_are(database: Database, one: str, other: str, same: bool) -> None:
    assert len(choice(database, (0.5, one), (0.5, other))) == (1 if same else 2)


@pytest.mark.parametrize(
    ("empty", "worth"),
    [
        ("SELECT name FROM artist WHERE 0", EMPTY),
        ("SELECT NULL, NULL", EMPTY),
        ("SELECT MAX(year) FROM album WHERE 0", EMPTY),
        ("SELECT NULL UNION ALL SELECT NULL", EMPTY),
        ("SELECT NULL, 1", 1.0),
        ("SELECT 0", 1.0),
        ("SELECT ''", 1.0),
    ],
)
def test_no_rows_and_rows_of_null_count_less(database: Database, empty: str, worth: float) -> None:
    (found,) = choice(database, (0.5, empty))
    assert (found.probability, found.weight) == (pytest.approx(0.5), pytest.approx(0.5 * worth))
    best = choice(database, (0.5, empty), (0.2, GERMAN))[0]
    assert best.candidate.sql == (empty if worth == 1.0 else GERMAN)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ("SELECT gone FROM artist", "no such column"),
        ("DELETE FROM artist", "refused"),
        ("WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT COUNT(*) FROM t", "longer than"),
        ("SELECT ABS(-9223372036854775808)", "integer overflow"),
    ],
)
def test_a_query_that_fails_has_no_weight_and_says_why(database: Database, bad: str, problem: str) -> None:
    found = choice(database, (0.9, bad), (0.001, GERMAN))
    assert [one.candidate.sql for one in found] == [GERMAN, bad]
    failed = found[1]
    assert (failed.rows, failed.weight, failed.probability) == (None, 0.0, pytest.approx(0.9))
    assert problem in failed.problem
    assert found[0].problem is None


def test_queries_that_fail_are_not_one_answer(database: Database) -> None:
    found = choice(database, (0.5, "SELECT gone"), (0.3, "SELECT lost"), (0.1, "SELECT gone"))
    assert [one.candidate.sql for one in found] == ["SELECT gone", "SELECT lost"]
    assert found[0].probability == pytest.approx(0.6)
    assert choose([], database) == []


def test_of_equal_answers_the_first_stays_first(database: Database) -> None:
    found = choice(database, (0.2, OTHER), (0.2, GERMAN), (0.2, "SELECT 1"))
    assert [one.candidate.sql for one in found] == [OTHER, GERMAN, "SELECT 1"]


def test_more_rows_than_are_fetched_are_told(database: Database) -> None:
    (found,) = choice(database, (0.5, "SELECT title FROM album"))
    assert (len(found.rows.rows), found.rows.truncated) == (3, True)


def test_values_that_a_query_does_not_use_speak_against_it(database: Database) -> None:
    made = [Candidate(sql, math.log(0.3), (), unused) for sql, unused in ((OTHER, 1.0), (GERMAN, 0.5), (SAME, 0.0))]
    first, second = choose(made, database)
    assert first.candidate.sql == GERMAN  # two of the same rows
    assert first.weight == pytest.approx(0.6 * math.exp(-0.5 * UNSAID))
    assert (second.weight, second.probability) == (pytest.approx(0.3 * math.exp(-UNSAID)), pytest.approx(0.3))


def test_an_impossible_score_is_no_error(database: Database) -> None:
    found = choose([Candidate(GERMAN, -5000.0, ()), Candidate(OTHER, -1.0, ())], database)
    assert [one.probability for one in found] == [pytest.approx(math.exp(-1)), 0.0]


# --- confidence


def signs(weight: float = 0.5, margin: float = 0.1, answerable: float = 0.9, gap: bool = False) -> Signs:
    return Signs(weight, margin, answerable, gap)


@pytest.mark.parametrize("weight", [0.001, 0.2, 0.5, 0.93, 0.999])
def test_without_fitting_confidence_is_the_probability(weight: float) -> None:
    assert Calibration()(signs(weight)) == pytest.approx(weight, abs=1e-6)


def test_confidence_stays_a_probability() -> None:
    for weight in (0.0, 1.0, 1.0000001, 3.0, -1.0):
        for scale in (1.0, -1000.0, 1000.0):
            found = Calibration((scale, 1.0, 1.0, 1.0), 50.0)(signs(weight, 2.0))
            assert 0.0 <= found <= 1.0


def test_fitting_finds_what_tells_right_from_wrong() -> None:
    draw = np.random.default_rng(0)
    made = [signs(draw.uniform(0.01, 0.99), 0.0, draw.uniform(DOUBTED, 0.99), draw.random() < 0.3) for _ in range(400)]
    right = [one.weight > 0.5 and not one.gap for one in made]
    fitted = Calibration.fit(made, right)
    assert fitted.weights[0] > 1 > 0 > -1 > fitted.weights[3]
    sure = [fitted(one) > 0.5 for one in made]
    assert np.mean(np.array(sure) == np.array(right)) > 0.9
    again = Calibration(**json.loads(json.dumps(fitted.to_json())))
    assert [again(one) for one in made] == [fitted(one) for one in made]


def test_an_answer_that_may_not_exist_is_as_likely_wrong_as_right_at_best() -> None:
    certain = Calibration((0.0,) * 4, 30.0)
    assert certain(signs(answerable=DOUBTED)) == pytest.approx(1.0)
    assert certain(signs(answerable=DOUBTED - 0.01)) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        (signs(weight=0.6), signs(weight=0.5)),
        (signs(margin=0.1), signs(margin=0.3)),
        (signs(answerable=0.9), signs(answerable=0.5)),
        (signs(gap=False), signs(gap=True)),
    ],
)
def test_each_sign_counts_its_way(more: Signs, less: Signs) -> None:
    weights = Calibration((1.0, 0.5, 0.5, -1.0))
    assert weights(more) > weights(less)
