"""A small draw of bench/fuzz/hostile.py: no text that somebody else wrote changes anything or reads a secret.

QUERENT_HOSTILE_SEED draws others; bench/results/hostile.json has large draws.
"""

from __future__ import annotations

import json
import os

import pytest
from servers import BENCH, ENGINES, said_by, url_of

pytestmark = pytest.mark.slow

SEED = os.environ.get("QUERENT_HOSTILE_SEED") or "1"

CHANGES = {
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
    counts = ("--queries", "120", "--llm", "3", "--asked", "2")
    told = json.loads(said_by("fuzz/hostile.py", engine, *counts, "--seed", SEED).splitlines()[-1])
    assert (told["changes"], told["leaks"]) == (0, 0)
    assert told["database: asked"] == 240
    assert [told[f"{way}: asked"] for way in ("llm", "examples", "formulas", "evidence")] == [6, 4, 4, 4]


@pytest.mark.parametrize("engine", ["mariadb", "postgres"])
def test_a_change_would_be_seen(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH / "fuzz"))
    from hostile_scenes import scene_on

    dialect = str(ENGINES[engine])
    with scene_on(dialect, url_of(dialect)) as scene:
        state = scene.state()
        assert scene.state() == state
        for statement in CHANGES[engine]:
            scene.ask(statement.replace("{target}", scene.facts["target"]))
            before, state = state, scene.state()
            assert state != before, statement
