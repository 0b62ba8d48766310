"""`querent learn`: what was said of answers trains a parser."""

from __future__ import annotations

import json

import pytest

from querent.data.feedback import Feedback, Judged

pytestmark = pytest.mark.usefixtures("cache")
FAST = ("optim.epochs=2", "augment.sampled=0", "augment.rehearsed=0", "augment.strange=0", "eval.beam=1")


@pytest.fixture
def said(tmp_path):
    """Return a file of verdicts on thirteen questions, of which ten are solved."""
    feedback = Feedback(tmp_path / "feedback.jsonl")
    for place, state in enumerate(("texas", "ohio", "utah", "maine", "iowa") * 2):
        how, what = (("how many cities are in", "COUNT(*)"), ("which cities are in", "name"))[place // 5]
        feedback.add(Judged(f"{how} {state}", f"SELECT {what} FROM city WHERE state = '{state}'", "corrected"))
    for state in ("idaho", "ohio", "utah"):
        feedback.add(Judged(f"what is the area of {state}", "SELECT area FROM state", "wrong"))
    return feedback.path


def test_solved_questions_train_a_parser_that_can_be_asked(querent, tiny, city, said, tmp_path):
    told = querent(
        "learn", said, *FAST, "--database", city, "--base", tiny / "run", "--out", tmp_path / "run", "--json"
    )
    assert (told.code, told.json["solved"]) == (0, 10)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["data"]["questions"] == {"train": 8, "dev": 2, "test": 0}
    asked = querent("ask", city, "how many cities are in ohio", "--parser", tmp_path / "run", "--json")
    assert asked.json["sql"] == "SELECT COUNT(*) FROM city WHERE city.state = 'ohio'"


def test_few_are_too_few(querent, city, said, tmp_path):
    said.write_text("\n".join(said.read_text().splitlines()[:9]))
    told = querent("learn", said, "--database", city, "--out", tmp_path / "run")
    assert told.code == 2
    assert "9 solved questions are too few" in told.err
    assert not (tmp_path / "run").exists()
