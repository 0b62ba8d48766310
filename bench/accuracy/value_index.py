"""Measure which gold values the value index finds, and how fast it is on a million cells.

    python bench/accuracy/value_index.py --data ../shared/data/multi

For each set: the share of the string literals in gold queries' conditions (LIKE without its %) that `ValueIndex.find`
returns with exactly that text, the share of the numbers, what is missed although a cell says it, how many values a
question is given, and milliseconds a question. Then a database of a million different names, codes and titles, drawn
from a seed: seconds to build its index, milliseconds to ask it.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import sqlglot
from result_files import made_by, save
from sqlglot import exp
from value_index_synthetic import synthetic

from querent.data.databases.schema_readers import from_spider
from querent.data.formats.sql_text import names_of, tidy
from querent.data.schema.schema import Schema
from querent.ner.index import FoundValue, ValueIndex

CONDITIONS = (exp.Where, exp.Having, exp.Join)


def main() -> None:
    """Measure, print, and save the result."""
    options = arguments()
    result = made_by("sqlglot", "rapidfuzz") | {"seed": options.seed}
    result["versions"]["sqlite"] = sqlite3.sqlite_version
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
        save(options.out, result)


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


if __name__ == "__main__":
    main()
