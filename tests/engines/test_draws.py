"""Small draws of what bench/ holds against the engines at random; the large ones are in bench/results/.

Whatever the logits, queries run, on schemas and rows drawn for each (walks); no query reads what its role may not
(access); every line of types/*.toml keeps its promises (signatures); of queries as people write them, what an engine
refuses is not said to run (validated). No draw may find a query that does not: QUERENT_WALKS_SEED draws others.
"""

import importlib
import json
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import pytest
from draws import draws
from servers import ENGINES, url_of

from querent.data.shipped import cache_folder
from querent.grammar.lr.tables import load_functions
from querent.grammar.types.dialect import load_types

pytestmark = pytest.mark.slow

SEED = os.environ.get("QUERENT_WALKS_SEED") or "1"
AGAIN = f"seed {SEED} (QUERENT_WALKS_SEED={SEED} repeats it)"
Record = Callable[[str, object], None]


def draw(package: str, engine: str, *options: str) -> tuple[str, dict[str, Any]]:
    """Run a package of bench/ on an engine, or skip; return what it prints, and its last line's object.

    It runs here, since to import what it needs takes as long as to draw.
    """
    dialect = ENGINES[engine]
    url = ["--url", url_of(dialect)] if dialect is not None else []
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(sys, "argv", [package, "--engine", engine, *options, *url])
        patch.setenv("QUERENT_CACHE", str(cache_folder()))  # some change it
        with redirect_stdout(StringIO()) as said:
            code = importlib.import_module(f"bench.{package}.__main__").main()
    shown = said.getvalue()
    assert not code, f"{options}\n{shown[-4000:]}"
    last = shown.splitlines()[-1]
    return shown, json.loads(last) if last.startswith("{") else {}


WALKS = [
    (words, engine)
    for words in ("any", "few", "objects", "windows", "wide")
    for engine in ("sqlite", "mariadb-loose" if words == "few" else "mariadb", "postgres")
]
"""Queries of any words, of few, over views and enumerations, of windows, of the wide form: each on its own schema."""
COUNT = {"any": 9, "few": 9, "objects": draws(12), "windows": draws(12), "wide": draws(30)}
"""Of the first two one in each way."""


@pytest.mark.parametrize(("words", "engine"), WALKS)
def test_every_query_runs(words: str, engine: str, record_property: Record) -> None:
    more = [f"--{words}"] if words != "any" else []
    said, told = draw("fuzz", engine, "--queries", str(COUNT[words]), "--seed", SEED, *more)
    record_property("told", f"walks on {engine}, {words} words: {AGAIN}, errors {told['by_kind'] or 'none'}")
    assert told["queries"] == COUNT[words]
    assert told["schemas"] >= COUNT[words]
    assert not told["errors"], f"{AGAIN}\n{said[:4000]}"


READ = {"sqlite": (draws(30), draws(20)), "mariadb": (draws(15), draws(10)), "postgres": (draws(15), draws(10))}
"""How many queries at random, and tempted ones."""


@pytest.mark.parametrize("engine", READ)
def test_no_query_reads_what_is_forbidden(engine: str) -> None:
    """By authorizer, rights and results."""
    counts = [f"--{kind}={n}" for kind, n in zip(("queries", "tempted"), READ[engine], strict=True)]
    _, told = draw("fuzz", engine, "--access", "--seed", "1", *counts)
    assert (told["random"], told["tempted"]) == READ[engine]
    assert not told["wrong"]
    assert engine != "sqlite" or told["compared"] > draws(15)


@pytest.mark.parametrize(("engine", "sample"), [("sqlite", "16"), ("mariadb", "16"), ("postgres", "12")])
def test_lines_keep_their_promises(engine: str, sample: str) -> None:
    _, told = draw("signatures", engine, "--sample", sample, "--seed", "2")
    assert (told["held"], told["broken"]) == (int(sample), 0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("templates", [("calls", "groups", "subqueries", "sets", "sources"), ("",)])
def test_what_is_said_to_run_runs(engine: str, templates: tuple[str, ...], record_property: Record) -> None:
    said, told = draw("signatures", engine, "--validated", "40", "--seed", SEED, "--only", *templates)
    record_property("told", f"queries from templates on {engine}: {AGAIN}, {told['verdicts']}")
    assert told["verdicts"]["runs, runs"] > 0
    assert told["verdicts"]["refused, fails"] > 0
    assert not told["wrong"], f"{AGAIN}\n{said[:4000]}"


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
def test_every_function_of_the_grammar_has_signatures(dialect: str) -> None:
    assert load_functions(dialect).keys() - {"CAST", "CONVERT"} == load_types(dialect).functions.keys()
