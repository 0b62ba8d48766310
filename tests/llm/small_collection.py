"""A collection of two databases that are learnt and one that is held out, laid out as Spider's."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from scripted import DDL, ROWS

ZOO = "CREATE TABLE animal (id INTEGER PRIMARY KEY, name TEXT, weight INTEGER, born INTEGER, cage TEXT);"
ANIMALS = "INSERT INTO animal VALUES (1, 'Leo', 190, 2001, 'A'), (2, 'Tim', 40, 2003, 'B'), (3, 'Ida', 12, 2009, 'B');"
TRAIN = "CREATE TABLE train (id INTEGER PRIMARY KEY, name TEXT, speed INTEGER);"
TRAINS = "INSERT INTO train VALUES (1, 'Arrow', 200), (2, 'Snail', 60);"
SCRIPTS = {"books": DDL + ROWS, "zoo": ZOO + ANIMALS, "trains": TRAIN + TRAINS}
JOINED = "SELECT T1.country FROM author AS T1 JOIN book AS T2 ON T1.name = T2.author WHERE T2.pages > 300"
PAIRS = (
    ("books", "how many books are there?", "SELECT count(*) FROM book"),
    ("books", "who wrote Dune?", "SELECT author FROM book WHERE title = 'Dune'"),
    ("books", "where are the writers of long books from?", JOINED),
    ("zoo", "how many animals are there?", "SELECT count(*) FROM animal"),
    ("zoo", "which animals are in cage B?", "SELECT name FROM animal WHERE cage = 'B'"),
    ("zoo", "which animals are in cage Z?", "SELECT name FROM animal WHERE cage = 'Z'"),
    ("trains", "how many trains are there?", "SELECT count(*) FROM train"),
    ("trains", "how fast is the Arrow?", "SELECT speed FROM train WHERE name = 'Arrow'"),
)


def write_collection(folder: Path) -> str:
    """Write it, and return its spec."""
    listed = []
    for name, script in SCRIPTS.items():
        (folder / "database" / name).mkdir(parents=True)
        with closing(sqlite3.connect(folder / "database" / name / f"{name}.sqlite")) as database:
            database.executescript(script)
            listed.append(_listed(name, database))
    (folder / "tables.json").write_text(json.dumps(listed))
    pairs = [{"db_id": name, "question": question, "query": sql} for name, question, sql in PAIRS]
    (folder / "train_spider.json").write_text(json.dumps(pairs))
    return f"spider:{folder}"


def _listed(name: str, database: sqlite3.Connection) -> dict[str, object]:
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = [
        [place, row[1]] for place, table in enumerate(tables) for row in database.execute(f"PRAGMA table_info({table})")
    ]
    return {
        "db_id": name,
        "table_names": tables,
        "table_names_original": tables,
        "column_names": [[-1, "*"], *columns],
        "column_names_original": [[-1, "*"], *columns],
        "column_types": ["text"] * (1 + len(columns)),
        "primary_keys": [],
        "foreign_keys": [],
    }
