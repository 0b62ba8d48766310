"""The time and memory of answers: `python -m bench.speed trees|masks`, from the checkout.

    python -m bench.speed trees ../base . --out bench/results/speed.json
    python -m bench.speed masks spider:../shared/data/multi/spider-train --tokenizer FOLDER --queries 60

«trees» compares two trees of Querent by CPU seconds and memory in MB. Each has its own ``.venv``, and a cache of its
own for the run. Every figure comes from a fresh process; the trees take turns, so that other work on the machine
affects both. The figures are medians, and the ratios of the second tree's to the first's. «masks» measures this tree
alone.
"""

import gc
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, TypeVar

import numpy as np
from rich.progress import track

from bench.accuracy.result_files import ROOT, Result, run
from querent.data.domains.collection import read_collection
from querent.grammar import TokenConstraint, TokenSpellings

SEED = 0
SHOP = ["how many customers ordered something in 2023?", "what is the average price of products by category?"]
WIDE = ["which suppliers have a total price above 100?"]
NAMES = """total first last net gross mean daily monthly yearly old new open paid
price weight height supplier client region street phone rate tax stock order
code name date count amount level kind"""
"""Names of tables and columns are one word of each line."""

MEASURED = """
import json, sys, time
import querent
given, spent = json.loads(sys.argv[1]), time.process_time
db = querent.connect(given["database"], language="en")
found = {"CPU s, connected": spent()}
db.ask(given["questions"][0])
found["CPU s, first question answered"] = spent()
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
found["MB"], found["MB at most"] = (int(status[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
"""
"""The program of each process, which prints its figures as JSON."""

WARM = """
def seconds(questions):
    before = spent()
    for question in questions:
        db.ask(question, beam=4)
    return (spent() - before) / len(questions)
seconds(given["questions"])
found["CPU s a warm question, beam 4"] = seconds(given["questions"] * 4)
"""
PREDICT = """
from pathlib import Path
from querent.dialogue.predict import predict
from querent.dialogue.questions import Question
before = spent()
predict(db, [Question(str(n), text, n) for n, text in enumerate(given["questions"])], Path("answers.jsonl"), fresh=True)
found = {"questions a CPU s": len(given["questions"]) / (spent() - before)}
"""
MEASURES = {"shop": (WARM, "shop", False), "library, predict": (PREDICT, "library", False)} | {
    f"{size}, {state}": ("", size, state == "cold")
    for size in ("1 x 1000", "10 x 100", "100 x 8")
    for state in ("cold", "again")
}
"""Further steps, the database (tables x columns of each), and whether the cache is emptied before."""


def trees(
    first: Annotated[Path, "a tree"],
    second: Annotated[Path, "another one"],
    *,
    repeat: Annotated[int, "processes of each tree"] = 5,
) -> Iterator[Result]:
    """Measure two trees, and the ratios."""
    figures: dict[str, dict[str, list[float]]] = {}
    with TemporaryDirectory() as folder:
        for name in MEASURES:
            sides: tuple[list[dict[str, float]], ...] = ([], [])
            for _ in range(repeat + 1):
                for side, tree in enumerate((first, second)):
                    sides[side].append(process(tree.absolute(), Path(folder, str(side)), name))
            figures[name] = {}
            for key in sides[0][0]:
                one, other = (statistics.median(found[key] for found in side[1:]) for side in sides)
                figures[name][key] = [round(number, 3) for number in (one, other, other / one)]
    yield Result({"seed": SEED, "processes": repeat, "first, second, second by first": figures})


