"""What columns mean, as SQL on SQLite: the rows are those of Python's datetime, for each way to store a time."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Any, get_args

import pytest
from draws import draws
from written_times import STORAGES, moments, part, unit_of, whole_years, written

from querent.data.errors import QueryError
from querent.meaning.profile import FlagCells, NumberText
from querent.meaning.sql import TimePart, age, elapsed, is_set, number_of, part_of, recurring, sortable, within

TIMES = moments(seed=48, count=draws(200))


def rows(cells: list[Any], *outputs: str, where: str = "TRUE") -> list[tuple[Any, ...]]:
    """Return outputs of the rows where a condition holds; ``t.c`` is the cell, ``t.n`` its number."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (n INTEGER, c)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", enumerate(cells))
    found = connection.execute(f"SELECT {', '.join(outputs)} FROM t WHERE ({where}) ORDER BY n").fetchall()
    connection.close()
    return found


@cache
def cells_of(name: str) -> list[Any]:
    """Return all times as a storage writes them."""
    return [written(moment, name) for moment in TIMES]


@pytest.mark.parametrize("name", STORAGES)
@pytest.mark.parametrize("piece", get_args(TimePart))
def test_parts_are_those_of_pythons_datetime(name: str, piece: TimePart) -> None:
    try:
        value = part_of("t.c", STORAGES[name], "sqlite", piece)
    except QueryError:
        assert piece in ("hour", "week", "weekday", "day", "day of month") or STORAGES[name].grain == "year"
        assert STORAGES[name].grain != "second"
        return
    found, wanted = [cell for (cell,) in rows(cells_of(name), value)], [part(moment, piece) for moment in TIMES]
    assert found == (list(map(int, wanted)) if STORAGES[name].form == "year" else wanted)
    if piece in ("year", "month of year"):
        value = part_of("t.c", STORAGES[name], "sqlite", piece, number=True)
        assert [cell for (cell,) in rows(cells_of(name), value)] == list(map(int, wanted))


@pytest.mark.parametrize("name", STORAGES)
def test_intervals_have_the_rows_that_begin_before_their_end_and_end_behind_their_start(name: str) -> None:
    draw, storage, cells = random.Random(7), STORAGES[name], cells_of(name)
    edges: list[datetime] = [datetime(y, m, 1) for y in (2000, 2020, 2024) for m in (1, 2, 7, 12)]
    edges += [datetime(y, draw.randrange(1, 13), draw.randrange(1, 29)) for y in (2001, 2013, 2022)]
    edges += [moment.replace(minute=0, second=0) for moment in draw.sample(TIMES, 3)]
    pairs = [tuple(sorted(draw.sample(edges, 2))) for _ in range(draws(30))]
    pairs += [(a, None) for a in edges[::2]] + [(None, a) for a in edges[::2]]
    pairs += [
        (day, day + timedelta(days=1)) for day in (moment.replace(hour=0, minute=0, second=0) for moment in TIMES[:5])
    ]
    units = [unit_of(moment, storage) for moment in TIMES]
    for start, end in pairs:
        condition = within("t.c", storage, "sqlite", start, end)
        wanted = [
            n
            for n, (first, behind) in enumerate(units)
            if (start is None or behind > start) and (end is None or first < end)
        ]
        assert [n for (n,) in rows(cells, "n", where=condition)] == wanted, condition


RECURRING = [
    ("month", (12,)),
    ("month", (6, 7, 8)),
    ("quarter", (2,)),
    ("weekday", (6, 7)),
    ("day", (1, 15, 29)),
    ("hour", (9,)),
]


@pytest.mark.parametrize("name", STORAGES)
@pytest.mark.parametrize(("piece", "numbers"), RECURRING)
def test_what_comes_again_has_its_rows(name: str, piece: str, numbers: tuple[int, ...]) -> None:
    try:
        condition = recurring("t.c", STORAGES[name], "sqlite", piece, numbers)
    except QueryError:
        assert STORAGES[name].grain in ("year", "month") or piece == "hour"
        return
    of = {
        "month": lambda m: m.month,
        "quarter": lambda m: (m.month + 2) // 3,
        "weekday": lambda m: m.isoweekday(),
        "day": lambda m: m.day,
        "hour": lambda m: m.hour,
    }[piece]
    wanted = [n for n, moment in enumerate(TIMES) if of(moment) in numbers]
    assert [n for (n,) in rows(cells_of(name), "n", where=condition)] == wanted


