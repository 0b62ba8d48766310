"""What columns mean, as SQL of MariaDB and PostgreSQL: the rows are those of Python's datetime."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest
import sqlalchemy

from querent.data.errors import QueryError
from querent.meaning.profile import FlagCells, NumberText
from querent.meaning.sql import TimePart, age, elapsed, is_set, number_of, part_of, recurring, sortable, within

sys.path.insert(0, str(Path(__file__).parents[1] / "data" / "profiles"))
from written_times import SERVER_STORAGES, moments, part, unit_of, whole_years, written

TIMES = moments(seed=7, count=120)
NOW = datetime(2026, 11, 27, 12, 30)
NO_TIMES = ["", "-", "n/a", "unknown", "0000-00-00", "2024-02-31", "31/02/2024", "99/99/9999", None]


@pytest.fixture(scope="module")
def connection(dialect: str, scratch: str) -> Iterator[sqlalchemy.Connection]:
    """Return a connection to a table with a column for each storage, and a second one with the next time."""
    types = {True: "VARCHAR(40)", False: "BIGINT"}
    native = {"native": "DATETIME" if dialect == "mysql" else "TIMESTAMP", "native day": "DATE"}
    columns = {name: native.get(name, types[storage.text]) for name, storage in SERVER_STORAGES.items()}
    spelled = ", ".join(f"{_name(name)} {kind}, {_name(name)}2 {kind}" for name, kind in columns.items())
    with sqlalchemy.create_engine(scratch, isolation_level="AUTOCOMMIT").connect() as opened:
        opened.exec_driver_sql(f"CREATE TABLE t (n INTEGER, {spelled})")
        opened.exec_driver_sql("CREATE TABLE strange (c VARCHAR(40))")
        opened.execute(sqlalchemy.text("INSERT INTO strange VALUES (:c)"), [{"c": cell} for cell in NO_TIMES])
        rows = [
            {"n": n, **{key: cell for name in columns for key, cell in _pair(name, a, b)}}
            for n, (a, b) in enumerate(pairwise(TIMES))
        ]
        marks = ", ".join(f":{_name(name)}, :{_name(name)}2" for name in columns)
        opened.execute(sqlalchemy.text(f"INSERT INTO t VALUES (:n, {marks})"), rows)
        yield opened


def _name(storage: str) -> str:
    return "c_" + storage.replace(" ", "_")


def _pair(name: str, first: datetime, second: datetime) -> list[tuple[str, Any]]:
    cells = [moment if name.startswith("native") else written(moment, name) for moment in (first, second)]
    return [(_name(name), cells[0]), (f"{_name(name)}2", cells[1])]


def found(connection: sqlalchemy.Connection, value: str, where: str = "1 = 1", table: str = "t") -> list[Any]:
    """Return a value of the rows where a condition holds, plain."""
    order = " ORDER BY n" if table == "t" else ""
    sql = f"SELECT {value} FROM {table} WHERE ({where}){order}"
    rows = connection.exec_driver_sql(sql, execution_options={"no_parameters": True}).fetchall()
    return [_plain(row[0]) for row in rows]


def _plain(cell: Any) -> Any:
    if isinstance(cell, Decimal):
        return float(cell)
    return cell.isoformat()[:10] if isinstance(cell, date) else cell


@pytest.mark.parametrize("name", SERVER_STORAGES)
def test_parts(connection: sqlalchemy.Connection, dialect: str, name: str) -> None:
    storage, ref = SERVER_STORAGES[name], f"t.{_name(name)}"
    for piece in get_args(TimePart):
        try:
            value = part_of(ref, storage, dialect, piece)
        except QueryError:
            continue
        wanted = [part(moment, piece) for moment in TIMES[:-1]]
        if piece == "month of year" or (piece == "year" and not (storage.text and dialect == "postgres")):
            wanted = [int(number) for number in wanted]
        assert found(connection, value) == wanted, value


@pytest.mark.parametrize("name", SERVER_STORAGES)
def test_intervals(connection: sqlalchemy.Connection, dialect: str, name: str) -> None:
    storage, ref = SERVER_STORAGES[name], f"t.{_name(name)}"
    units = [unit_of(moment, storage) for moment in TIMES[:-1]]
    edges = [
        datetime(2000, 1, 1),
        datetime(2004, 7, 1),
        datetime(2013, 5, 17),
        datetime(2020, 12, 1),
        datetime(2024, 1, 1),
    ]
    edges.append(TIMES[5].replace(minute=0, second=0))
    pairs = [*pairwise(sorted(edges)), (edges[1], None), (None, edges[2]), (edges[2], edges[2] + timedelta(days=1))]
    for start, end in pairs:
        condition = within(ref, storage, dialect, start, end)
        wanted = [n for n, (a, b) in enumerate(units) if (start is None or b > start) and (end is None or a < end)]
        assert found(connection, "n", condition) == wanted, condition


@pytest.mark.parametrize("name", SERVER_STORAGES)
def test_what_comes_again_and_what_sorts(connection: sqlalchemy.Connection, dialect: str, name: str) -> None:
    storage, ref = SERVER_STORAGES[name], f"t.{_name(name)}"
    for piece, numbers in (
        ("month", (12,)),
        ("quarter", (2,)),
        ("weekday", (6, 7)),
        ("day", (1, 2, 3)),
        ("hour", (9,)),
    ):
        try:
            condition = recurring(ref, storage, dialect, piece, numbers)
        except QueryError:
            continue
        of = {
            "month": lambda m: m.month,
            "quarter": lambda m: (m.month + 2) // 3,
            "weekday": lambda m: m.isoweekday(),
            "day": lambda m: m.day,
            "hour": lambda m: m.hour,
        }[piece]
        wanted = [n for n, moment in enumerate(TIMES[:-1]) if of(moment) in numbers]
        assert found(connection, "n", condition) == wanted, condition
    keys = found(connection, sortable(ref, storage, dialect))
    days = [unit_of(TIMES[n], storage)[0].date() for n in sorted(range(len(keys)), key=lambda n: keys[n])]
    assert days == sorted(days)


@pytest.mark.parametrize("name", SERVER_STORAGES)
@pytest.mark.parametrize("unit", ["days", "hours", "years"])
def test_durations(connection: sqlalchemy.Connection, dialect: str, name: str, unit: Any) -> None:
    storage, ref = SERVER_STORAGES[name], f"t.{_name(name)}"
    try:
        values = age(ref, storage, dialect, NOW, unit), elapsed(ref, storage, f"{ref}2", storage, dialect, unit)
    except QueryError:
        assert unit == "hours" or (dialect == "postgres" and storage.form != "native")
        return
    units = [unit_of(moment, storage)[0] for moment in TIMES]
    reckon = {
        "days": lambda a, b: (b.date() - a.date()).days,
        "hours": lambda a, b: (b - a).total_seconds() / 3600,
        "years": whole_years,
    }[unit]
    if storage.grain == "year":
        reckon = lambda a, b: b.year - a.year if unit == "years" else (b.date() - a.date()).days  # noqa: E731
    clock = NOW if unit == "hours" else datetime(NOW.year, 1, 1) if storage.grain == "year" and unit == "years" else NOW
    assert found(connection, values[0]) == pytest.approx([reckon(moment, clock) for moment in units[:-1]], abs=1e-3)
    wanted = [(n, reckon(a, b)) for n, (a, b) in enumerate(pairwise(units)) if unit != "years" or a <= b]
    between = found(connection, values[1])
    assert [between[n] for n, _ in wanted] == pytest.approx([value for _, value in wanted], abs=1e-3)


@pytest.mark.parametrize("name", [name for name, storage in SERVER_STORAGES.items() if storage.text])
def test_cells_that_say_no_time_are_no_errors(connection: sqlalchemy.Connection, dialect: str, name: str) -> None:
    storage = replace(SERVER_STORAGES[name], gaps=True)
    assert found(connection, "c", within("strange.c", storage, dialect, None, datetime(2020, 1, 1)), "strange") == []
    for value in (*get_args(TimePart), "days", "years"):
        try:
            sql = (
                age("strange.c", storage, dialect, NOW, value)
                if value in ("days", "years")
                else part_of("strange.c", storage, dialect, value)
            )
        except QueryError:
            continue
        cells = found(connection, sql, table="strange")
        assert [cells[n] for n in (0, 1, 2, 3, 8)] == [None] * 5, sql


def test_zero_dates_of_mysql(connection: sqlalchemy.Connection, dialect: str) -> None:
    if dialect != "mysql":
        return
    storage = replace(SERVER_STORAGES["native"], gaps=True)
    connection.exec_driver_sql("SET SESSION sql_mode = ''")
    connection.exec_driver_sql("CREATE TABLE zeros (c DATETIME)")
    connection.exec_driver_sql("INSERT INTO zeros VALUES ('0000-00-00 00:00:00')")
    for mode in ("", "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE"):
        connection.exec_driver_sql(f"SET SESSION sql_mode = '{mode}'")
        for piece in get_args(TimePart):
            assert found(connection, part_of("zeros.c", storage, dialect, piece), table="zeros") == [None]
        assert found(connection, "1", within("zeros.c", storage, dialect, None, datetime(2020, 1, 1)), "zeros") == []


def test_numbers_and_flags(connection: sqlalchemy.Connection, dialect: str) -> None:
    connection.exec_driver_sql("CREATE TABLE cells (c VARCHAR(20), yes BOOLEAN)")
    rows = [{"c": cell, "yes": yes} for cell, yes in (("$9,450", True), ("N/A", False), ("$12.5", None))]
    connection.execute(sqlalchemy.text("INSERT INTO cells VALUES (:c, :yes)"), rows)
    flag = FlagCells("1", "0", "number") if dialect == "mysql" else FlagCells("true", "false", "boolean")
    assert found(connection, "c", is_set("cells.yes", flag, dialect, True), "cells") == ["$9,450"]
    assert found(connection, "c", is_set("cells.yes", flag, dialect, False), "cells") == ["N/A"]
    if dialect == "mysql":
        number = NumberText(("$", ","), nothing=("N/A",))
        assert found(connection, number_of("cells.c", number, dialect), table="cells") == [9450.0, None, 12.5]
