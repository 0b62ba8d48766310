"""Measure which gold values the value index finds, and how fast it is on a million cells.

    python bench/value_index.py --data ../shared/data/multi

For each set: the share of the string literals in gold queries' conditions (LIKE without its %) that `ValueIndex.find`
returns with exactly that text, the share of the numbers, what is missed although a cell says it, how many values a
question is given, and milliseconds a question. Then a database of a million different names, codes and titles, drawn
from a seed: seconds to build its index, milliseconds to ask it.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sqlite3
import statistics
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot import exp

from querent.data.formats.sql_text import names_of, tidy
from querent.data.schema import Column, Schema, Table
from querent.data.schema_readers import from_spider
from querent.ner.index import FoundValue, ValueIndex

HERE = Path(__file__).resolve().parent
CONDITIONS = (exp.Where, exp.Having, exp.Join)


def main() -> None:
    """Measure, print, and save the result."""
    options = arguments()
    result: dict[str, Any] = {
        "command": f"python bench/value_index.py --data {options.data} --cells {options.cells} --seed {options.seed}",
        "seed": options.seed,
        "machine": f"{platform.machine()}, {platform.system()}, CPU, one process",
        "versions": {
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            **{name: version(name) for name in ("sqlglot", "rapidfuzz")},
        },
    }
    with tempfile.TemporaryDirectory() as folder:
        cache = options.cache or Path(folder)
        for name, language in (("spider-train", "en"), ("chase-train", "zh")):
            if options.data and (options.data / name).is_dir():
                result[name] = sets(options.data / name, language, cache, options.misses)
                print(name, json.dumps(result[name]))
        if options.cells:
            result["synthetic"] = synthetic(Path(folder), options.cells, options.seed)
            print("synthetic", json.dumps(result["synthetic"]))
    if options.out:
        options.out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of spider-train and chase-train")
    parser.add_argument("--cells", type=int, default=1_000_000, help="different cells of the synthetic database")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache", type=Path, help="folder of index files, kept; else a new one")
    parser.add_argument("--misses", type=Path, help="write every miss there, a JSON line each")
    parser.add_argument("--out", type=Path, help="such as bench/results/value_index.json")
    return parser.parse_args()


def pairs(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield database, question and gold query; of dialogues the first turn."""
    if (folder / "train_spider.json").is_file():
        for row in json.loads((folder / "train_spider.json").read_text(encoding="utf-8")):
            yield row["db_id"], row["question"], row["query"]
    else:
        for row in json.loads((folder / "chase_train.json").read_text(encoding="utf-8")):
            yield row["db_id"], row["interaction"][0]["utterance"], row["interaction"][0]["query"]


def gold_values(sql: str, schema: Schema) -> tuple[set[str], set[str], set[str]] | None:
    """Return the strings of equations and lists, the strings of LIKE, and the numbers in a query's conditions."""
    try:
        tree = sqlglot.parse_one(tidy(sql, dialect="sqlite", names=names_of(schema)), dialect="sqlite")
    except sqlglot.errors.SqlglotError:
        return None
    equal, like, numbers = set[str](), set[str](), set[str]()
    for literal in tree.find_all(exp.Literal):
        if not literal.find_ancestor(*CONDITIONS):
            continue
        if not literal.is_string:
            sign = "-" if isinstance(literal.parent, exp.Neg) else ""
            numbers.add(sign + literal.this)
        elif literal.find_ancestor(exp.Like):
            like |= {literal.this.strip("%")} - {""}
        elif literal.this:
            equal.add(literal.this)
    return equal, like, numbers


