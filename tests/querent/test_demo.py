"""The demo from end to end, trained for a few steps only: what it learns in minutes is for people to see."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tiny_domain import OPTIONS

from querent import Database, Parser, cache_folder, load_domain
from querent.commands import demo

pytestmark = pytest.mark.slow

# two steps, and pieces enough for the characters of Chinese
_FEW = (
    "data.longest=32",
    "constraint.budget=120",
    "constraint.level=grammar",
    "optim.steps=2",
    "eval.train_examples=2",
    "classifiers.epochs=1",
)
SHORT = (*OPTIONS, *_FEW, "model.word_pieces=1000")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def short(cache, monkeypatch):
    monkeypatch.setenv("QUERENT_CACHE", str(cache))
    monkeypatch.setattr(demo, "OPTIONS", SHORT)


@pytest.fixture(scope="module")
def questions():
    folder = Path(demo.__file__).parents[2] / "data" / "plant"
    return {n: (folder / f"demo.{n}.txt").read_text(encoding="utf-8").splitlines() for n in ("en", "zh")}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_trains_answers_and_is_kept(querent, language, questions):
    first = querent("demo", "--language", language)
    assert first.code == 0
    assert first.out.splitlines()[0].startswith(f"encoder scratch, domain plant ({language})")
    assert "question" in first.out
    assert "SQL" in first.out
    assert "rows" in first.out
    flat = "".join(c for c in first.out if c.isalnum())
    for question in questions[language]:
        assert "".join(c for c in question if c.isalnum())[:8] in flat
    assert flat.count("SELECT") >= len(questions[language])
    folder = demo.demo_folder(language)
    assert folder.is_relative_to(cache_folder())
    summary = (folder / "summary.json").read_bytes()
    again = querent("demo", "--language", language)
    assert "finished: nothing to do" in again.out.replace("\n", " ")
    assert (folder / "summary.json").read_bytes() == summary


def test_fresh_trains_again_and_out_says_where(querent, tmp_path):
    assert querent("demo", "--out", "mine").code == 0
    (tmp_path / "mine" / "mark").touch()
    assert querent("demo", "--out", "mine", "--fresh").code == 0
    assert not (tmp_path / "mine" / "mark").exists()
    assert Parser.from_pretrained(tmp_path / "mine" / "best").language == "en"


def test_fresh_removes_nothing_that_is_no_run(querent, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("…", encoding="utf-8")
    assert "holds no run" in querent("demo", "--out", "mine", "--fresh").error()
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_the_demo_needs_no_download(monkeypatch):
    monkeypatch.undo()
    assert "model.encoder=scratch" in demo.OPTIONS


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_shipped_database_answers_its_gold_queries(language):
    domain = load_domain("plant", language=language)
    with Database.open(domain.database) as database:
        for example in domain.part("test"):
            assert database.query(example.sql).columns
        with pytest.raises(Exception, match="refused"):
            database.query("DELETE FROM t_rt_data")
    assert sqlite3.connect(domain.database).execute("SELECT COUNT(*) FROM t_rt_data").fetchone()[0] > 1000
