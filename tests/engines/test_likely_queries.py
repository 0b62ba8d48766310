"""A small draw of bench/fuzz/likely.py: queries as people write them; what an engine refuses is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

import pytest
from servers import ENGINES, said_by

pytestmark = pytest.mark.slow

SEED = os.environ.get("QUERENT_WALKS_SEED") or "1"


@pytest.mark.parametrize("engine", ENGINES)
def test_what_an_engine_refuses_is_refused(engine: str, record_property: Callable[[str, object], None]) -> None:
    said = said_by("fuzz/likely.py", engine, "--queries", "120", "--seed", SEED, "--sample", "0.4")
    told = json.loads(said.splitlines()[-1])
    counts = {name: told[name] for name in ("refused", "running_shown", "running_admitted")}
    record_property("told", f"likely queries on {engine}: seed {SEED}, {counts}, errors {told['by_kind'] or 'none'}")
    assert told["refused"] > 0
    assert told["running_admitted"] > 0
    assert not told["errors"], f"seed {SEED} (QUERENT_WALKS_SEED={SEED} repeats it)\n{said[:4000]}"
