"""A small draw of bench/fuzz/walks.py: whatever the logits, queries run, on schemas and rows drawn for each.

The promise is that every query runs, so no draw may find one that does not: QUERENT_WALKS_SEED draws others, and
bench/results/walks.json has large draws.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable

import pytest
from servers import said_by

pytestmark = pytest.mark.slow

SEED = os.environ.get("QUERENT_WALKS_SEED") or "1"
QUERIES = {
    "any": {"sqlite": 60, "mariadb": 60, "postgres": 60},
    "few": {"sqlite": 60, "mariadb-loose": 60, "postgres": 60},
    "objects": {"sqlite": 60, "mariadb": 60, "postgres": 60},
}
"""How many queries of any words, of few, and over views, enumerations, parts: each on a schema of its own."""


@pytest.mark.parametrize(("words", "engine"), [(words, engine) for words in QUERIES for engine in QUERIES[words]])
def test_every_query_runs(words: str, engine: str, record_property: Callable[[str, object], None]) -> None:
    queries = QUERIES[words][engine]
    options = ["--queries", str(queries), "--seed", SEED, "--jobs", "2", *[f"--{words}"] * (words != "any")]
    said = said_by("fuzz/walks.py", engine, *options)
    told = json.loads(said.splitlines()[-1])
    record_property(
        "told", f"walks on {engine}, {words} words: seed {SEED}, {queries} queries, errors {told['by_kind'] or 'none'}"
    )
    assert told["queries"] == queries
    assert told["schemas"] >= 60
    assert not told["errors"], f"seed {SEED} (QUERENT_WALKS_SEED={SEED} repeats it)\n{said[:4000]}"
