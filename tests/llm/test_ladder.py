"""`bench/accuracy/ladder.py` on a small model and collection: every rung is asked, what was done is not done again."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="pip install 'querent[tune]'")

from small_collection import write_collection
from small_models import save_small

from querent.llm.backends.batches import BatchWriter

pytestmark = pytest.mark.slow

SCRIPTS = Path(__file__).resolve().parents[2] / "bench" / "accuracy"


@pytest.fixture
def script(monkeypatch):
    """Return what imports a module of the scripts, which lie in no package."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return import_module


def test_the_ladder_asks_every_rung_and_goes_on_where_it_stopped(tmp_path, cache, script, monkeypatch):
    monkeypatch.setitem(BatchWriter.__init__.__kwdefaults__, "max_tokens", 40)  # random models write on and on
    ladder, out = script("ladder"), tmp_path / "ladder.json"
    model, spec = save_small(tmp_path / "small", context=4096), write_collection(tmp_path / "collection")
    told = ["--lessons", "4", "--epochs", "1", "--batch", "2", "--write-batch", "4", "--tokens", "400", "--jobs", "1"]
    call = [
        "ladder.py",
        "--collections",
        spec,
        "--run",
        str(tmp_path / "run"),
        "--out",
        str(out),
        "--model",
        str(model),
    ]
    monkeypatch.setattr(sys, "argv", [*call, *told])
    ladder.main()
    found = json.loads(out.read_text())
    rungs = ("bare", "retriever", "sft", "dpo", "correct")
    assert {*found["figures"]} == {f"{rung}, {how}" for rung in rungs for how in ("masked", "free")}
    assert all(one["questions"] == 2 for one in found["figures"].values())  # of the database that is held out
    assert all(found["figures"][f"{rung}, masked"]["executes"] == 1.0 for rung in rungs)
    assert found["figures"]["correct, free"]["after corrections"][1]["asked"] == 2
    assert found["stages"]["dpo"]["counts"]["questions"] == 4
    gone = tmp_path / "run" / "records" / "sft-free-0.jsonl"
    before = gone.read_text()
    gone.unlink()
    ladder.main()
    assert gone.read_text() == before
    assert json.loads(out.read_text())["figures"] == found["figures"]
    monkeypatch.setattr(sys, "argv", [*call, *told, "--seed", "1"])
    with pytest.raises(SystemExit, match="a run with other seed"):
        ladder.main()


def test_corrections_are_told_by_round_and_by_failure(script):
    def tried(failure: str | None, right: bool = False) -> dict[str, Any]:
        return {"sql": "", "failure": failure, "runs": failure in (None, "empty"), "right": right}

    rounds = [
        [tried(None, right=True)],
        [tried("names"), tried(None, right=True)],
        [tried("names"), tried("execution"), tried(None)],
        [tried("empty", right=True), tried("text"), tried("text")],  # what ran is answered after all
    ]
    told = script("ladder_rungs").figures([{"rounds": one} for one in rounds])
    assert (told["questions"], told["ex"], told["executes"]) == (4, 0.75, 1.0)
    assert told["failures at first"] == {"names": 2, "empty": 1}
    assert told["after corrections"] == [
        {"asked": 4, "ex": 0.5, "executes": 0.5},
        {"asked": 3, "ex": 0.75, "executes": 0.75},
        {"asked": 2, "ex": 0.75, "executes": 1.0},
    ]
    assert told["by the first failure"] == {
        "names": {"questions": 2, "run in the end": 2, "right in the end": 1},
        "empty": {"questions": 1, "run in the end": 1, "right in the end": 1},
    }
