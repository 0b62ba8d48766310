"""Solved questions: where they come from, and which are found for a new one."""

import json
import re

import pytest
from tiny_domain import write

from querent.data.domains.loading import load_domain
from querent.data.errors import InputError
from querent.retrieval.bi_encoder import load_bi_encoder
from querent.retrieval.shots import Shot, ShotStore, examples_to_show, read_shots, shots_of

SHOTS = [
    Shot("how many books did Mo write?", "SELECT COUNT(*) FROM book WHERE author = 'Mo'"),
    Shot("which authors are from Chile?", "SELECT name FROM author WHERE country = 'Chile'"),
    Shot("which books are older than 1990?", "SELECT title FROM book WHERE year < 1990"),
]


def test_the_most_alike_come_first():
    encoder = load_bi_encoder("e5")
    store = ShotStore(SHOTS, encoder)
    assert store.similar("which authors are from China?", 1) == [SHOTS[1]]
    assert store.similar("which books are newer than 1990?", 2)[0] == SHOTS[2]
    assert len(store) == len(store.similar("anything", 9)) == 3
    assert store.similar("anything", 0) == []
    assert store.search(SHOTS[0].question, 3)[0] == (SHOTS[0], pytest.approx(1.0))
    with pytest.raises(InputError, match="no solved questions"):
        ShotStore([], encoder)


@pytest.mark.parametrize(("question", "found"), [("how many pages has Dune", 1), ("《红楼梦》有多少页", 3)])
def test_a_mask_takes_away_what_leads_astray(question: str, found: int) -> None:
    texts = ["who wrote Dune", "how many pages has Emma", "《红楼梦》的作者是谁", "《西游记》有多少页"]
    shots = [Shot(text, "SELECT 1") for text in texts]
    store = ShotStore(
        shots, load_bi_encoder("e5"), mask=lambda text: re.sub("Dune|Emma|红楼梦|西游记", "[title]", text)
    )
    assert store.similar(question, 1) == [shots[found]]


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
        ("[1]", "solved.jsonl:1: not a JSON object"),
        ('{"question": "q", "sql": "SELECT 1"}\n{"question": "q", "sqls": "SELECT 1"}', "did you mean 'sqls'"),
        ('{"question": "q", "query": "SELECT 1"}', "solved.jsonl:1, field 'sql': missing"),
        ('{"question": "q", "sql": " "}', "solved.jsonl:1, field 'sql'"),
        ('{"question": [5], "sql": "SELECT 1"}', "solved.jsonl:1, field 'question'"),
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
