"""The tiny parser as a saved folder that finds its own values, and a database that its queries run on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tiny import EXAMPLES, parser

from querent.data.domain import Domain
from querent.ner import ValueFinder

CITIES = [("austin", "texas", 900), ("dallas", "texas", 1300), ("toledo", "ohio", 270), ("o'fallon", "ohio", 90)]
RIVERS = [("ohio", 981), ("red", 1360)]


def save(folder: Path) -> Path:
    """Save a parser with random weights."""
    made = parser()
    schema = made.grammar.schema
    domain = Domain("tiny", "en", "sqlite", schema, tuple(EXAMPLES), source="tiny")
    made.finder = ValueFinder.fit(EXAMPLES, domain=domain, epochs=1)
    made.save_pretrained(folder)
    return folder


def write_database(file: Path) -> Path:
    """Write the SQLite database of the tiny schema."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE CITY (NAME TEXT, STATE TEXT, PEOPLE INTEGER)")
        connection.execute("CREATE TABLE RIVER (NAME TEXT, LENGTH INTEGER)")
        connection.executemany("INSERT INTO CITY VALUES (?, ?, ?)", CITIES)
        connection.executemany("INSERT INTO RIVER VALUES (?, ?)", RIVERS)
    return file
