"""Writes the proxy benchmarks into a folder laid out as Spider's, so that what reads Spider reads them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from .content import fields
from .dialogues import dialogues
from .doubts import doubtful, mixed
from .draws import Scene
from .layouts import LETTERS, Layout, layout
from .questions import questions, solved
from .rows import save

__all__ = ["write"]

EACH = 3
TALKS = 100
DOUBTS = 24
SOLVED = 30


def write(folder: Path, language: str, seed: int) -> dict[str, int]:
    """Write one language's part and return how much there is of each set.

    ``LANGUAGE/`` gets ``tables.json``, ``database/``, ``train.json`` (ProxySpider, under the name that collections are
    read by), ``sparc.json``, ``cosql.json``, ``doubts.json`` (ambiguous and unanswerable questions one by one) and
    ``solved/DB.jsonl``. What lies there is written over.

    Args:
        seed: of what is asked; the databases are always the same.
    """
    home = folder / language
    layouts = [layout(field, letter, language) for field in fields() for letter in LETTERS]
    files = {one.name: home / "database" / one.name / f"{one.name}.sqlite" for one in layouts}
    for one in layouts:
        files[one.name].parent.mkdir(parents=True, exist_ok=True)
        save(one, files[one.name])
    with ExitStack() as stack:
        opened = [stack.enter_context(closing(sqlite3.connect(files[one.name]))) for one in layouts]
        scenes = [Scene(one, database) for one, database in zip(layouts, opened, strict=True)]
        _dump(home / "tables.json", [_described(scene) for scene in scenes])
        counts = {
            "questions": _dump(home / "train.json", questions(scenes, seed, EACH)),
            "dialogues": _dump(home / "sparc.json", dialogues(scenes, seed, TALKS)),
            "dialogues with doubts": _dump(home / "cosql.json", mixed(scenes, seed, TALKS)),
            "doubtful questions": _dump(home / "doubts.json", doubtful(scenes, seed, DOUBTS)),
        }
        (home / "solved").mkdir(exist_ok=True)
        counts["solved questions"] = sum(_solved(home / "solved", scenes, seed + 1))
    return counts


def _solved(folder: Path, scenes: Sequence[Scene], seed: int) -> Iterator[int]:
    for scene in scenes:
        lines = [{"question": one["question"], "sql": one["query"]} for one in solved([scene], seed, SOLVED)]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{scene.layout.name}.jsonl").write_text(text, encoding="utf-8")
        yield len(lines)


def _dump(file: Path, records: Iterable[dict[str, Any]]) -> int:
    every = list(records)
    file.write_text(json.dumps(every, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return len(every)


def _described(scene: Scene) -> dict[str, Any]:
    """Return a database as ``tables.json`` has it; names stay as they are, nobody has put them in words."""
    own: Layout = scene.layout
    tables = [name for (name,) in scene.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns: list[tuple[int, str]] = [(-1, "*")]
    types = ["text"]
    keys: list[int] = []
    for number, table in enumerate(tables):
        for _, name, kind, _, _, key in scene.rows(f"PRAGMA table_info({table})"):
            keys += [len(columns)] * bool(key)
            columns.append((number, name))
            types.append("number" if kind in ("INTEGER", "REAL") else "time" if kind.startswith("DATE") else "text")
    foreign = [
        [columns.index((number, column)), columns.index((tables.index(other), target))]
        for number, table in enumerate(tables)
        for _, _, other, column, target, *_ in scene.rows(f"PRAGMA foreign_key_list({table})")
    ]
    return {
        "db_id": own.name,
        "table_names": tables,
        "table_names_original": tables,
        "column_names": columns,
        "column_names_original": columns,
        "column_types": types,
        "primary_keys": keys,
        "foreign_keys": foreign,
    }
