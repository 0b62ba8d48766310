"""A recipe of two dozen questions on a tiny encoder, with the data that it names: made in seconds."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

from reader_cases import DDL, ROWS, write_encoder
from rich.console import Console
from test_learning_training import PAIRS

from bench.accuracy.union_schemas import described
from bench.train.__main__ import KINDS, read
from bench.train.walk import Walk
from querent.data.databases.schema_readers import from_ddl, from_sqlite
from querent.data.shipped import shipped_database

HELD = "club"
"""A database whose name is held out."""

BANKS = {
    "music": """
domain = "music"
[concepts]
"year" = ["year"]

[[formula]]
name = "age of an album"
kind = "calculation"
is = "2000 - year"
""",
    "staff": """
domain = "staff"
[concepts]
"salary" = ["salary"]

[[formula]]
name = "yearly pay"
kind = "calculation"
is = "12 * salary"
""",
}
FORMULAS = (
    {
        "id": "k1",
        "db": "music_plain",
        "question": "what is the age of an album called Debut?",
        "sql": "SELECT 2000 - album.year FROM album WHERE album.title = 'Debut'",
        "formulas": [{"name": "age of an album", "is": "2000 - year"}],
        "grounding": {"year": "album.year"},
    },
    {
        "id": "k2",
        "db": "staff_plain",
        "question": "what is the yearly pay of Ada?",
        "sql": "SELECT 12 * employee.salary FROM employee WHERE employee.name = 'Ada'",
        "formulas": [{"name": "yearly pay", "is": "12 * salary"}],
        "grounding": {"salary": "employee.salary"},
    },
)

SHOP = {
    "how many orders are there?": "SELECT COUNT(*) FROM orders",
    "which customers live in Berlin?": "SELECT cust_name FROM customers WHERE city = 'Berlin'",
    "what is the ship cost of all orders?": "SELECT ship_cost FROM orders",
    "what is the status of all orders?": "SELECT status FROM orders",
    "what is the ship city of all orders?": "SELECT ship_city FROM orders",
    "what is the cat name of all categories?": "SELECT cat_name FROM categories",
}

SMALL = """
encoder = "{encoder}"
frozen = 1
network = {{ width = 32, layers = 1, decoder_layers = 1, heads = 2, dropout = 0.0 }}

[data.tiny]
read = "spider:tiny"
sha256 = "{tiny}"
source = "Tiny questions (Nobody 2026)"
license = "CC0"

[data.reworded]
read = "questions:reworded"
on = "tiny"
sha256 = "{reworded}"
source = "Tiny questions in other words"
license = "MIT"

[data.talk]
read = "dialogues:talk.json"
on = "tiny"
sha256 = "{talk}"
source = "Tiny dialogues"
license = "MIT"

[data.shop]
read = "spider:shop"
sha256 = "{shop}"
source = "The shop that ships with Querent"
license = "Apache-2.0"

[data.bench]
read = "knowbench:bench.tar.xz"
sha256 = "{bench}"
source = "Tiny formulas"
license = "MIT"

[stages.questions]
kind = "lessons"
lines = [
    {{ family = "asked", sets = ["tiny", "reworded"] }},
    {{ family = "unanswerable", sets = ["tiny"], share = 0.2 }},
    {{ family = "judge", sets = ["tiny"] }},
]

[stages.talks]
kind = "lessons"
lines = [{{ family = "dialogues", sets = ["talk"] }}]

[stages.first]
kind = "train"
lessons = ["questions", "talks"]
epochs = 36
lr = 4e-3
batch = 4
average = 0.8
judged = 36

[stages.second]
kind = "train"
start = "first"
lessons = ["questions"]
epochs = 2
lr = 4e-3
batch = 4
average = 0.8
seed = 2

[stages.both]
kind = "mean"
networks = {{ first = 0.75, second = 0.25 }}
"""

WHOLE = (
    SMALL
    + """
[stages.more]
like = "questions"
seed = 3
lines = [
    {{ family = "sampled", sets = ["shop"], counts = {{ all = 2, told = 1 }} }},
    {{ family = "self-keys", sets = ["shop"], count = 1, every = 1 }},
    {{ family = "twins", sets = ["shop"], count = 6 }},
    {{ family = "follow-ups", sets = ["shop"], count = 1 }},
    {{ family = "formulas", sets = ["bench"] }},
]

[stages.held-out]
like = "questions"
part = "held-out"

[stages.own]
kind = "answers"
network = "both"
part = "train"
asked = {{ talk = 1 }}
beam = 1

[stages.talks-own]
like = "talks"
lines = [{{ family = "dialogues", sets = ["talk"], own = "own" }}]

