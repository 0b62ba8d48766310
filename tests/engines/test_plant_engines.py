"""Every gold query of the plant gives the same answer on SQLite, MariaDB and PostgreSQL.

One query of every sixth prototype is run, the first that its pairs ask; with QUERENT_ALL_INSTANCES=1 all are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack

import pytest
from gold import Gold, golds, plant
from results import same_rows
from servers import copy_sqlite, fresh_database, url_of

from querent.data.databases.database import Database
from querent.data.domains.loading import load_domain
from querent.data.errors import DatabaseError
from querent.data.shipped import shipped_folder
from querent.evaluation.metrics import is_ordered

pytestmark = pytest.mark.slow

FOLDER = shipped_folder("plant")
THEMES = sorted(file.stem for file in (FOLDER / "prototypes").glob("*.toml"))
EVERYTHING = bool(os.environ.get("QUERENT_ALL_INSTANCES"))
TIMEOUT = 20  # seconds of one query on any engine

DIFFER: dict[str, str] = {}
"""Prototypes whose answers may differ between engines, and why."""


@pytest.fixture(scope="module")
def engines() -> Iterator[Mapping[str, Database]]:
    """Return the plant's database on each engine, by dialect."""
    urls = {dialect: url_of(dialect) for dialect in ("mysql", "postgres")}
    file = load_domain("plant").database
    assert file is not None
    with ExitStack() as stack:
        opened = {"sqlite": stack.enter_context(Database.open(file, timeout=TIMEOUT, max_rows=200_000))}
        for dialect, server in urls.items():
            url = stack.enter_context(fresh_database(server))
            copy_sqlite(file, (FOLDER / "schema.sql").read_text(encoding="utf-8"), url)
            opened[dialect] = stack.enter_context(Database.open(url, timeout=TIMEOUT, max_rows=200_000))
        yield opened


@pytest.fixture(scope="module")
def queries() -> Mapping[str, list[Gold]]:
    return golds()


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("theme", THEMES)
def test_engines_agree(engines: Mapping[str, Database], queries: Mapping[str, list[Gold]], theme: str) -> None:
    of_theme = [golds for name, golds in queries.items() if name.split(".")[0] == theme]
    asked = [gold for golds in of_theme for gold in golds] if EVERYTHING else [golds[0] for golds in of_theme[::6]]
    problems = [problem for gold in asked if gold.prototype not in DIFFER if (problem := difference(engines, gold))]
    assert problems == []


def difference(engines: Mapping[str, Database], gold: Gold) -> str | None:
    """Return how the engines' answers differ, or None."""
    texts, answers = gold.texts, dict[str, list[tuple[object, ...]]]()
    for dialect, database in engines.items():
        try:
            answers[dialect] = database.query(texts[dialect]).rows
        except DatabaseError as error:
            return f"{gold.pair}: {error}\n{texts[dialect]}"
    ordered = is_ordered(gold.mysql, "mysql")
    for dialect in ("mysql", "postgres"):
        if not same_rows(answers["sqlite"], answers[dialect], ordered=ordered):
            first = f"{answers['sqlite'][:3]} of {len(answers['sqlite'])} rows on sqlite"
            other = f"{answers[dialect][:3]} of {len(answers[dialect])} on {dialect}"
            return f"{gold.pair}: {first}, {other}\n{texts['sqlite']}\n{texts[dialect]}"
    return None


def test_every_prototype_is_asked(queries: Mapping[str, list[Gold]]) -> None:
    assert queries.keys() == {prototype.id for prototype in plant().prototypes}
    assert {name.split(".")[0] for name in queries} == {*THEMES}
    assert queries.keys() >= DIFFER.keys()


@pytest.mark.parametrize(
    ("one", "other", "ordered", "same"),
    [
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], False, True),
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], True, False),
        ([(1,), (1,), (2,)], [(1,), (2,), (2,)], False, False),
        ([(0.33333333,), (7,)], [(7.0,), (0.3333,)], False, True),
        ([(0.3334,)], [(0.3332,)], False, False),
        ([(None,)], [(0,)], False, False),
        ([("1",)], [(1,)], False, False),
        ([(0.005, 1), (0.00499999, 2)], [(0.00499999, 1), (0.005, 2)], False, True),
        ([(1, 2)], [(1,)], False, False),
    ],
)
def test_what_counts_as_the_same(one, other, ordered: bool, same: bool) -> None:
    assert same_rows(one, other, ordered=ordered) is same
