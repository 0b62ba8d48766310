"""Every gold query of the plant gives the same answer on SQLite, MariaDB and PostgreSQL.

One query of every sixth prototype is run, the first that its pairs ask; with QUERENT_ALL_INSTANCES=1 all are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from decimal import Decimal
from typing import Any

import pytest
from gold import Gold, golds, plant
from servers import copy_sqlite, fresh_database, url_of

from querent.data.databases.database import Database
from querent.data.domains.loading import load_domain
from querent.data.shipped import shipped_folder
from querent.evaluation.metrics import is_ordered

pytestmark = pytest.mark.slow

FOLDER = shipped_folder("plant")
THEMES = sorted(file.stem for file in (FOLDER / "prototypes").glob("*.toml"))
EVERYTHING = bool(os.environ.get("QUERENT_ALL_INSTANCES"))
LIMITS = {"timeout": 20, "max_rows": 200_000}


@pytest.fixture(scope="module")
def engines() -> Iterator[Mapping[str, Database]]:
    """Return the plant's database on each engine, by dialect."""
    file = load_domain("plant").database
    assert file is not None
    with ExitStack() as stack:
        places = {"sqlite": str(file)}
        for dialect in ("mysql", "postgres"):
            places[dialect] = stack.enter_context(fresh_database(url_of(dialect)))
            copy_sqlite(file, (FOLDER / "schema.sql").read_text(encoding="utf-8"), places[dialect])
        yield {dialect: stack.enter_context(Database.open(place, **LIMITS)) for dialect, place in places.items()}


@pytest.fixture(scope="module")
def queries() -> Mapping[str, list[Gold]]:
    return golds()


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("theme", THEMES)
def test_engines_agree(engines: Mapping[str, Database], queries: Mapping[str, list[Gold]], theme: str) -> None:
    of_theme = [golds for name, golds in queries.items() if name.split(".")[0] == theme]
    chosen = [gold for golds in of_theme for gold in golds] if EVERYTHING else [golds[0] for golds in of_theme[::6]]
    for gold in chosen:
        ordered, texts = is_ordered(gold.mysql, "mysql"), gold.texts
        answers = {name: cells(database.query(texts[name]).rows, ordered) for name, database in engines.items()}
        words, numbers = answers.pop("sqlite")
        for dialect, (its_words, its_numbers) in answers.items():
            assert its_words == words, (gold.pair, texts[dialect])
            # in AVG and in a division MySQL keeps four decimals more than the dividend has
            assert its_numbers == pytest.approx(numbers, rel=1e-6, abs=6e-5), (gold.pair, texts[dialect])


def cells(rows: Sequence[Sequence[Any]], ordered: bool) -> tuple[list[list[str]], list[float]]:
    """Return the cells of rows, numbers apart, in the rows' order or in that of their texts and numbers."""
    found = [[float(c) if isinstance(c, int | float | Decimal) else str(c) for c in row] for row in rows]
    if not ordered:
        found.sort(key=lambda row: sorted((c, 0) if isinstance(c, str) else ("~", round(c, 2)) for c in row))
    words = [["a number" if isinstance(c, float) else c for c in row] for row in found]
    return words, [c for row in found for c in row if isinstance(c, float)]


def test_every_prototype_has_queries(queries: Mapping[str, list[Gold]]) -> None:
    assert queries.keys() == {prototype.id for prototype in plant().prototypes}