[stages.shipped]
kind = "train"
start = "both"
lessons = ["more", "held-out", "talks-own", "questions"]
epochs = 1
lr = 1e-4
batch = 8
average = 0.8

[stages.there]
kind = "saved"

[stages.answers]
kind = "answers"
network = "shipped"
part = "train"
asked = {{ tiny = 1 }}
beam = 3

[stages.swapped]
like = "answers"
way = "swapped"
asked = {{ tiny = 2 }}
beam = 1

[stages.confidence]
kind = "confidence"
answers = ["answers", "swapped"]
order = ["tiny"]
fixed = {{ "query before" = -2.0 }}

[stages.spans]
kind = "spans"
learnt = {{ tiny = 6 }}
layers = 1
epochs = 2
lower = 2

[stages.union]
kind = "union"
first = "tiny"
asked = ["reworded"]

[stages.tables]
kind = "tables"
unions = {{ union = "spider" }}
steps = 2

[stages.projection]
kind = "projection"
steps = 2

[stages.grounding]
kind = "grounding"
bench = "bench"

[stages.model]
kind = "model"
network = "shipped"
confidence = "confidence"
"""
)


def write_data(folder: Path) -> None:
    """Write the data sets: Spider's layout, the same questions in other words, dialogues, and formulas."""
    pairs = {**PAIRS, HELD: PAIRS["music"]}
    tiny = folder / "tiny"
    scripts = {"music": "music", "staff": "staff", HELD: "music"}
    for name, script in scripts.items():
        file = tiny / "database" / name / f"{name}.sqlite"
        file.parent.mkdir(parents=True)
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(DDL[script] + ROWS[script])
    tables = [described(from_ddl(DDL[script], "sqlite", name=name), name) for name, script in scripts.items()]
    (tiny / "tables.json").write_text(json.dumps(tables))
    asked = [{"db_id": n, "question": q, "query": sql} for n, own in pairs.items() for q, sql in own.items()]
    (tiny / "train.json").write_text(json.dumps(asked))
    shop = folder / "shop" / "database" / "shop" / "shop.sqlite"
    shop.parent.mkdir(parents=True)
    shutil.copy(shipped_database("shop"), shop)
    (folder / "shop" / "tables.json").write_text(json.dumps([described(from_sqlite(shop), "shop")]))
    few = [{"db_id": "shop", "question": question, "query": sql} for question, sql in SHOP.items()]
    (folder / "shop" / "train.json").write_text(json.dumps(few))
    (folder / "reworded").mkdir()
    again = [{**one, "question": f"tell me, {one['question']}"} for one in asked]
    (folder / "reworded" / "train.json").write_text(json.dumps(again))
    turns = [
        {"utterance": "which albums came out before 1990?", "query": "SELECT title FROM album WHERE year < 1990"},
        {"utterance": "and before 1970?", "query": "SELECT title FROM album WHERE year < 1970"},
    ]
    (folder / "talk.json").write_text(json.dumps([{"db_id": "music", "interaction": turns}]))
    home = folder / "bench" / "en"
    (home / "databases").mkdir(parents=True)
    (home / "knowledge").mkdir()
    for name, bank in BANKS.items():
        (home / "knowledge" / f"{name}.toml").write_text(bank)
        file = tiny / "database" / name / f"{name}.sqlite"
        shutil.copy(file, home / "databases" / f"{name}_plain.sqlite")
    (home / "train.jsonl").write_text("".join(json.dumps(one) + "\n" for one in FORMULAS))
    with tarfile.open(folder / "bench.tar.xz", "w:xz") as archive:
        archive.add(folder / "bench", "bench")


def write_recipe(folder: Path, text: str, encoder: str) -> Path:
    """Write a recipe with the hashes of the data that lies beside it."""
    file, sets = folder / "recipe.toml", ("tiny", "reworded", "talk", "shop", "bench")
    file.write_text(text.format(encoder=encoder, **dict.fromkeys(sets, "")))
    digests = {name: one.digest(folder) for name, one in read(file).data.items()}
    file.write_text(text.format(encoder=encoder, **digests))
    return file


def tiny(folder: Path, text: str) -> Path:
    """Write an encoder, the data and a recipe, and return the recipe."""
    (folder / "encoder").mkdir(parents=True)
    encoder = write_encoder(folder / "encoder")
    write_data(folder)
    return write_recipe(folder, text, encoder)


def walk(recipe: Path, out: Path, data: Path | None = None) -> Walk:
    """Return the walk of a recipe over the data beside it, unless it lies elsewhere."""
    return Walk(read(recipe), KINDS, data or recipe.parent, out, Console(stderr=True), workers=2)
