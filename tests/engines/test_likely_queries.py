"""A small draw of bench/fuzz/likely.py: queries as people write them; what an engine refuses is refused."""

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

LIKELY = Path(__file__).resolve().parents[2] / "bench" / "fuzz" / "likely.py"
SEED = int(os.environ.get("QUERENT_WALKS_SEED") or 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_an_engine_refuses_is_refused(engine: str, record_property: Callable[[str, object], None]) -> None:
    dialect = ENGINES[engine]
    url = ["--url", url_of(dialect)] if dialect is not None else []
    command = [sys.executable, str(LIKELY), "--engine", engine, "--queries", "120", "--seed", str(SEED), *url]
    done = subprocess.run([*command, "--sample", "0.4"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    counts = {name: told[name] for name in ("refused", "running_shown", "running_admitted")}
    record_property("told", f"likely queries on {engine}: seed {SEED}, {counts}, errors {told['by_kind'] or 'none'}")
    assert told["refused"] > 0
    assert told["running_admitted"] > 0
    assert not told["errors"], f"seed {SEED} (QUERENT_WALKS_SEED={SEED} repeats it)\n{done.stdout[:4000]}"
