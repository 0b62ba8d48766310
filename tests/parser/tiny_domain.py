"""A domain of two tables and thirty pairs, for tests that train."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

SCHEMA = """
CREATE TABLE city (name TEXT PRIMARY KEY, state TEXT, people INTEGER);
CREATE TABLE state (name TEXT PRIMARY KEY, area REAL);
"""
STATES = ("texas", "ohio", "utah", "maine", "iowa", "idaho")
PROTOTYPES = {
    "cities": ("which cities are in {s}", "SELECT name FROM city WHERE state = '{s}'"),
    "count": ("how many cities are in {s}", "SELECT COUNT(*) FROM city WHERE state = '{s}'"),
    "area": ("what is the area of {s}", "SELECT area FROM state WHERE name = '{s}'"),
    "big": ("cities of {s} over {n} people", "SELECT name FROM city WHERE state = '{s}' AND people > {n}"),
    "most": ("the largest city of {s}", "SELECT name FROM city WHERE state = '{s}' ORDER BY people DESC LIMIT 1"),
}


def write(folder: Path) -> Path:
    """Write the domain folder: per prototype four training pairs, one for dev, one for test."""
    folder.mkdir(parents=True, exist_ok=True)
    about = 'name = "tiny"\nlanguage = "en"\ndialect = "sqlite"\ndatabase = "tiny.sqlite"\n'
    (folder / "domain.toml").write_text(about, encoding="utf-8")
    (folder / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    lines = []
    for name, (question, sql) in PROTOTYPES.items():
        for n, state in enumerate(STATES):
            filled = {"s": state, "n": (n + 1) * 1000}
            pair = {"id": f"{name}-{n}", "question": question.format(**filled), "sql": sql.format(**filled)}
            split = "train" if n < 4 else ("dev", "test")[n - 4]
            lines.append(json.dumps({**pair, "prototype": name, "split": split}))
    (folder / "examples.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with sqlite3.connect(folder / "tiny.sqlite") as connection:
        connection.executescript(SCHEMA)
        for n, state in enumerate(STATES):
            connection.execute("INSERT INTO state VALUES (?, ?)", (state, 100.0 * n))
            connection.execute("INSERT INTO city VALUES (?, ?, ?)", (f"{state} town", state, 1500 * n))
    connection.close()
    return folder


OPTIONS = (
    "optim.steps=30",
    "optim.batch_size=4",
    "eval.every=5",
    "eval.log_every=1",
    "classifiers.epochs=2",
    "ner.epochs=1",
    "model.encoder=scratch",
    "model.encoder_layers=1",
    "model.encoder_width=32",
    "model.word_pieces=80",
    "model.width=32",
    "model.layers=1",
    "model.heads=2",
    "constraint.budget=30",
    "device=cpu",
)
"""Overrides that make a run of seconds."""
