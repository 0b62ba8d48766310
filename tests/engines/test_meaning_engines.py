"""What columns mean, as SQL of SQLite, MariaDB and PostgreSQL: the rows are those of Python's datetime."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any, get_args

import pytest
import sqlalchemy
from draws import draws
from servers import VARIABLES

from querent.data.errors import QueryError
from querent.meaning.flag_cells import is_set
from querent.meaning.number_texts import number_of
from querent.meaning.profile import FlagCells, NumberText
from querent.meaning.sql import TimePart, age, elapsed, part_of, recurring, sortable, within

sys.path.insert(0, str(Path(__file__).parents[1] / "meaning"))
from written_times import SERVER_STORAGES, STORAGES, moments, part, unit_of, whole_years, written

TIMES = moments(seed=7, count=draws(600))
NOW = datetime(2026, 11, 27, 12, 30)
NO_TIMES = ["", "-", "n/a", "unknown", "0000.00/00", None]
NO_DAYS = ["0000-00-00", "2024-02-31", "31/02/2024", "99/99/9999"]
"""At these, servers must not fail."""
EACH = pytest.mark.parametrize("name", SERVER_STORAGES)


@pytest.fixture(scope="module", params=["sqlite", *sorted(VARIABLES)])
def dialect(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def column(dialect: str, name: str) -> str:
    """Return the column of a storage."""
    if dialect == "sqlite" and name not in STORAGES:
        pytest.skip("SQLite has no types of times")
    return f"t.{_column(name)}"


@pytest.fixture(scope="module")
def connection(dialect: str, scratch: str) -> Iterator[sqlalchemy.Connection]:
    """Return a connection to a table with a column for each storage, and a second one with the next time."""
    native = {"native": "DATETIME" if dialect == "mysql" else "TIMESTAMP", "native day": "DATE"}
    kinds = native if dialect != "sqlite" else {}
    for name, storage in STORAGES.items():
        kinds.setdefault(name, "VARCHAR(30)" if storage.text else "BIGINT")
    columns = [column for name in kinds for column in (_column(name), f"{_column(name)}2")]
    rows = [
        {"n": n, **dict(zip(columns, (_cell(moment, name) for name in kinds for moment in pair), strict=True))}
        for n, pair in enumerate(pairwise(TIMES))
    ]
    with sqlalchemy.create_engine(scratch, isolation_level="AUTOCOMMIT").connect() as opened:
        spelled = ", ".join(f"{_column(name)} {kind}, {_column(name)}2 {kind}" for name, kind in kinds.items())
        opened.exec_driver_sql(f"CREATE TABLE t (n INTEGER, {spelled})")
        opened.execute(
            sqlalchemy.text(f"INSERT INTO t (n, {', '.join(columns)}) VALUES (:n, :{', :'.join(columns)})"), rows
        )
        cells = [{"c": cell} for cell in (*NO_TIMES, *(NO_DAYS if dialect != "sqlite" else ()))]
        opened.exec_driver_sql("CREATE TABLE cells (n INTEGER, c VARCHAR(20), yes BOOLEAN)")
        opened.exec_driver_sql("CREATE TABLE strange (c VARCHAR(40))")
        opened.execute(sqlalchemy.text("INSERT INTO strange VALUES (:c)"), cells)
        yield opened


def _column(storage: str) -> str:
    return "c_" + storage.replace(" ", "_")


def _cell(moment: datetime, name: str) -> Any:
    return moment if name.startswith("native") else written(moment, name)


def found(connection: sqlalchemy.Connection, value: str, where: str = "1 = 1", table: str = "t") -> list[Any]:
    """Return a value of the rows where a condition holds, plain."""
    order = " ORDER BY n" if table in ("t", "cells") else ""
    sql = f"SELECT {value} FROM {table} WHERE ({where}){order}"
    rows = connection.exec_driver_sql(sql, execution_options={"no_parameters": True}).fetchall()
    return [_plain(row[0]) for row in rows]


def _plain(cell: Any) -> Any:
    if isinstance(cell, Decimal):
        return float(cell)
    return cell.isoformat()[:10] if isinstance(cell, date) else cell


@EACH
def test_parts(connection: sqlalchemy.Connection, dialect: str, name: str, column: str) -> None:
    storage = SERVER_STORAGES[name]
    for piece in get_args(TimePart):
        wanted = [part(moment, piece) for moment in TIMES[:-1]]
        try:
            value = part_of(column, storage, dialect, piece)
        except QueryError:
            whole = storage.grain != "second" and piece not in ("year", "quarter", "month", "month of year")
            assert dialect != "sqlite" or storage.grain == "year" or whole
            continue
        numbers = piece == "month of year" or (piece == "year" and not (storage.text and dialect == "postgres"))
        if storage.form == "year" if dialect == "sqlite" else numbers:
            wanted = [int(number) for number in wanted]
        assert found(connection, value) == wanted, value
        if dialect == "sqlite" and piece in ("year", "month of year"):
            assert found(connection, part_of(column, storage, dialect, piece, number=True)) == [*map(int, wanted)]


@EACH
def test_intervals(connection: sqlalchemy.Connection, dialect: str, name: str, column: str) -> None:
    storage = SERVER_STORAGES[name]
    units = [unit_of(moment, storage) for moment in TIMES[:-1]]
    edges = [datetime(*day) for day in ((2000, 1, 1), (2004, 7, 1), (2013, 5, 17), (2020, 12, 1), (2024, 1, 1))]
    edges.append(TIMES[5].replace(minute=0, second=0))
    pairs = [*pairwise(sorted(edges)), (edges[1], None), (None, edges[2]), (edges[2], edges[2] + timedelta(days=1))]
    for start, end in pairs:
        condition = within(column, storage, dialect, start, end)
        wanted = [n for n, (a, b) in enumerate(units) if (start is None or b > start) and (end is None or a < end)]
        assert found(connection, "n", condition) == wanted, condition


RECURRING = {
    "month": (attrgetter("month"), (12,)),
    "quarter": (lambda moment: (moment.month + 2) // 3, (2,)),
    "weekday": (datetime.isoweekday, (6, 7)),
    "day": (attrgetter("day"), (1, 2, 3)),
    "hour": (attrgetter("hour"), (9,)),
}


@EACH
def test_what_comes_again_and_what_sorts(
    connection: sqlalchemy.Connection, dialect: str, name: str, column: str
) -> None:
    storage = SERVER_STORAGES[name]
    for piece, (of, numbers) in RECURRING.items():
        with suppress(QueryError):
            condition = recurring(column, storage, dialect, piece, numbers)
            wanted = [n for n, moment in enumerate(TIMES[:-1]) if of(moment) in numbers]
            assert found(connection, "n", condition) == wanted, condition
    keys = found(connection, sortable(column, storage, dialect))
    days = [unit_of(TIMES[n], storage)[0].date() for n in sorted(range(len(keys)), key=lambda n: keys[n])]
    assert days == sorted(days)


def _hours(start: datetime, end: datetime) -> float:
    return (end - start).total_seconds() / 3600


@EACH
@pytest.mark.parametrize("unit", ["days", "hours", "years"])
def test_durations(connection: sqlalchemy.Connection, dialect: str, name: str, column: str, unit: Any) -> None:
    storage = SERVER_STORAGES[name]
    if storage.offset and unit == "hours":
        pytest.skip("they count from UTC, minutes at the finest")
    try:
        between = elapsed(column, storage, f"{column}2", storage, dialect, unit)
    except QueryError:
        assert unit == "hours" or (dialect == "postgres" and storage.form != "native")
        return
    units = [unit_of(moment, storage)[0] for moment in TIMES]
    years = (lambda a, b: b.year - a.year) if storage.grain == "year" else whole_years
    reckon = {"days": lambda a, b: (b.date() - a.date()).days, "hours": _hours, "years": years}[unit]
    if unit == "years":
        assert found(connection, age(column, storage, dialect, NOW)) == [reckon(moment, NOW) for moment in units[:-1]]
    wanted = {n: reckon(a, b) for n, (a, b) in enumerate(pairwise(units)) if unit != "years" or a <= b}
    cells = found(connection, between)
    assert [cells[n] for n in wanted] == pytest.approx([*wanted.values()], abs=1e-3)


@pytest.mark.parametrize("name", [name for name, storage in SERVER_STORAGES.items() if storage.text])
def test_cells_that_say_no_time_are_no_errors(connection: sqlalchemy.Connection, dialect: str, name: str) -> None:
    storage = replace(SERVER_STORAGES[name], gaps=True)
    for end in (datetime(2020, 1, 1), datetime(9999, 1, 1)) if dialect == "sqlite" else (datetime(2020, 1, 1),):
        assert found(connection, "c", within("strange.c", storage, dialect, None, end), "strange") == []
    place = ("strange.c", storage, dialect)
    for piece in (*get_args(TimePart), *(("age",) if dialect != "sqlite" else ())):
        with suppress(QueryError):
            sql = age(*place, NOW) if piece == "age" else part_of(*place, piece)
            assert found(connection, sql, table="strange")[: len(NO_TIMES)] == [None] * len(NO_TIMES), sql


def test_zero_dates_of_mysql(connection: sqlalchemy.Connection, dialect: str) -> None:
    if dialect != "mysql":
        pytest.skip("PostgreSQL has no such dates")
    storage = replace(SERVER_STORAGES["native"], gaps=True)
    connection.exec_driver_sql("SET SESSION sql_mode = ''")
    connection.exec_driver_sql("CREATE TABLE zeros (c DATETIME)")
    connection.exec_driver_sql("INSERT INTO zeros VALUES ('0000-00-00 00:00:00')")
    for mode in ("", "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE"):
        connection.exec_driver_sql(f"SET SESSION sql_mode = '{mode}'")
        for piece in get_args(TimePart):
            assert found(connection, part_of("zeros.c", storage, dialect, piece), table="zeros") == [None]
        assert found(connection, "1", within("zeros.c", storage, dialect, None, datetime(2020, 1, 1)), "zeros") == []


NUMBERS = [
    (NumberText(("$", ","), nothing=("N/A",)), ["$9,450", "N/A", "$12.50", "7"], [9450.0, None, 12.5, 7.0]),
    (NumberText((" kg",), nothing=("N/A",)), ["12 kg", "N/A", "0.5 kg"], [12.0, None, 0.5]),
    (
        NumberText((".", " €"), decimal_comma=True, nothing=("", "-", "null")),
        ["1.234,5 €", "-", ""],
        [1234.5, None, None],
    ),
    (NumberText(("%",), nothing=("-999", "?", "-"), whole=True), ["12%", "-999", "?", "-5%"], [12, None, None, -5]),
]


@pytest.mark.parametrize(("number", "cells", "wanted"), NUMBERS)
def test_numbers_in_texts(
    connection: sqlalchemy.Connection, dialect: str, number: NumberText, cells: list[str], wanted: list[float | None]
) -> None:
    if dialect == "postgres":
        pytest.skip("PostgreSQL fails at a text that is no number")
    connection.exec_driver_sql("DELETE FROM cells")
    rows = [{"n": n, "c": cell} for n, cell in enumerate([*cells, None])]
    connection.execute(sqlalchemy.text("INSERT INTO cells (n, c) VALUES (:n, :c)"), rows)
    assert found(connection, number_of("cells.c", number, dialect), table="cells") == [*wanted, None]


def test_flags_say_yes_no_or_nothing(connection: sqlalchemy.Connection, dialect: str) -> None:
    connection.exec_driver_sql("DELETE FROM cells")
    connection.exec_driver_sql("INSERT INTO cells VALUES (0, 'Y', TRUE), (1, 'N', FALSE), (2, NULL, NULL)")
    letters = FlagCells("Y", "N", "text")
    figures = FlagCells("true", "false", "boolean") if dialect == "postgres" else FlagCells("1", "0", "number")
    for column, flag in (("cells.c", letters), ("cells.yes", figures), ("cells.c", FlagCells("Y", None, "text"))):
        for yes in (True, False):
            assert found(connection, "n", is_set(column, flag, dialect, yes), "cells") == [int(not yes)]
