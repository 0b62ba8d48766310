"""A small draw of bench/signatures/check.py, which holds every line of types/*.toml against its engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from servers import ENGINES, url_of

from querent.grammar.lr.functions import load_functions
from querent.grammar.types.dialect import load_types

CHECK = Path(__file__).resolve().parents[2] / "bench" / "signatures" / "check.py"
SAMPLES = {"sqlite": 16, "mariadb": 16, "postgres": 40}


@pytest.mark.parametrize("engine", SAMPLES)
def test_lines_keep_their_promises(engine: str) -> None:
    dialect = ENGINES[engine]
    url = ["--url", url_of(dialect)] if dialect else []
    command = [sys.executable, CHECK, "--engine", engine, "--sample", str(SAMPLES[engine]), *url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert f"{SAMPLES[engine]} of " in done.stdout


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
def test_every_function_of_the_grammar_has_signatures(dialect: str) -> None:
    assert load_functions(dialect).keys() - {"CAST", "CONVERT"} == load_types(dialect).functions.keys()
