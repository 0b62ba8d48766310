"""Commands and what comes of them, as commands.toml has it."""

import json
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cases import cases
from scripted import Scripted, fenced

import querent as face
from querent.data.errors import LlmError

CLINIC = """
CREATE TABLE clinic (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE visit (id INTEGER PRIMARY KEY, clinic_id INTEGER, seen_on TEXT, bill TEXT, is_paid INTEGER, due TEXT);
INSERT INTO clinic VALUES (1, 'North'), (2, 'South');
INSERT INTO visit VALUES (1, 1, '13/02/2023', '$1,200', 1, '01/02/24'), (2, 2, '05/03/2023', '$80', 0, '02/02/24');
"""
STALE = """
CREATE TABLE gone (x); CREATE VIEW stale AS SELECT x FROM gone; DROP TABLE gone;
CREATE TABLE city (name TEXT, people INTEGER); INSERT INTO city VALUES ('Faro', 9);
"""
BANK = """
domain = "music"
[concepts]
rating = ["stars"]
[[formula]]
name = "mean rating"
says = ["average stars"]
kind = "calculation"
is = 'AVG(rating)'
[[formula]]
name = "old record"
kind = "condition"
is = 'year < 1980'
note = "before the disc"
[[formula]]
name = "old record"
kind = "condition"
is = 'year < 1990'
[[formula]]
name = "wage share"
kind = "calculation"
is = 'SUM("wages of musicians") / SUM(rating)'
"""
LAYER = """semantic_models:
  - name: reviews
    model: ref('review')
    measures: [{name: stars, agg: avg}, {name: place, agg: rank, expr: stars}]
metrics:
  - {name: mean_stars, type: simple, type_params: {measure: stars}}
  - {name: place, type: simple, type_params: {measure: place}}
"""


@pytest.fixture
def folder(tmp_path: Path, tiny: Path, music: Path, cache: Path) -> Path:
    """Return the folder of the commands, with what commands.toml takes for granted."""
    for name, script in (("clinic", CLINIC), ("stale", STALE)):
        with closing(sqlite3.connect(tmp_path / f"{name}.sqlite")) as database:
            database.executescript(script)
    for name in ("domain", "run"):
        (tmp_path / name).symlink_to(tiny / name)
    (tmp_path / "knowledge.toml").write_text(BANK, encoding="utf-8")
    (tmp_path / "layer.yml").write_text(LAYER, encoding="utf-8")
    return tmp_path


def at(data: Any, path: str) -> Any:
    """Return what stands at a dotted name, «none» for null."""
    for name in path.split("."):
        data = data[int(name)] if isinstance(data, list) else data[name]
    return "none" if data is None else data


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("commands.toml")))
def test_a_command_does_what_its_case_says(querent, folder, monkeypatch, case):
    for name, text in case.get("files", {}).items():
        (folder / name).write_text(text.lstrip("\n"), encoding="utf-8")
    writes = [
        LlmError(one["error"]) if isinstance(one, dict) else fenced(one) if one.startswith("SELECT") else one
        for one in case.get("model", ())
    ]
    model = Scripted(writes)
    monkeypatch.setattr(face, "load_backend", lambda spec: {"model": model}[spec], raising=False)
    for step in case["run"]:
        done = querent(*shlex.split(step["command"]), stdin=step.get("stdin"))
        assert done.code == step.get("code", 0), (step["command"], done.out, done.err)
        assert [text for text in step.get("out", ()) if text not in done.out] == [], done.out
        assert [text for text in step.get("err", ()) if text not in done.err] == [], done.err
        assert [text for text in step.get("lacks", ()) if text in done.out] == []
        for path, wanted in step.get("json", {}).items():
            found = at(done.json, path)
            assert wanted in (found, "any"), (path, found)
        for name, wanted in step.get("each", {}).items():
            assert [at(json.loads(line), name) for line in done.out.splitlines()] == wanted
        for name, texts in step.get("wrote", {}).items():
            written = (folder / name).read_text(encoding="utf-8")
            assert [text for text in texts if text not in written] == [], written
