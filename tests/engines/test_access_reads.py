"""A small draw of bench/fuzz/access.py: no query reads what its role may not, by authorizer, rights and results."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from servers import ENGINES, url_of

pytestmark = pytest.mark.slow

ACCESS = Path(__file__).resolve().parents[2] / "bench" / "fuzz" / "access.py"
QUERIES = {"sqlite": (50, 40, 20), "mariadb": (30, 20, 0), "postgres": (30, 20, 0)}
"""How many queries at random, tempted ones, and texts."""


@pytest.mark.parametrize("engine", QUERIES)
def test_no_query_reads_what_is_forbidden(engine: str) -> None:
    dialect = ENGINES[engine]
    url = ["--url", url_of(dialect)] if dialect is not None else []
    counts = [f"--{kind}={n}" for kind, n in zip(("queries", "tempted", "texts"), QUERIES[engine], strict=True)]
    command = [sys.executable, str(ACCESS), "--engine", engine, "--seed", "1", *counts, *url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert (told["random"], told["tempted"], told.get("texts", 0)) == QUERIES[engine]
    assert not told["wrong"]
    assert engine != "sqlite" or told["compared"] > 40
