"""A small draw of bench/signatures/check.py, which holds every line of types/*.toml against its engine."""

from __future__ import annotations

import pytest
from servers import said_by

from querent.grammar.lr.functions import load_functions
from querent.grammar.types.dialect import load_types

SAMPLES = {"sqlite": 16, "mariadb": 16, "postgres": 40}


@pytest.mark.parametrize("engine", SAMPLES)
def test_lines_keep_their_promises(engine: str) -> None:
    said = said_by("signatures/check.py", engine, "--sample", str(SAMPLES[engine]))
    assert f"{SAMPLES[engine]} of " in said


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
def test_every_function_of_the_grammar_has_signatures(dialect: str) -> None:
    assert load_functions(dialect).keys() - {"CAST", "CONVERT"} == load_types(dialect).functions.keys()
