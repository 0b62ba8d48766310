"""A small draw of bench/fuzz/walks.py: whatever the logits, queries run, on schemas and rows drawn for each.

The promise is that every query runs, so no draw may find one that does not: QUERENT_WALKS_SEED draws others, and
bench/results/walks.json has large draws.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from servers import ENGINES, url_of

pytestmark = pytest.mark.slow

WALKS = Path(__file__).resolve().parents[2] / "bench" / "fuzz" / "walks.py"
SEED = int(os.environ.get("QUERENT_WALKS_SEED") or 1)
QUERIES = {
    "any": {"sqlite": 60, "mariadb": 60, "postgres": 60},
    "few": {"sqlite": 60, "mariadb-loose": 60, "postgres": 60},
    "objects": {"sqlite": 60, "mariadb": 60, "postgres": 60},
}
"""How many queries of any words, of few, and over views, enumerations, parts: each on a schema of its own."""


@pytest.mark.parametrize(("words", "engine"), [(words, engine) for words in QUERIES for engine in QUERIES[words]])
def test_every_query_runs(words: str, engine: str, record_property: Callable[[str, object], None]) -> None:
    queries, dialect = QUERIES[words][engine], ENGINES[engine]
    url = ["--url", url_of(dialect)] if dialect is not None else []
    command = [sys.executable, str(WALKS), "--engine", engine, "--queries", str(queries), "--seed", str(SEED), *url]
    command += ["--jobs", "2", *[f"--{words}"] * (words != "any")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    record_property(
        "told", f"walks on {engine}, {words} words: seed {SEED}, {queries} queries, errors {told['by_kind'] or 'none'}"
    )
    assert told["queries"] == queries
    assert told["schemas"] >= 60
    assert not told["errors"], f"seed {SEED} (QUERENT_WALKS_SEED={SEED} repeats it)\n{done.stdout[:4000]}"
