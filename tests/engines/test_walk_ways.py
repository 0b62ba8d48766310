"""Random walks (bench/fuzz): a seed writes its own queries again."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


def walked(out: Path, *options: str) -> tuple[str, dict[str, Any]]:
    """Run three queries on three schemas; return what was printed, and what the result file has of the engine."""
    command = [sys.executable, "-m", "bench.fuzz", "--queries", "3", "--out", str(out), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return done.stdout + done.stderr, json.loads(out.read_text("utf-8"))["sets"]["sqlite"]


def test_a_seed_writes_its_own_queries_again(tmp_path: Path) -> None:
    first, again = (walked(tmp_path / "walks.json", "--seed", "1")[1] for _ in range(2))
    assert (first["queries"], first["schemas"], first["seeds"]) == (3, 3, [1])
    assert sum(way["queries"] for way in first["by_way"].values()) == 3
    assert again["digest"] == first["digest"], "the same constraint has written other queries"
    assert first["command"].startswith("python -m bench.fuzz --queries 3"), "the command of a result file runs"


def test_without_a_seed_each_run_draws_its_own_and_tells_it(tmp_path: Path) -> None:
    runs = [walked(tmp_path / "walks.json") for _ in range(2)]
    seeds = [entry["seeds"][0] for _, entry in runs]
    assert all(f"seed {seed}\n" in said for seed, (said, _) in zip(seeds, runs, strict=True))
    assert seeds[0] != seeds[1]
    assert runs[0][1]["digest"] != runs[1][1]["digest"]
