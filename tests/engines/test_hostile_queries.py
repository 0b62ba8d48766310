"""A small draw of bench/fuzz/hostile.py: no text that somebody else wrote changes anything or reads a secret.

QUERENT_HOSTILE_SEED draws others; bench/results/hostile.json has large draws.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from servers import ENGINES, url_of

pytestmark = pytest.mark.slow

FUZZ = Path(__file__).resolve().parents[2] / "bench" / "fuzz"
SEED = int(os.environ.get("QUERENT_HOSTILE_SEED") or 1)
sys.path.append(str(FUZZ))

CHANGES = {
    "sqlite": [],
    "mariadb": [
        "SELECT GET_LOCK('querent_hostile', 0)",
        "DELETE FROM goods WHERE id = 1",
        "SELECT NEXTVAL(counter)",
        "SELECT 'x' INTO OUTFILE '{target}'",
    ],
    "postgres": [
        "SELECT pg_advisory_lock(4242)",
        "SELECT pg_notify('querent_hostile', 'x')",
        "SELECT lo_creat(-1)",
        "SELECT nextval('counter')",
        "COPY goods TO '{target}'",
        "CREATE TABLE x (a INTEGER)",
    ],
}


@pytest.mark.parametrize("engine", ["sqlite", "mariadb", "postgres"])
def test_nothing_is_changed_and_no_secret_comes_back(engine: str) -> None:
    dialect = ENGINES[engine]
    url = ["--url", url_of(dialect)] if dialect is not None else []
    command = [sys.executable, str(FUZZ / "hostile.py"), "--engine", engine, "--queries", "120", "--llm", "3"]
    done = subprocess.run(
        [*command, "--asked", "2", "--seed", str(SEED), *url], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"seed {SEED}\n{done.stdout[-3000:]}{done.stderr[-2000:]}"
    told = json.loads(done.stdout.splitlines()[-1])
    assert (told["changes"], told["leaks"]) == (0, 0)
    assert told["database: asked"] == 240
    assert [told[f"{way}: asked"] for way in ("llm", "examples", "formulas", "evidence")] == [6, 4, 4, 4]


@pytest.mark.parametrize("engine", ["mariadb", "postgres"])
def test_a_change_would_be_seen(engine: str) -> None:
    from hostile_scenes import scene_on

    dialect = str(ENGINES[engine])
    with scene_on(dialect, url_of(dialect)) as scene:
        state = scene.state()
        assert scene.state() == state
        for statement in CHANGES[engine]:
            scene.ask(statement.replace("{target}", scene.facts["target"]))
            before, state = state, scene.state()
            assert state != before, statement
