"""bench/agreement.py on the shipped plant: what the grammar accepts, sqlglot accepts too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench" / "agreement.py"


def test_sqlglot_refuses_no_mutant_of_the_plant_that_the_grammar_accepts(tmp_path: Path) -> None:
    sets = ["plant-sqlite", "plant-mysql", "plant-postgres"]
    options = ["--sets", *sets, "--mutants", "600", "--seed", "5", "--out", tmp_path / "agreement.json"]
    said = subprocess.run([sys.executable, BENCH, *options], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    last = json.loads(said.stdout.splitlines()[-1])
    found = json.loads((tmp_path / "agreement.json").read_text("utf-8"))
    assert found["grammar alone accepts"] == []
    assert sum(counts["all"] for counts in found["cells"].values()) == last["mutants"] == 600
    assert all(found["cells"]["both accept"][dialect] >= 10 for dialect in ("sqlite", "mysql", "postgres"))
    lax = found["cells"]["sqlglot alone accepts"]["all"]
    for reasons in (
        found["sqlglot alone accepts"]["reason of the grammar"].values(),
        found["sqlglot alone accepts"]["what sqlglot does"],
    ):
        assert sum(counts["all"] for counts in reasons) == lax > 0
    assert last["not explained"] <= lax // 20
