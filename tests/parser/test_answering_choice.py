"""The choice among queries by what they return, and how sure an answer is."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from cases import table
from reader_cases import question, value, write_database

from querent.classifiers.named_features import RERANKER_FEATURES, Reranker
from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.errors import DatabaseError, TimeLimitError, UnavailableError, UnknownNameError
from querent.data.sql.query import Query
from querent.parser.answering.choice import Choice, choose
from querent.parser.decoding.candidates import Candidate, items_left_out, values_left_out
from querent.parser.reader.output_vocabulary import ROLES, fixed_words


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    file = write_database(tmp_path_factory.mktemp("choice"))
    with Database.open(file, timeout=0.2, max_rows=3) as opened:
        yield opened


WEIGHTS = {**dict.fromkeys(RERANKER_FEATURES, 0.0), "log probability": 1.0, "no rows": -1.0, "values left out": -2.0}
RERANKER = Reranker(WEIGHTS)


def choice(database: Database, *queries: tuple[float, str]) -> list[Choice]:
    return choose([Candidate(Query(sql, "sqlite"), math.log(share), ()) for share, sql in queries], database, RERANKER)


def test_the_query_before_once_more_is_answered_where_little_else_is_likely(database: Database) -> None:
    again = Candidate(Query(GERMAN, "sqlite"), math.log(0.5), (), repeats=True)
    for share, first in ((0.2, OTHER), (0.01, GERMAN)):
        found = choose(
            [again, Candidate(Query(OTHER, "sqlite"), math.log(share), ())],
            database,
            Reranker({**WEIGHTS, "query before": -2.0}),
        )
        assert found[0].candidate.sql == first
        assert [one.features["query before"] for one in found] == [float(one.candidate.repeats) for one in found]


GERMAN = "SELECT name FROM artist WHERE country = 'Germany'"
SAME = "SELECT name FROM artist WHERE artist_id = 3"
OTHER = "SELECT name FROM artist WHERE artist_id = 1"


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


@pytest.mark.parametrize(("one", "other", "same"), table(__file__, "same_rows"))
def test_what_the_same_rows_are(database: Database, one: str, other: str, same: bool) -> None:
    assert len(choice(database, (0.5, one), (0.5, other))) == (1 if same else 2)


@pytest.mark.parametrize(("query", "empty"), table(__file__, "no_rows"))
def test_no_rows_and_rows_of_null_are_told_to_the_reranker(database: Database, query: str, empty: bool) -> None:
    (found,) = choice(database, (0.5, query))
    assert (found.probability, found.features["no rows"]) == (pytest.approx(0.5), empty)
    best = choice(database, (0.5, query), (0.3, GERMAN))[0]
    assert best.candidate.sql == (GERMAN if empty else query)


@pytest.mark.parametrize(("bad", "problem"), table(__file__, "failing"))
def test_a_query_that_fails_has_no_weight_and_says_why(database: Database, bad: str, problem: str) -> None:
    found = choice(database, (0.9, bad), (0.001, GERMAN))
    assert [one.candidate.sql for one in found] == [GERMAN, bad]
    failed = found[1]
    assert (failed.rows, failed.weight, failed.probability) == (None, 0.0, pytest.approx(0.9))
    assert problem in failed.problem
    assert found[0].problem is None


SLOW = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT COUNT(*) FROM t"


def test_a_quick_query_takes_no_place_of_one_that_took_too_long(database: Database) -> None:
    first, second, third = choice(database, (0.4, SLOW), (0.3, OTHER), (0.2, GERMAN))
    assert (first.candidate.sql, first.rows) == (SLOW, None)
    assert "the query took longer than 0.2 s (--timeout" in (first.problem or "")
    assert "longer than 0.2 s together" in (second.problem or "")  # the first had all the time that there was
    assert (second.rows, third.rows) == (None, None)
    assert first.share == pytest.approx(4 / 9)
    first, second = choice(database, (0.5, SLOW), (0.3, OTHER))
    assert (first.candidate.sql, second.problem) == (SLOW, None)  # which could not come first, and was not run


class Fails(Database):
    """Answers each query with an error or rows, as a test says, and knows which it was asked."""

    def __init__(self, *, seconds: float = 1.0, **told: Exception | Rows) -> None:
        self.name, self.timeout, self._left = "here", 5.0, None
        self.told, self.ran, self._seconds = told, list[str](), seconds

    def query(self, sql: str, **_: bool) -> Rows:
        self.ran.append(sql)
        self._left = (self._left or 0.0) - self._seconds
        if isinstance(found := self.told[sql], Exception):
            raise found
        return found


ONE, TWO = (Rows(("n",), [(n,)]) for n in (1, 2))


@pytest.mark.parametrize(
    ("error", "stays", "names_hold"),
    [
        (TimeLimitError("late"), True, False),
        (UnavailableError("here: locked, or no right"), True, False),
        (UnknownNameError("no such table"), True, True),
        (UnknownNameError("no such table"), False, False),
        (DatabaseError("integer overflow"), False, True),
    ],
)
def test_what_the_database_is_to_blame_for_stays_in_its_place(
    error: DatabaseError, stays: bool, names_hold: bool
) -> None:
    made = [Candidate(Query(sql, "sqlite"), math.log(share), ()) for share, sql in ((0.5, "a"), (0.4, "b"))]
    found = choose(made, Fails(a=error, b=ONE), RERANKER, names_hold=names_hold)
    assert [one.candidate.sql for one in found] == (["a", "b"] if stays else ["b", "a"])
    assert (found[0].problem is not None) is stays
    assert not (found[0].problem or "").startswith("here")  # where a server is


@pytest.mark.parametrize(("shares", "sure", "seconds", "ran"), table(__file__, "slow"))
def test_slow_queries_run_only_as_long_as_there_is_doubt(
    shares: tuple[float, ...], sure: bool, seconds: float, ran: str
) -> None:
    database = Fails(seconds=seconds, a=ONE, b=TWO, c=Rows(("n",), [(3,)]))
    made = [Candidate(Query(sql, "sqlite"), math.log(share), ()) for share, sql in zip(shares, "abc", strict=True)]
    found = choose(made, database, RERANKER, is_sure=lambda _: sure)
    assert "".join(database.ran) == ran
    assert [one.candidate.sql for one in found] == ["a", "b", "c"]
    assert [one.rows is None for one in found] == [sql not in ran for sql in "abc"]


def test_values_that_a_query_does_not_use_speak_against_it(database: Database) -> None:
    made = [
        Candidate(Query(sql, "sqlite"), math.log(0.3), (), unused)
        for sql, unused in ((OTHER, 1.0), (GERMAN, 0.5), (SAME, 0.0))
    ]
    first, second = choose(made, database, RERANKER)
    assert first.candidate.sql == GERMAN  # two of the same rows
    assert first.weight == pytest.approx(0.6 * math.exp(-0.5 * 2))
    assert (second.weight, second.probability) == (pytest.approx(0.3 * math.exp(-2)), pytest.approx(0.3))
    assert first.share == pytest.approx(first.weight / (first.weight + second.weight))


# --- what a question says and a query leaves out


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ((), 0.75 + 0.5),  # of those said by the same words the best
        (("SELECT", "'%{text0}%'"), 0.5),
        (("{text1}",), 0.5),  # which shares a word with the first
        (("{number2}",), 0.75),
        (("'{text2}'", "'{text0}'"), 0.0),
        (("album.title", "2"), 0.75 + 0.5),
    ],
)
def test_what_a_question_names_and_a_query_does_not_use(words: tuple[str, ...], left: float) -> None:
    text = "albums of Nina Simone since 1990"
    names = [(value(text, "Nina Simone"), 0.75), (value(text, "Nina"), 0.25), (value(text, "1990", kind="number"), 0.5)]
    asked = question(text, *(replace(found, score=score) for found, score in names))
    assert values_left_out(asked, words) == pytest.approx(left)


@pytest.mark.parametrize(("items", "left"), [((0, 1), 0.0), ((0, 1, 1, 2), 0.0), ((1,), 2.0), ((), 7.0)])
def test_what_the_heads_want_and_a_query_does_not_use(items: tuple[int, ...], left: float) -> None:
    select, first = 5, len(fixed_words())
    places = np.array([select, -1, *(first + item * ROLES + 1 for item in items)])
    assert items_left_out(np.array([2.0, 5.0, -6.0], np.float32), places) == left
