"""A domain of two tables and thirty pairs, and a run on it, for tests that train."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from reader_cases import write_encoder

from querent.data.domains.loading import load_domain
from querent.evaluation.scored_run import train
from querent.parser.settings.options import TrainConfig

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
SMALL = (
    "model.base=none",
    "model.frozen=1",
    "model.width=32",
    "model.layers=1",
    "model.decoder_layers=1",
    "model.heads=2",
    "model.dropout=0",
    "optim.epochs=4",
    "optim.batch_size=10",
    "optim.lr=4e-3",
    "optim.encoder_lr=1e-3",
    "optim.average=0.9",
    "augment.sampled=0",
    "augment.rehearsed=0",
    "augment.strange=0",
    "eval.beam=1",
    "eval.dev_examples=2",
    "eval.train_examples=1",
    "threads=1",
)
"""Options of a run of seconds; its encoder they lack."""

BY_HEART = (
    "optim.epochs=30",
    "optim.batch_size=5",
    "eval.every=30",
    "eval.dev_examples=5",
    "eval.train_examples=5",
    "seed=2",
)
"""Options of a run that learns the training part by heart."""


def write(folder: Path, *, sql: str | None = None, database: bool = True) -> Path:
    """Write the domain folder: per prototype four training pairs, one for dev, one for test.

    Args:
        sql: of a sixth prototype, «what of {s}».
        database: whether there is one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    about = 'name = "tiny"\nlanguage = "en"\ndialect = "sqlite"\n' + ('database = "tiny.sqlite"\n' if database else "")
    (folder / "domain.toml").write_text(about, encoding="utf-8")
    (folder / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    says = {"sql": "maine", "type": "state", "says": ["the pine tree state"]}
    (folder / "entities.jsonl").write_text(json.dumps(says) + "\n", encoding="utf-8")
    lines: list[str] = []
    for name, (question, query) in (PROTOTYPES | ({"more": ("what of {s}", sql)} if sql else {})).items():
        for n, state in enumerate(STATES):
            filled = {"s": state, "n": (n + 1) * 1000}
            pair = {"id": f"{name}-{n}", "question": question.format(**filled), "sql": query.format(**filled)}
            split = "train" if n < 4 else ("dev", "test")[n - 4]
            lines.append(json.dumps({**pair, "prototype": name, "split": split}))
    (folder / "examples.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if database:
        (folder / "tiny.sqlite").unlink(missing_ok=True)
        with closing(sqlite3.connect(folder / "tiny.sqlite")) as connection, connection:
            connection.executescript(SCHEMA)
            for n, state in enumerate(STATES):
                connection.execute("INSERT INTO state VALUES (?, ?)", (state, 100.0 * n))
                connection.execute("INSERT INTO city VALUES (?, ?, ?)", (f"{state} town", state, 1500 * n))
    return folder


def options(encoder: str | Path, *more: str) -> list[str]:
    """Return the options of a small run upon a saved encoder; of two settings for one option the last holds."""
    return [*SMALL, f"model.encoder={encoder}", *more]


def learnt(folder: Path) -> Path:
    """Write the domain and the encoder into a folder, and a run on them that knows its pairs by heart; return it."""
    encoder = write_encoder(folder / "encoder")
    domain = load_domain(write(folder / "domain"))
    return train(TrainConfig.load(None, options(encoder, *BY_HEART)), domain, folder / "run")
