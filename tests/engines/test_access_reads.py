"""A small draw of bench/fuzz/access.py: no query reads what its role may not, by authorizer, rights and results."""

from __future__ import annotations

import json

import pytest
from servers import said_by

pytestmark = pytest.mark.slow

QUERIES = {"sqlite": (50, 40, 20), "mariadb": (30, 20, 0), "postgres": (30, 20, 0)}
"""How many queries at random, tempted ones, and texts."""


@pytest.mark.parametrize("engine", QUERIES)
def test_no_query_reads_what_is_forbidden(engine: str) -> None:
    counts = [f"--{kind}={n}" for kind, n in zip(("queries", "tempted", "texts"), QUERIES[engine], strict=True)]
    told = json.loads(said_by("fuzz/access.py", engine, "--seed", "1", *counts).splitlines()[-1])
    assert (told["random"], told["tempted"], told.get("texts", 0)) == QUERIES[engine]
    assert not told["wrong"]
    assert engine != "sqlite" or told["compared"] > 40