def process(tree: Path, place: Path, name: str) -> dict[str, float]:
    """Return the figures of one process of a tree, with its files in a folder of their own."""
    code, database, cold = MEASURES[name]
    place.mkdir(exist_ok=True)
    for kept in ("vectors", "values") if cold else ():
        shutil.rmtree(place / kept, ignore_errors=True)
    questions = SHOP if database == "shop" else WIDE if "x" in database else library_questions()
    given = {"database": str(wide(place, database)) if "x" in database else database, "questions": questions}
    command = [str(tree / ".venv/bin/python"), "-c", f"{MEASURED}{code}print(json.dumps(found))", json.dumps(given)]
    kept = {"QUERENT_CACHE": str(place), "PYTHONPYCACHEPREFIX": str(place / "pyc"), "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(command, cwd=place, env=os.environ | kept, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def library_questions() -> list[str]:
    """Return questions in English on the shipped library, which the shipped network never saw, in random order."""
    lines = (ROOT / "data/library/examples.en.jsonl").read_text(encoding="utf-8").splitlines()
    drawn = map(json.loads, random.Random(SEED).sample(lines, 60))
    return [one["question"].format(**{slot: value["say"] for slot, value in one["values"].items()}) for one in drawn]


def wide(place: Path, name: str) -> Path:
    """Write a database named by its tables x columns, with a hundred rows a table, unless it is there."""
    file, (tables, columns) = place / f"{name}.sqlite", map(int, name.split(" x "))
    draw, names = random.Random(SEED), ["_".join(parts) for parts in product(*map(str.split, NAMES.splitlines()))]
    draw.shuffle(names)
    if not file.exists():
        with closing(sqlite3.connect(file)) as database, database:
            for n, table in enumerate(names[:tables]):
                own = names[tables + n * columns :][:columns]
                kinds = [name.endswith(("code", "name", "kind")) for name in own]
                declared = [f"{name} {'TEXT' if text else 'INTEGER'}" for name, text in zip(own, kinds, strict=True)]
                database.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, {', '.join(declared)})")
                for row in range(100):
                    cells = [draw.choice(names) if text else draw.randrange(999) for text in kinds]
                    database.execute(f"INSERT INTO {table} VALUES (?{', ?' * columns})", [row, *cells])
    return file


def masks(
    collection: Annotated[str, "kind:folder, as everywhere"],
    *,
    tokenizer: Annotated[str, "folder of the model whose tokens are masked"],
    queries: Annotated[int, "how many gold queries"] = 60,
) -> Iterator[Result]:
    """Measure the CPU milliseconds of masks along gold queries, with a new constraint for each database.

    The process has called `gc.freeze()` after the tokenizer was loaded, as docs/constrain-your-model.md advises.
    """
    from transformers import AutoTokenizer

    read, tokens = read_collection(collection), AutoTokenizer.from_pretrained(tokenizer)
    pairs = random.Random(SEED).sample(list(read.pairs), queries)
    spellings, made = TokenSpellings.of_tokenizer(tokens), dict[str, TokenConstraint]()
    times: dict[str, list[float]] = {"schema": [], "mask": [], "step": []}
    gc.freeze()
    refused = 0
    for pair in track(pairs, "masks"):
        if pair.database not in made:
            schema = read.schemas[pair.database]
            make = partial(TokenConstraint, schema, spellings, dialect="sqlite")
            made[pair.database] = _timed(times["schema"], make)
        state = made[pair.database].start()
        for token in [*tokens.encode(pair.sql, add_special_tokens=False), tokens.eos_token_id]:
            if not _timed(times["mask"], state.allowed)[token]:
                refused += 1
                break
            state = _timed(times["step"], partial(state.advance, token))
    found = {what: _figures(some) for what, some in times.items()} | {"queries refused": refused}
    yield Result({"tokens": len(tokens), "queries": queries, "seed": SEED, "querent": found})


_T = TypeVar("_T")


def _timed(times: list[float], make: Callable[[], _T]) -> _T:
    """Call a function, add its CPU milliseconds to the list, and return its result."""
    begun = time.process_time()
    made = make()
    times.append(1e3 * (time.process_time() - begun))
    return made


def _figures(times: list[float]) -> dict[str, float]:
    """Return count, mean and percentiles of some times."""
    percentiles = {f"p{p}": round(float(np.percentile(times, p)), 3) for p in (50, 90, 99)}
    return {"count": len(times), "mean": round(float(np.mean(times)), 3)} | percentiles | {"most": round(max(times), 1)}


if __name__ == "__main__":
    if sys.argv[1:2] not in (["trees"], ["masks"]):
        raise SystemExit(__doc__)
    sys.exit(run(trees if sys.argv[1] == "trees" else masks, arguments=sys.argv[2:]))
