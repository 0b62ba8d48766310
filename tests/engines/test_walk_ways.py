"""Random walks (bench/fuzz): a seed writes its own queries again, and ways seek what their run has used least."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.fuzz.tally import Coverage
from bench.fuzz.walker import Walker
from querent.data.schema.ddl import from_ddl
from querent.grammar import Constraint, Grammar, Vocabulary
from querent.grammar.lr.tables import load_functions, load_tables

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
DDL = "CREATE TABLE pump (name TEXT, flow REAL, runs INTEGER, made DATE)"
QUERIES = ["SELECT name, flow, runs FROM pump WHERE runs = 3 AND name = 'P1'"]


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


def words_written(way: str) -> set[str]:
    """Return the words that ten walks of one way write, of a column its type."""
    grammar = Grammar.for_schema(from_ddl(DDL, "sqlite"), dialect="sqlite")
    constraint = Constraint(Vocabulary.build(grammar, QUERIES, functions="all"), budget=40)
    walker = Walker(constraint.vocabulary, Coverage(load_tables("sqlite"), Counter()), Counter(), Counter())
    words: set[str] = set()
    for seed in range(10):
        walker.start(random.Random(seed))
        state = constraint.start()
        while not state.ended:
            walker.ids.append(getattr(walker, way)(np.flatnonzero(state.allowed())))
            state = state.advance(walker.ids[-1])
        walker.pairs.update(pairwise(walker.sorts[i] for i in walker.ids))
        words.update(walker.sorts[i] for i in walker.ids)
    return words


def test_a_walk_that_seeks_pairs_meets_more_functions() -> None:
    sought, other = words_written("seldom"), words_written("clauses")
    functions = load_functions("sqlite").keys()
    assert len(sought & functions) > 2 * len(other & functions) > 0
    assert {"TEXT", "DOUBLE", "INT", "DATE", "TABLE", "STRING", "SELECT"} <= sought
    assert not sought & {"name", "flow", "runs", "made", "pump"}
