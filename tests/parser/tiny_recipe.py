"""A recipe of two dozen questions on a tiny encoder, with the data that it names: made in seconds."""

import json
import shutil
import sqlite3
import tarfile
import tomllib
from contextlib import closing
from pathlib import Path

import databases
from reader_cases import DDL, PAIRS, ROWS, write_encoder
from rich.console import Console

from bench.accuracy.union_schemas import described
from bench.train.__main__ import KINDS, read
from bench.train.walk import Walk
from querent.data.databases.schema_readers import from_ddl, from_sqlite
from querent.data.shipped import shipped_database

HELD = "club"
"""A database whose name is held out."""

HERE = Path(__file__).parent
TINY = tomllib.loads((HERE / "tiny_data.toml").read_text(encoding="utf-8"))
"""Banks of formulas, questions that need them, and pairs on the shop."""

WHOLE = (HERE / "tiny_recipe.toml").read_text(encoding="utf-8")
SMALL = WHOLE.partition("# ---- of the whole recipe alone")[0]
"""A recipe with every kind of stage, and its beginning."""


def write_data(folder: Path) -> None:
    """Write the data sets: Spider's layout, the same questions in other words, dialogues, and formulas."""
    pairs = {**PAIRS, HELD: PAIRS["music"]}
    tiny = folder / "tiny"
    scripts = {"music": "music", "staff": "staff", HELD: "music"}
    for name, script in scripts.items():
        file = tiny / "database" / name / f"{name}.sqlite"
        file.parent.mkdir(parents=True)
        databases.create(file, DDL[script] + ROWS[script])
    tables = [described(from_ddl(DDL[script], "sqlite", name=name), name) for name, script in scripts.items()]
    (tiny / "tables.json").write_text(json.dumps(tables))
    asked = [{"db_id": n, "question": q, "query": sql} for n, own in pairs.items() for q, sql in own.items()]
    (tiny / "train.json").write_text(json.dumps(asked))
    shop = folder / "shop" / "database" / "shop" / "shop.sqlite"
    shop.parent.mkdir(parents=True)
    shutil.copy(shipped_database("shop"), shop)
    (folder / "shop" / "tables.json").write_text(json.dumps([described(from_sqlite(shop), "shop")]))
    few = [{"db_id": "shop", "question": question, "query": sql} for question, sql in TINY["shop"].items()]
    (folder / "shop" / "train.json").write_text(json.dumps(few))
    (folder / "rows").mkdir()
    (folder / "rows" / "tables.json").write_text((folder / "shop" / "tables.json").read_text())
    with closing(sqlite3.connect(shop)) as database:
        cells = {name: database.execute(f"SELECT * FROM {name}").fetchall() for name in ("customers", "products")}
    (folder / "rows" / "rows.json").write_text(json.dumps({"shop": cells}))
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
    for name, bank in TINY["banks"].items():
        (home / "knowledge" / f"{name}.toml").write_text(bank)
        file = tiny / "database" / name / f"{name}.sqlite"
        shutil.copy(file, home / "databases" / f"{name}_plain.sqlite")
    (home / "train.jsonl").write_text("".join(json.dumps(one) + "\n" for one in TINY["formulas"]))
    with tarfile.open(folder / "bench.tar.xz", "w:xz") as archive:
        archive.add(folder / "bench", "bench")


def write_recipe(folder: Path, text: str, encoder: str) -> Path:
    """Write a recipe with its encoder and the hashes of the data that lies beside it."""
    file = folder / "recipe.toml"
    text = text.replace('encoder = "encoder"', f'encoder = "{encoder}"')
    file.write_text(text)
    for name, one in read(file).data.items():
        head, mark, rest = text.partition(f"[data.{name}]")
        text = head + mark + rest.replace('sha256 = ""', f'sha256 = "{one.digest(folder)}"', 1)
    file.write_text(text)
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
