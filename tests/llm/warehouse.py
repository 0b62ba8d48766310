"""A database of many tables: a few that belong together, among others that nobody asks for."""

import sqlite3
from contextlib import closing
from pathlib import Path

SINGERS = """
CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, birth_year INTEGER);
CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, title TEXT, theme TEXT, year INTEGER);
CREATE TABLE appearance (
    singer_id INTEGER REFERENCES singer (singer_id), concert_id INTEGER REFERENCES concert (concert_id)
);
INSERT INTO singer VALUES (1, 'Nina Simone', 'USA', 1933), (2, 'Björk', 'Iceland', 1965), (3, 'Sade', 'England', 1959);
INSERT INTO concert VALUES (1, 'Winter night', 'Jazz', 1999), (2, 'Summer day', 'Pop', 2004);
INSERT INTO appearance VALUES (1, 1), (2, 2), (3, 2);
"""

WORDS = """
invoice supplier shipment pallet forklift warehouse shelf barcode carrier customs tariff container harbour vessel crew
voyage cargo anchor lighthouse ferry timetable ticket passenger luggage gate airport runway aircraft engine turbine
boiler valve sensor alarm operator shift payroll contract pension insurance claim adjuster policy premium broker
portfolio bond coupon dividend ledger voucher audit budget forecast campaign banner leaflet
"""
OTHERS = WORDS.split()


def make_warehouse(file: Path, *, others: int = len(OTHERS)) -> Path:
    """Write the three tables of singers, and others with five columns each."""
    with closing(sqlite3.connect(file)) as database:
        database.executescript(SINGERS)
        for name in OTHERS[:others]:
            database.execute(
                f"CREATE TABLE {name} ({name}_no INTEGER PRIMARY KEY, {name}_label TEXT, received DATE, weight REAL, "
                f"state TEXT)"
            )
            database.execute(f"INSERT INTO {name} VALUES (1, 'first', '2024-01-02', 1.5, 'open')")
        database.commit()
    return file
