"""A database of as many different texts as wanted, for `value_index.py`: people, codes, titles, Chinese firms."""

from __future__ import annotations

import random
import sqlite3
import statistics
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from querent.data.schema.schema import Column, Schema, Table
from querent.ner.index import ValueIndex


def synthetic(folder: Path, cells: int, seed: int) -> dict[str, Any]:
    """Build and ask a database of ``cells`` different texts in four columns."""
    draw = random.Random(seed)
    file = folder / "synthetic.sqlite"
    schema, asked = fill(file, cells, draw)
    start, busy = time.perf_counter(), time.process_time()
    with ValueIndex.open(file, schema, cache=folder / "cache") as index:
        built, busy = time.perf_counter() - start, time.process_time() - busy
        times: dict[str, list[float]] = {kind: [] for kind in asked}
        hits = Counter[str]()
        for kind, questions in asked.items():
            for question, value in questions:
                start = time.perf_counter()
                found = index.find(question)
                times[kind].append(time.perf_counter() - start)
                hits[kind] += any(f.value == value for f in found)
        size = sum(p.stat().st_size for p in (folder / "cache").iterdir())
    start = time.perf_counter()
    ValueIndex.open(file, schema, cache=folder / "cache").close()
    return {
        "cells": cells,
        "seconds to build": round(built, 1),
        "seconds of CPU to build": round(busy, 1),  # other programs run on the machine, too
        "seconds to open again": round(time.perf_counter() - start, 4),
        "database MB": round(file.stat().st_size / 1e6, 1),
        "index MB": round(size / 1e6, 1),
        "ms median": {kind: round(1000 * statistics.median(some), 2) for kind, some in times.items()},
        "ms p95": {kind: round(1000 * sorted(some)[len(some) * 95 // 100], 2) for kind, some in times.items()},
        "found": {kind: round(hits[kind] / len(asked[kind]), 3) for kind in asked},
    }


def fill(file: Path, cells: int, draw: random.Random) -> tuple[Schema, dict[str, list[tuple[str, str]]]]:
    """Write people, codes, titles and Chinese firms; return the schema and questions with the value of each."""
    names = [word(draw, 2, 4).title() for _ in range(20_000)]
    plain = [word(draw, 1, 4) for _ in range(20_000)]
    signs = [chr(draw.randrange(0x4E00, 0x4E00 + 3000)) for _ in range(3000)]
    quarter = cells // 4
    people = distinct(lambda: f"{draw.choice(names)} {draw.choice(names)}", quarter)
    codes = distinct(lambda: f"{chr(65 + draw.randrange(26))}{draw.randrange(10**6):06d}-{draw.randrange(10)}", quarter)
    titles = distinct(lambda: " ".join(draw.choice(plain) for _ in range(draw.randint(2, 6))).capitalize(), quarter)
    firms = distinct(lambda: "".join(draw.choice(signs) for _ in range(draw.randint(3, 8))) + "公司", quarter)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE orders (person TEXT, code TEXT, title TEXT, firm TEXT)")
        database.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", zip(people, codes, titles, firms, strict=True))
    schema = Schema((Table("orders", tuple(Column(n, "text") for n in ("person", "code", "title", "firm"))),), "orders")
    some = [draw.randrange(quarter) for _ in range(200)]
    asked = {
        "exact": [(f"How many orders has {people[n]} made since 2012?", people[n]) for n in some],
        "code": [(f"What is the title of code {codes[n]}?", codes[n]) for n in some],
        "folded": [(f"which person ordered {titles[n].lower()} twice or more", titles[n]) for n in some],
        "typo": [(f"Which titles did {typo(people[n], draw)} order?", people[n]) for n in some],
        "chinese": [(f"请问{firms[n]}一共有多少个订单？", firms[n]) for n in some],
        "none": [("List the five largest orders of each firm in the last three years, please.", "")] * 200,
    }
    return schema, asked


def word(draw: random.Random, least: int, most: int) -> str:
    """Draw a word that can be said."""
    return "".join(draw.choice("bcdfghklmnprstvwz") + draw.choice("aeiou") for _ in range(draw.randint(least, most)))


def typo(text: str, draw: random.Random) -> str:
    """Put another letter in one place, not the first of a word."""
    at = draw.choice([n for n in range(1, len(text)) if text[n - 1] != " " and text[n] != " "])
    return text[:at] + draw.choice([c for c in "aeiourstln" if c != text[at]]) + text[at + 1 :]


def distinct(make: Any, count: int) -> list[str]:
    """Draw until there are ``count`` different ones."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[make()] = None
    return list(found)
