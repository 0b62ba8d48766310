"""Walks over many hours: they go on after a kill and add up, and never mix what two constraints did."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

WALKS = Path(__file__).resolve().parents[2] / "bench" / "fuzz" / "walks.py"


def walked(out: Path, *options: str) -> tuple[str, dict[str, Any]]:
    """Run six queries on six schemas; return what was said, and what the result file has of the engine."""
    command = [sys.executable, str(WALKS), "--queries", "6", "--out", str(out), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr, json.loads(out.read_text("utf-8"))["engines"]["sqlite"]


def test_runs_add_up_and_no_seed_counts_twice(tmp_path: Path) -> None:
    out = tmp_path / "walks.json"
    _, first = walked(out, "--seed", "1")
    assert (first["queries"], first["schemas"], first["runs"]) == (6, 6, [{"seed": 1, "queries": 6}])
    _, both = walked(out, "--seed", "2", "--add")
    assert (both["queries"], both["schemas"]) == (12, 12)
    assert both["runs"] == [*first["runs"], {"seed": 2, "queries": 6}]
    assert both["words"] > first["words"]
    assert set(both["productions"]["never"]) < set(first["productions"]["never"])
    said, _ = walked(out, "--seed", "2", "--add")
    assert "seed 2 is counted already" in said
    _, anew = walked(out, "--seed", "3")
    assert anew["runs"] == [{"seed": 3, "queries": 6}]
    assert len({first["digest"], both["digest"], anew["digest"]}) == 3
    _, again = walked(tmp_path / "again.json", "--seed", "1")
    assert again["digest"] == first["digest"], "the same constraint has written other queries"


def test_only_what_whole_runs_lack_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(WALKS.parent))
    long, walking = map(importlib.import_module, ("walk_long", "walking"))
    out, plan = tmp_path / "walks.json", walking.Plan("sqlite", 1)
    assert long.Account(out, plan, 6).missing == ()
    _, first = walked(out, "--seed", "1")
    missing = long.Account(out, walking.Plan("sqlite", 2), 6, more=True).missing
    assert set(first["productions"]["never"] + first["signatures"]["never"]) == set(missing) != set()


def test_a_run_that_was_killed_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "walks.json"
    _, whole = walked(out, "--seed", "4")
    content = json.loads(out.read_text("utf-8"))
    entry = content["engines"]["sqlite"] | {"runs": [], "queries": 4, "schemas": 4}
    content["engines"]["sqlite"] = entry | {"unfinished": {"seed": 4, "queries": 6, "done": [0, 1, 3, 4]}}
    out.write_text(json.dumps(content), "utf-8")
    said, _ = walked(out, "--seed", "5", "--add")
    assert "finish the run of seed 4 on sqlite first" in said
    said, rest = walked(out, "--seed", "4")
    assert "4 schemas of this run are done" in said
    assert (rest["queries"], rest["schemas"], rest["runs"]) == (6, 6, whole["runs"])
    assert "unfinished" not in rest
    assert rest["words"] > whole["words"]  # two schemas were walked again


def test_another_constraint_begins_anew(tmp_path: Path) -> None:
    out = tmp_path / "walks.json"
    walked(out, "--seed", "6")
    said, _ = walked(out, "--seed", "7", "--add", "--level", "scope")
    assert "was walked with another constraint" in said
    _, other = walked(out, "--seed", "7", "--level", "scope")
    assert (other["queries"], other["level"]) == (6, "scope")
