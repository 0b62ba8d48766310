"""bench/compare on a small tokenizer and a made-up set, without any of the others installed."""

from __future__ import annotations

import importlib
import json
import sqlite3
from argparse import Namespace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from token_cases import SINGERS, byte_level

from querent.data.schema.ddl_writer import to_ddl
from querent.grammar import Grammar

COMPARE = Path(__file__).resolve().parents[2] / "bench" / "compare"
GOLD = [
    'SELECT Name FROM singer WHERE Name = "Joe B";',
    "SELECT T1.Name FROM singer AS T1 JOIN concert AS T2 ON T1.singer_id  =  T2.singer_id",
    "SELECT count(*) FROM concert",
]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(COMPARE))
    return importlib.import_module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a set of one database as Spider's are laid out."""
    file = tmp_path / "database" / "music" / "music.sqlite"
    file.parent.mkdir(parents=True)
    with sqlite3.connect(file) as opened:
        opened.executescript(to_ddl(SINGERS, Grammar.for_schema(SINGERS, dialect="sqlite").quoting.write))
        opened.execute("INSERT INTO singer VALUES (1, 'Joe B', 20, '2000-01-01')")
    opened.close()
    rows = [{"db_id": "music", "question": f"q{n}?", "query": sql} for n, sql in enumerate(GOLD)]
    (tmp_path / "train_spider.json").write_text(json.dumps(rows), encoding="utf-8")
    return tmp_path


def walk(refused: int | None, times: list[float], database: str = "a") -> dict[str, Any]:
    kinds = ["known state" if time < 5 else "new word state" for time in times]
    return {"database": database, "refused": refused, "mask": times, "advance": times, "kinds": kinds}


def system(*walks: dict[str, Any]) -> dict[str, Any]:
    outputs = {"outputs": 4, "ended": 2, "run": 1, "ended and run": 1, "time-outs": 0, "failed": 0}
    told = {"news": [2e3, 4e3], "started": 1.0, "sourcing": 0.0, "memory": 10.0, "outputs": outputs}
    return told | {"first": walks, "again": walks}


def test_gold_queries_are_written_as_all_can_take_them(load):
    lowered = load("gold_walks").lowered
    assert lowered(GOLD[0]) == "select name from singer where name = 'Joe B'"
    assert lowered(GOLD[1]).endswith(" on t1.singer_id = t2.singer_id")
    assert lowered('SELECT "it\'s"') is None


def test_ours_follows_all_walks_and_what_it_writes_within_a_budget_runs(load, folder):
    options = Namespace(data=folder, databases=1, steps=30, outputs=2, seed=1, grid_grammar=None)
    found = {name: load("replay").measured(name, byte_level(), options) for name in ("querent", "querent-budget")}
    figures = load("figures").told(found, 30)
    assert 0 < figures["steps counted"] == sum(figures["steps of each database"].values())
    for one in figures["systems"].values():
        assert one["walks refused"] == 0
        assert one["µs, again"]["step"]["p50"] > 0
    said = figures["systems"]["querent-budget"]["random outputs"]
    assert (said["ended"], said["run"], said["failed"]) == (1, 1, 0)


def test_steps_count_that_no_system_refuses_and_as_many_of_each_database(load):
    figures = load("figures")
    ours = system(walk(None, [2.0, 4.0]), walk(None, [9.0]), walk(None, [6.0], "b"), walk(None, [6.0], "b"))
    other = system(walk(None, [1.0, 2.0]), walk(0, [1.0]), walk(None, [3.0], "b"), walk(None, [3.0], "b"))
    for one in other["first"]:
        one["kinds"] = [""] * len(one["mask"])  # others tell none
    told = figures.told({"querent": ours, "grid": other}, 2)
    assert told["steps of each database"] == {"a": 2, "b": 1}
    assert told["systems"]["grid"]["walks refused"] == 1
    assert told["systems"]["querent"]["µs, first"]["mask"]["mean"] == 4
    kinds = told["systems"]["querent"]["µs, first, masks by kind"]
    assert {kind: (times["share"], times["mean"]) for kind, times in kinds.items()} == {
        "known state": (0.6667, 3),
        "new word state": (0.3333, 6),
    }
    assert "µs, first, masks by kind" not in told["systems"]["grid"]
    assert told["systems"]["querent"]["random outputs"]["run, of those that ended"] == 0.5
    assert figures.ratios(told["systems"])["querent / grid"]["first, p50"] == 2
    figures.show(told)


def test_what_is_missing_is_named_with_how_to_get_it(load, monkeypatch, tmp_path):
    speed, systems = load("speed"), load("systems")
    monkeypatch.setattr(systems, "find_spec", lambda name: None if name == "xgrammar" else name)
    monkeypatch.setattr(
        "sys.argv", ["speed.py", "--systems", "querent", "xgrammar", "--out", str(tmp_path / "out.json")]
    )
    with pytest.raises(SystemExit, match=r"xgrammar is missing: pip install .*\n.*--systems"):
        speed.main()


def test_grid_is_given_the_names_that_its_grammar_can_write(load, tmp_path):
    guide: ModuleType = load("grid_guide")
    assert guide.plain_names(SINGERS)["concert"] == ["concert_id", "singer_id", "price"]
    with pytest.raises(SystemExit, match=r"GRID is missing|--grid-grammar is wanted"):
        guide.grammar_file(tmp_path / "none.grid")


@pytest.mark.parametrize(
    ("said", "sql"),
    [
        ("Sure!\n```sql\nSELECT 1;\n```\nThis gives 1.", "SELECT 1"),
        ("The query is: select a\nfrom b\n\nIt selects a.", "select a\nfrom b"),
        ("```\nSELECT 1 FROM", "SELECT 1 FROM"),
        ("no", "no"),
    ],
)
def test_sql_is_cut_out_of_what_a_free_model_says(load, said, sql):
    assert load("writing").sql_in(said) == sql


def test_answers_are_kept_and_gone_on_with(load, tmp_path):
    kept, file = load("small_model").kept, tmp_path / "new" / "answers.jsonl"
    assert list(kept(file, {"seed": 1})) == []
    with file.open("a", encoding="utf-8") as opened:
        opened.write('{"place": 3}\n{"place": 4, "te')
    assert list(kept(file, {"seed": 1})) == [{"place": 3}]
    assert file.read_text(encoding="utf-8") == '{"seed": 1}\n{"place": 3}\n'
    with pytest.raises(SystemExit, match="another run"):
        list(kept(file, {"seed": 2}))


def test_an_answer_is_right_if_its_rows_are(load, folder):
    model, spider = load("small_model"), load("spider")
    question = spider.questions(folder)[0]
    assert model.judged(folder, question, "select Name from singer") == {"runs": True, "right": True}
    assert model.judged(folder, question, "select Age from singer") == {"runs": True, "right": False}
    assert "no such column" in model.judged(folder, question, "select flow from singer")["problem"]
