"""Solved questions: where they come from, and which are found for a new one."""

from __future__ import annotations

import json
from importlib.util import find_spec

import numpy as np
import pytest
from tiny_domain import write

from querent.data.domains.loading import load_domain
from querent.data.errors import InputError
from querent.retrieval.lexical import CharTfidf
from querent.retrieval.shot_files import examples_to_show, read_shots, shots_of
from querent.retrieval.shots import Shot, ShotStore, ways_named

SHOTS = [
    Shot("how many books did Mo write?", "SELECT COUNT(*) FROM book WHERE author = 'Mo'"),
    Shot("which authors are from Chile?", "SELECT name FROM author WHERE country = 'Chile'"),
    Shot("which books are older than 1990?", "SELECT title FROM book WHERE year < 1990"),
]


class Fixed:
    """A way whose scores are given."""

    def __init__(self, scores):
        self._scores = scores

    def scores(self, queries):
        return np.array([self._scores] * len(queries), np.float32)


# --- the search


def test_the_most_alike_come_first():
    store = ShotStore(SHOTS, {"tfidf": CharTfidf})
    assert store.similar("which authors are from China?", 1) == [SHOTS[1]]
    assert store.similar("which books are newer than 1990?", 2)[0] == SHOTS[2]
    assert len(store) == len(store.similar("anything", 9)) == 3
    assert store.similar("anything", 0) == []


def test_a_lone_way_ranks_by_its_own_score():
    found = ShotStore(SHOTS, {"one": lambda _: Fixed([0.1, 0.9, 0.5])}).search("?", 2)
    assert [one.shot for one in found] == [SHOTS[1], SHOTS[2]]
    assert [one.score for one in found] == pytest.approx([0.9, 0.5])
    assert found[0].by == pytest.approx({"one": 0.9})


def test_several_ways_are_fused_by_their_ranks():
    ways = {"one": lambda _: Fixed([0.9, 0.8, 0.1]), "other": lambda _: Fixed([1.0, 5.0, 6.0])}
    found = ShotStore(SHOTS, ways).search("?", 3)
    assert [one.shot for one in found] == [SHOTS[0], SHOTS[2], SHOTS[1]]  # of equal ones the first
    assert [one.score for one in found] == pytest.approx([1 / 61 + 1 / 63, 1 / 63 + 1 / 61, 1 / 62 + 1 / 62])
    assert found[2].by == pytest.approx({"one": 0.8, "other": 5.0})


@pytest.mark.parametrize(
    ("shots", "ways", "said"), [([], {"tfidf": CharTfidf}, "no solved questions"), (SHOTS, {}, "no way to search")]
)
def test_nothing_to_find_is_refused(shots, ways, said):
    with pytest.raises(InputError, match=said):
        ShotStore(shots, ways)


def test_a_way_that_is_none_is_refused():
    with pytest.raises(InputError, match=r"no way 'bm52' .*did you mean 'bm25'"):
        ways_named(["tfidf", "bm52"])


@pytest.mark.skipif(find_spec("bm25s") is None, reason="bm25s is not installed")
def test_words_are_searched_too():
    store = ShotStore(SHOTS, ways_named(["tfidf", "bm25"]))
    assert store.similar("authors from Chile", 1) == [SHOTS[1]]


# --- where they come from


def test_a_domain_gives_what_it_learns_from(tmp_path):
    domain = load_domain(write(tmp_path / "tiny"))
    shots = shots_of(domain, examples_to_show(domain))
    asked = {shot.question for shot in shots}
    assert "which cities are in texas" in asked
    assert "which cities are in iowa" in asked  # of dev
    assert "which cities are in idaho" not in asked  # of test
    assert len(shots) == 25


def test_queries_of_a_domain_are_put_into_the_dialect_that_is_asked(tmp_path):
    sql = "SELECT name || state FROM city WHERE state = '{s}'"
    domain = load_domain(write(tmp_path / "tiny", sql=sql))
    shots = shots_of(domain, domain.examples, dialect="mysql")
    (said,) = (shot.sql for shot in shots if shot.question == "what of texas")
    assert said == "SELECT CONCAT(name, state) FROM city WHERE state = 'texas'"


def test_a_file_gives_its_lines(tmp_path):
    file = tmp_path / "solved.jsonl"
    lines = [{"question": " q1 ", "sql": "SELECT 1"}, {"question": "q2", "sql": "SELECT 2", "program": "answer = 2"}]
    file.write_text("\n\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    assert read_shots(file) == [Shot("q1", "SELECT 1"), Shot("q2", "SELECT 2", "answer = 2")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no solved question in it"),
        ('{"question": "q"', "solved.jsonl:1: not JSON"),
        ("[1]", "solved.jsonl:1: not an object"),
        ('{"question": "q", "sql": "SELECT 1"}\n{"question": "q", "sqls": "SELECT 1"}', "rename 'sqls'"),
        ('{"question": "q", "query": "SELECT 1"}', "solved.jsonl:1, field 'sql': missing (each line needs sql)"),
        ('{"question": "q", "sql": " "}', "solved.jsonl:1, field 'sql': not a text, or an empty one"),
        ('{"question": 5, "sql": "SELECT 1"}', "solved.jsonl:1, field 'question': not a text"),
    ],
)
def test_a_wrong_file_is_told_with_its_line(tmp_path, text, said):
    file = tmp_path / "solved.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_shots(file)
    assert said in str(caught.value)


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match=r"gone\.jsonl: cannot be read"):
        read_shots(tmp_path / "gone.jsonl")
