"""What columns mean is written under the constraint at level ``runs``, its constants in slots."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import get_args

import pytest
from draws import some
from written_times import SERVER_STORAGES, STORAGES
from written_words import Writer

from querent.data.errors import QueryError
from querent.meaning.flag_cells import is_set
from querent.meaning.number_texts import number_of
from querent.meaning.profile import FlagCells, NumberText, TimeStorage
from querent.meaning.sql import DurationUnit, TimePart, age, elapsed, part_of, recurring, sortable, within

DIALECTS = ("sqlite", "mysql", "postgres")
CASES = [(dialect, name) for dialect in DIALECTS for name in (STORAGES if dialect == "sqlite" else SERVER_STORAGES)]
NOW = datetime(2026, 11, 27, 10)
INTERVALS = [
    (datetime(2024, 2, 1), datetime(2024, 3, 1)),
    (datetime(2022, 1, 1), datetime(2024, 1, 1)),
    (datetime(2024, 2, 5, 10), datetime(2024, 2, 5, 12)),
    (datetime(2024, 2, 5), None),
    (None, datetime(2024, 2, 5)),
]
AGGREGATED = ("hour", "weekday", "day of month", *get_args(DurationUnit))
LONG = ("week", "days", "hours", "years")
WORDS = 90
"""A query has so many; grouped by what is long, and of cells that do not sort, it may have more."""


@pytest.fixture(scope="module")
def writers() -> dict[str, Writer]:
    """Return what writes under each dialect's constraint."""
    return {dialect: Writer(dialect) for dialect in DIALECTS}


def column(storage: TimeStorage, name: str) -> str:
    """Return a column that may hold such cells."""
    if storage.form == "native":
        return f"t.{name.removeprefix('native ')}"
    return "t.text" if storage.text else "t.year" if storage.form == "year" else "t.number"


def values(ref: str, storage: TimeStorage, dialect: str) -> Iterator[tuple[str, str]]:
    """Yield each value of a time that can be said, with its name."""
    yield "sortable", sortable(ref, storage, dialect)
    for piece in get_args(TimePart):
        try:
            yield piece, part_of(ref, storage, dialect, piece)
        except QueryError:
            continue
    for unit in get_args(DurationUnit):
        try:
            if unit == "years":
                yield unit, age(ref, storage, dialect, NOW)
            yield unit, elapsed(ref, storage, f"{ref}2", storage, dialect, unit)
        except QueryError:
            continue


@pytest.mark.parametrize(("dialect", "name"), some(CASES, 4))
def test_times(writers: dict[str, Writer], dialect: str, name: str) -> None:
    writer, storage = writers[dialect], SERVER_STORAGES[name]
    ref = column(storage, name)
    conditions = [within(ref, storage, dialect, start, end) for start, end in INTERVALS]
    for piece, numbers in (("month", (6, 8)), ("quarter", (2,)), ("weekday", (6, 7)), ("hour", (9,))):
        try:
            conditions.append(recurring(ref, storage, dialect, piece, numbers))
        except QueryError:
            continue
    for condition in conditions:
        assert writer.refused(f"SELECT t.n FROM t WHERE ({condition})") == ""
    for called, value in values(ref, storage, dialect):
        queries = [f"SELECT t.n FROM t ORDER BY ({value}) DESC"]
        if storage.sorts or name == "day first":
            queries.append(f"SELECT ({value}), COUNT(*) FROM t GROUP BY ({value})")
        if called in AGGREGATED:
            queries.append(f"SELECT AVG(({value})) FROM t WHERE ({value}) > 3")
        for query in queries:
            assert writer.refused(query) == ""
            if storage.sorts and storage.form not in ("digits", "year first") and called not in LONG:
                assert writer.length(query) <= WORDS


@pytest.mark.parametrize(
    ("dialect", "name"), [(d, n) for d, n in CASES[1::3] if SERVER_STORAGES[n].text and "second" not in n]
)
def test_times_beside_what_says_none(writers: dict[str, Writer], dialect: str, name: str) -> None:
    storage, ref = replace(SERVER_STORAGES[name], gaps=True), column(SERVER_STORAGES[name], name)
    for start, end in INTERVALS[-2:]:
        query = f"SELECT t.n FROM t WHERE ({within(ref, storage, dialect, start, end)})"
        assert writers[dialect].refused(query) == ""
    for called, value in values(ref, storage, dialect):
        if called != "week":
            assert writers[dialect].refused(f"SELECT MAX(({value})) FROM t") == ""


def test_numbers_and_flags(writers: dict[str, Writer]) -> None:
    numbers = [
        NumberText(("$", ",")),
        NumberText((" kg",), nothing=("N/A",)),
        NumberText((".", "€"), decimal_comma=True, nothing=("", "-")),
        NumberText(("%",), whole=True),
    ]
    for dialect in ("sqlite", "mysql"):
        for number in numbers:
            value = number_of("t.text", number, dialect)
            for query in (
                f"SELECT {'AVG' if number.whole else 'SUM'}(({value})) FROM t",
                f"SELECT t.n FROM t WHERE ({value}) > 3 ORDER BY ({value}) DESC",
            ):
                assert writers[dialect].refused(query) == ""
    for dialect in DIALECTS:
        letters, boolean = FlagCells("Y", "N", "text"), FlagCells("1", "0", "number")
        if dialect == "postgres":
            boolean = FlagCells("true", "false", "boolean")
        for yes in (True, False):
            for ref, flag in (("t.text", letters), ("t.boolean", boolean)):
                condition = is_set(ref, flag, dialect, yes)
                assert writers[dialect].refused(f"SELECT COUNT(*) FROM t WHERE ({condition})") == ""
