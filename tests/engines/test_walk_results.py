"""Results of bench/fuzz/walks.py: they repeat, they add up, and never mix what two constraints did."""

from __future__ import annotations

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
    assert sum(way["queries"] for way in both["by_way"].values()) == 12
    assert set(both["productions"]["never"]) < set(first["productions"]["never"])
    said, same = walked(out, "--seed", "2", "--add")
    assert "seed 2 is counted already" in said
    assert same == both
    _, anew = walked(out, "--seed", "3")
    assert anew["runs"] == [{"seed": 3, "queries": 6}]
    _, again = walked(tmp_path / "again.json", "--seed", "1")
    assert len({first["digest"], both["digest"], anew["digest"]}) == 3
    assert again["digest"] == first["digest"], "the same constraint has written other queries"


def test_another_constraint_is_never_added(tmp_path: Path) -> None:
    out = tmp_path / "walks.json"
    walked(out, "--seed", "6")
    said, _ = walked(out, "--seed", "7", "--add", "--level", "scope")
    assert "was walked with another constraint" in said
    _, other = walked(out, "--seed", "7", "--level", "scope")
    assert (other["queries"], other["level"]) == (6, "scope")


def test_without_a_seed_each_run_draws_its_own_and_tells_it(tmp_path: Path) -> None:
    seeds = []
    for name in ("first", "second"):
        said, entry = walked(tmp_path / f"{name}.json")
        seeds.append(entry["runs"][0]["seed"])
        assert f"seed {seeds[-1]}\n" in said
    assert seeds[0] != seeds[1]
