"""Questions over keys into the same table, each with its rows: who somebody's chief is, what lies under what.

A pilot has a wingman and an instructor, so that the question says which of the two keys it means.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import querent

SCHEMA = """
CREATE TABLE firefighter (
    badge INTEGER PRIMARY KEY, name TEXT, chief_badge INTEGER REFERENCES firefighter (badge), rank TEXT,
    joined DATE, pay INTEGER
);
CREATE TABLE region (
    region_id INTEGER PRIMARY KEY, title TEXT, parent_region_id INTEGER REFERENCES region (region_id), area_km2 INTEGER
);
"""
TWO_KEYS = """
CREATE TABLE pilot (
    pilot_id INTEGER PRIMARY KEY, name TEXT, base TEXT, hours INTEGER, wingman_id INTEGER REFERENCES pilot (pilot_id),
    instructor_id INTEGER REFERENCES pilot (pilot_id)
);
"""
PILOTS = [
    (1, "Hilma", "Kiruna", 5200, None, None), (2, "Oskar", "Visby", 4100, 3, 1), (3, "Petra", "Kiruna", 4500, 2, 1),
    (4, "Quirin", "Visby", 700, 5, 2), (5, "Rosa", "Kiruna", 900, 4, 2), (6, "Sven", "Visby", 300, 2, 3),
]  # fmt: skip
ROWS = {
    "firefighter": [
        (1, "Hilma", None, "captain", "2001-05-02", 5200),
        (2, "Oskar", 1, "officer", "2008-09-15", 4100),
        (3, "Petra", 1, "officer", "1999-02-20", 5400),
        (4, "Quirin", 2, "private", "2015-03-01", 3100),
        (5, "Rosa", 2, "private", "2006-07-11", 3300),
        (6, "Sven", 3, "private", "2018-01-08", 2900),
    ],
    "region": [
        (1, "Coast", None, 900), (2, "Dunes", 1, 200), (3, "Marsh", 1, 300), (4, "Reed Bed", 3, 40),
        (5, "Hills", None, 700),
    ],
}  # fmt: skip

ENGLISH = {
    "who is the chief of Quirin?": {("Oskar",)},
    "who is Petra's chief?": {("Hilma",)},
    "which firefighters have Oskar as their chief?": {("Quirin",), ("Rosa",)},
    "how many firefighters have Hilma as chief?": {(2,)},
    "how many firefighters does each chief have?": {("Hilma", 2), ("Oskar", 2), ("Petra", 1)},
    "which firefighters earn more than their chief?": {("Petra",)},
    "firefighters who joined before their chief": {("Petra",), ("Rosa",)},
    "who has no chief?": {("Hilma",)},
    "list each firefighter with the name of their chief": {
        ("Hilma", None), ("Oskar", "Hilma"), ("Petra", "Hilma"), ("Quirin", "Oskar"), ("Rosa", "Oskar"),
        ("Sven", "Petra"),
    },
    "average pay of the firefighters whose chief is Oskar": {(3200,)},
    "what is the parent region of Marsh?": {("Coast",)},
    "which regions belong to Coast?": {("Dunes",), ("Marsh",)},
}  # fmt: skip
EITHER = {
    "who is the wingman of Oskar?": {("Petra",)},
    "who is the instructor of Oskar?": {("Hilma",)},
    "pilots whose wingman is Oskar": {("Petra",), ("Sven",)},
    "pilots whose instructor is Oskar": {("Quirin",), ("Rosa",)},
    "which pilots have Oskar as their wingman?": {("Petra",), ("Sven",)},
    "which pilots have Hilma as their instructor?": {("Oskar",), ("Petra",)},
    "which pilots have more hours than their wingman?": {("Petra",), ("Rosa",)},
    "how many pilots does each instructor have?": {("Hilma", 2), ("Oskar", 2), ("Petra", 1)},
    "average hours of the pilots whose instructor is Oskar": {(800,)},
    "average hours of the pilots whose wingman is Oskar": {(2400,)},
    "list each pilot with the name of their instructor": {
        ("Hilma", None), ("Oskar", "Hilma"), ("Petra", "Hilma"), ("Quirin", "Oskar"), ("Rosa", "Oskar"),
        ("Sven", "Petra"),
    },
}  # fmt: skip
CHINESE = {
    "Quirin的上级是谁？": {("Oskar",)},
    "哪些消防员的上级是Oskar？": {("Quirin",), ("Rosa",)},
    "哪些消防员的工资比上级高？": {("Petra",)},
    "哪些消防员没有上级？": {("Hilma",)},
    "每个上级有多少消防员？": {("Hilma", 2), ("Oskar", 2), ("Petra", 1)},
}


@pytest.fixture(scope="module")
def station(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("station") / "station.sqlite"
    with sqlite3.connect(file) as connection:
        connection.executescript(SCHEMA)
        for table, rows in ROWS.items():
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    return file


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Iterator[querent.Connection]:
    file = tmp_path_factory.mktemp("station") / "站.sqlite"
    rows = ROWS["firefighter"]
    with sqlite3.connect(file) as connection:
        connection.execute(
            "CREATE TABLE 消防员 (编号 INTEGER PRIMARY KEY, 姓名 TEXT, 上级编号 INTEGER REFERENCES 消防员 (编号),"
            " 职务 TEXT, 入职日期 DATE, 工资 INTEGER)"
        )
        connection.executemany(f"INSERT INTO 消防员 VALUES ({', '.join('?' * 6)})", rows)
    with querent.connect(str(file), language="zh") as connected:
        yield connected


@pytest.fixture(scope="module")
def english(station: Path) -> Iterator[querent.Connection]:
    with querent.connect(str(station)) as connection:
        yield connection


@pytest.fixture(scope="module")
def pilots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[querent.Connection]:
    file = tmp_path_factory.mktemp("wing") / "wing.sqlite"
    with sqlite3.connect(file) as connection:
        connection.executescript(TWO_KEYS)
        connection.executemany(f"INSERT INTO pilot VALUES ({', '.join('?' * 6)})", PILOTS)
    with querent.connect(str(file)) as connected:
        yield connected


@pytest.mark.parametrize("question", EITHER)
def test_either_of_two_keys(pilots: querent.Connection, question: str) -> None:
    answer = pilots.ask(question)
    assert set(answer.rows or ()) == EITHER[question], answer.sql


@pytest.mark.parametrize("question", ENGLISH)
def test_english(english: querent.Connection, question: str) -> None:
    answer = english.ask(question)
    assert set(answer.rows or ()) == ENGLISH[question], answer.sql


@pytest.mark.parametrize("question", CHINESE)
def test_chinese(chinese: querent.Connection, question: str) -> None:
    answer = chinese.ask(question)
    assert set(answer.rows or ()) == CHINESE[question], answer.sql