def sets(folder: Path, language: str, cache: Path, misses: Path | None) -> dict[str, Any]:
    """Measure one set of questions."""
    tally, sizes, times, kinds = Counter[str](), list[int](), list[float](), Counter[str]()
    databases: dict[str, tuple[Schema, ValueIndex, set[str]]] = {}
    missed: list[dict[str, Any]] = []
    for name, question, sql in pairs(folder):
        if name not in databases:
            databases[name] = opened(folder, name, cache)
        schema, index, cells = databases[name]
        gold = gold_values(sql, schema)
        if gold is None:
            tally["unread"] += 1
            continue
        start = time.perf_counter()
        found = index.find(question, language=language)
        times.append(time.perf_counter() - start)
        sizes.append(len(found))
        kinds.update(f"{f.kind}/{f.how}" for f in found)
        for told, values in zip(("equal", "like", "numbers"), gold, strict=True):
            for value in values:
                stored = value in cells
                hit = judged(value, found, told == "numbers")
                tally[told] += 1
                tally[f"{told} found"] += hit
                if told != "numbers" and language == "zh" and not name.isascii():
                    tally["home"] += 1
                    tally["home found"] += hit
                    tally["home stored"] += stored
                    tally["home stored found"] += stored and hit
                if told != "numbers":
                    tally["stored"] += stored
                    tally["stored found"] += stored and hit
                    tally["used"] += hit
                if not hit:
                    missed.append(
                        {"db": name, "question": question, "value": value, "as": told, "stored": stored, "sql": sql}
                        | {"found": [f"{f.value}|{f.kind}/{f.how}|{f.score:.2f}" for f in found]}
                    )
    if misses:
        with misses.open("a", encoding="utf-8") as out:
            out.writelines(json.dumps(m, ensure_ascii=False) + "\n" for m in missed)
    return figures(tally, sizes, times, kinds)


def opened(folder: Path, name: str, cache: Path) -> tuple[Schema, ValueIndex, set[str]]:
    """Return schema, index, and every text of a database."""
    schema = from_spider(folder / "tables.json", name)
    file = folder / "database" / name / f"{name}.sqlite"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        index = ValueIndex.open(file, schema, cache=cache)
    cells: set[str] = set()
    with closing(sqlite3.connect(file)) as database:
        database.text_factory = lambda data: data.decode("utf-8", "replace")
        for table, column in schema.columns():
            if (table.name, column.name) not in index.missing:
                cells |= {str(r[0]) for r in database.execute(f'SELECT DISTINCT "{column.name}" FROM "{table.name}"')}
    return schema, index, cells


def judged(value: str, found: tuple[FoundValue, ...], number: bool) -> bool:
    """Is the value among those found: numbers by their size, texts to the letter?"""
    if not number:
        return any(f.value == value for f in found)
    return any(f.kind in {"number", "cell", "quoted"} and same_number(f.value, value) for f in found)


def same_number(one: str, other: str) -> bool:
    """Are both the same number?"""
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def figures(tally: Counter[str], sizes: list[int], times: list[float], kinds: Counter[str]) -> dict[str, Any]:
    """Return what is told of one set."""

    def share(part: float, whole: float) -> float | None:
        return round(part / whole, 4) if whole else None

    strings = tally["equal"] + tally["like"]
    return {
        "questions": len(sizes),
        "unread queries": tally["unread"],
        "strings": strings,
        "strings found": share(tally["equal found"] + tally["like found"], strings),
        "equal found": share(tally["equal found"], tally["equal"]),
        "like found": share(tally["like found"], tally["like"]),
        # a Chinese question on an English database says translations
        "in Chinese databases": tally["home"],
        "in Chinese databases found": share(tally["home found"], tally["home"]),
        "stored there found": share(tally["home stored found"], tally["home stored"]),
        "stored": tally["stored"],
        "stored found": share(tally["stored found"], tally["stored"]),
        "missed although stored": tally["stored"] - tally["stored found"],
        "numbers": tally["numbers"],
        "numbers found": share(tally["numbers found"], tally["numbers"]),
        "found values mean": round(statistics.mean(sizes), 2),
        "found values that are gold": share(tally["used"] + tally["numbers found"], sum(sizes)),
        "kinds": {kind: round(count / len(sizes), 3) for kind, count in kinds.most_common()},
        "ms median": round(1000 * statistics.median(times), 2),
        "ms p95": round(1000 * sorted(times)[len(times) * 95 // 100], 2),
    }


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


if __name__ == "__main__":
    main()