@pytest.mark.parametrize("name", STORAGES)
def test_what_sorts_sorts_by_day(name: str) -> None:
    found = rows(cells_of(name), "n", sortable("t.c", STORAGES[name], "sqlite"))
    by_sql = [unit_of(TIMES[n], STORAGES[name])[0].date() for n, _ in sorted(found, key=lambda row: row[1])]
    assert by_sql == sorted(by_sql)


@pytest.mark.parametrize("name", STORAGES)
def test_ages_and_times_between_two_columns(name: str) -> None:
    storage, now = STORAGES[name], datetime(2026, 11, 27, 12, 30)
    pairs = list(pairwise(TIMES))
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a, b)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(written(a, name), written(b, "iso day")) for a, b in pairs])
    for unit in ("days", "years"):
        values = [
            age("a", storage, "sqlite", now, unit),
            elapsed("a", storage, "b", STORAGES["iso day"], "sqlite", unit),
        ]
        found = connection.execute(f"SELECT {', '.join(values)} FROM t").fetchall()
        reckon = whole_years if unit == "years" else lambda start, end: (end.date() - start.date()).days
        first = [unit_of(a, storage)[0] for a, _ in pairs]
        if storage.form == "year" and unit == "years":
            assert [years for years, _ in found] == [2026 - a.year for a, _ in pairs]
        else:
            wanted = [(reckon(a, now), reckon(a, b)) for a, (_, b) in zip(first, pairs, strict=True)]
            assert found == [
                (d, e if unit == "days" or e >= 0 else f[1]) for (d, e), f in zip(wanted, found, strict=True)
            ]
    connection.close()


@pytest.mark.parametrize("name", ["iso second", "unix", "unix ms"])
def test_hours_have_fractions(name: str) -> None:
    value = age("t.c", STORAGES[name], "sqlite", datetime(2026, 1, 1, 12), "hours")
    wanted = [(datetime(2026, 1, 1, 12) - moment).total_seconds() / 3600 for moment in TIMES]
    assert [found for (found,) in rows(cells_of(name), value)] == pytest.approx(wanted)
    with pytest.raises(QueryError):
        age("t.c", STORAGES["iso day"], "sqlite", datetime(2026, 1, 1), "hours")


@pytest.mark.parametrize("name", STORAGES)
def test_cells_that_say_no_time_are_in_no_interval_and_have_no_part(name: str) -> None:
    if not STORAGES[name].text:
        return
    storage, empty = replace(STORAGES[name], gaps=True), ["", "-", "n/a", "N/A", "unknown", "0000.00/00", None]
    for start, end in (
        (datetime(2001, 1, 1), None),
        (None, datetime(2020, 1, 1)),
        (datetime(1, 1, 1), datetime(9999, 1, 1)),
    ):
        assert rows(empty, "n", where=within("t.c", storage, "sqlite", start, end)) == []
    for piece in get_args(TimePart):
        try:
            value = part_of("t.c", storage, "sqlite", piece)
        except QueryError:
            continue
        assert rows(empty, value) == [(None,)] * len(empty), value


NUMBERS = [
    (NumberText(("$", ",")), ["$9,450", "$12.50", "7"], [9450.0, 12.5, 7.0]),
    (NumberText((" kg",), nothing=("N/A",)), ["12 kg", "N/A", "0.5 kg"], [12.0, None, 0.5]),
    (
        NumberText((".", " €"), decimal_comma=True, nothing=("", "-", "null")),
        ["1.234,5 €", "-", ""],
        [1234.5, None, None],
    ),
    (NumberText(("%",), nothing=("-999", "?", "-"), whole=True), ["12%", "-999", "?", "-5%"], [12, None, None, -5]),
]


@pytest.mark.parametrize(("number", "cells", "wanted"), NUMBERS)
def test_numbers_in_texts(number: NumberText, cells: list[str], wanted: list[float | None]) -> None:
    assert [found for (found,) in rows([*cells, None], number_of("t.c", number, "sqlite"))] == [*wanted, None]


def test_flags_say_yes_no_or_nothing() -> None:
    letters, figures = ["Y", "N", None, "Y"], [1, 0, None, 0]
    flag = FlagCells("Y", "N", "text")
    assert rows(letters, "n", where=is_set("t.c", flag, "sqlite", True)) == [(0,), (3,)]
    assert rows(letters, "n", where=is_set("t.c", flag, "sqlite", False)) == [(1,)]
    assert rows(letters, "n", where=is_set("t.c", FlagCells("Y", None, "text"), "sqlite", False)) == [(1,)]
    assert rows(figures, "n", where=is_set("t.c", FlagCells("1", "0", "number"), "sqlite", False)) == [(1,), (3,)]
