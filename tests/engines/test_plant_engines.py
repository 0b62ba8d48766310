"""Every gold query of the plant gives the same answer on SQLite, MariaDB and PostgreSQL.

One query of every sixth prototype is run, the first that its pairs ask; with QUERENT_ALL_INSTANCES=1 all are.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import date, datetime
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
    asked = [gold for golds in of_theme for gold in golds] if EVERYTHING else [golds[0] for golds in of_theme[::6]]
    for gold in asked:
        ordered, texts = is_ordered(gold.mysql, "mysql"), gold.texts
        rows = {dialect: plain(database.query(texts[dialect]).rows, ordered) for dialect, database in engines.items()}
        for dialect in ("mysql", "postgres"):
            assert same(rows["sqlite"], rows[dialect]), f"{gold.pair}\n{texts['sqlite']}\n{texts[dialect]}"


def test_every_prototype_is_asked(queries: Mapping[str, list[Gold]]) -> None:
    assert queries.keys() == {prototype.id for prototype in plant().prototypes}


def plain(rows: Sequence[Sequence[Any]], ordered: bool) -> list[list[Any]]:
    """Return rows with cells whatever the engine calls their types, in their order or sorted: texts, then numbers."""
    found = [[_cell(cell) for cell in row] for row in rows]
    return found if ordered else sorted(found, key=lambda row: sorted(map(_key, row)))


def _cell(cell: Any) -> float | str | None:
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return (
        cell.isoformat() if isinstance(cell, date) else cell if cell is None or isinstance(cell, str) else float(cell)
    )


def _key(cell: float | str | None) -> tuple[Any, ...]:
    return (1, "", round(cell, 2)) if isinstance(cell, float) else (0, cell or "", 0)


def same(one: list[list[Any]], other: list[list[Any]]) -> bool:
    """Are they the same rows, as far as every engine computes numbers?

    MySQL keeps four decimals more than the dividend has in a division and in AVG; SQLite counts in doubles.
    """
    return len(one) == len(other) and all(
        len(left) == len(right) and all(map(_near, left, right)) for left, right in zip(one, other, strict=True)
    )


def _near(one: float | str | None, other: float | str | None) -> bool:
    numbers = isinstance(one, float) and isinstance(other, float)
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=6e-5) if numbers else one == other


@pytest.mark.parametrize(
    ("one", "other", "ordered", "equal"),
    [
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], False, True),
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], True, False),
        ([(1,), (1,), (2,)], [(1,), (2,), (2,)], False, False),
        ([(0.33333333,), (7,)], [(7.0,), (0.3333,)], False, True),
        ([(0.3334,)], [(0.3332,)], False, False),
        ([(None,)], [(0,)], False, False),
        ([("1",)], [(1,)], False, False),
        ([(1, 2)], [(1,)], False, False),
    ],
)
def test_what_counts_as_the_same(one, other, ordered: bool, equal: bool) -> None:
    assert same(plain(one, ordered), plain(other, ordered)) is equal
