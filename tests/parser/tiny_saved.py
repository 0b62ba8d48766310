"""The tiny parser as a saved folder that finds its own values, and a database that its queries run on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import torch
from tiny import EXAMPLES, parser

from querent.data.domain import Domain, Entity
from querent.ner import ValueFinder
from querent.parser.collate import collate

CITIES = [("austin", "texas", 900), ("dallas", "texas", 1300), ("toledo", "ohio", 270), ("o'fallon", "ohio", 90)]
RIVERS = [("ohio", 981), ("red", 1360)]


def save(folder: Path, *, steps: int = 0) -> Path:
    """Save a parser with random weights, or after so many steps on the tiny domain's pairs."""
    made = parser(seed=1)
    optimizer = torch.optim.AdamW(made.model.parameter_groups(lr=3e-3, encoder_lr=3e-3))
    batch = collate([made.featurizer.example(e) for e in EXAMPLES])
    for _ in range(steps):
        made.model(**batch).loss.backward()
        torch.nn.utils.clip_grad_norm_(made.model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    known = {"city": [name for name, *_ in CITIES], "state": ["texas", "ohio"]}
    entities = tuple(Entity(name, type_) for type_, names in known.items() for name in names)
    domain = Domain("tiny", "en", "sqlite", made.grammar.schema, tuple(EXAMPLES), entities, source="tiny")
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
