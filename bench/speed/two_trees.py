"""Measure what answers cost in two trees of Querent by turns: CPU seconds, and memory in MB.

    python bench/speed/two_trees.py ../base . --out bench/results/speed.json

Each tree has its own ``.venv``, and a cache of its own while this runs. Every figure comes from a fresh process; the
trees take turns, so that whatever else the machine does weighs on both. Kept are the medians, and the ratio of the
second tree's to the first's. ``--only`` names some of `MEASURES`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "accuracy"))
from result_files import ROOT, save

SEED = 0
SHOP = (
    "how many customers ordered something in 2023?",
    "which products cost more than 20 euros?",
    "list the names of customers without an order",
    "what is the average price of products by category?",
    "how many orders are there?",
)
LARGE = "which suppliers have a total price above 100?"
"""A question on databases of `WORDS`."""

WORDS = (
    "total first last net gross mean daily monthly yearly old new local foreign open paid".split(),
    "price weight height supplier client region street phone rate tax stock order return visit ticket room".split(),
    "code name date count amount level kind".split(),
)
_BEGIN = """
import json, sys, time
import querent
told, spent = json.loads(sys.argv[1]), time.process_time
def asked(db, questions):
    before = spent()
    for question in questions:
        db.ask(question, beam=4)
    return (spent() - before) / len(questions)
"""
_FIRST = """
db = querent.connect(told["database"])
found = {"CPU s, connected": spent()}
asked(db, told["questions"][:1])
found["CPU s, first question answered"] = spent()
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
found["MB"], found["MB at most"] = (int(status[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
"""
_WARM = """
db = querent.connect(told["database"])
asked(db, told["questions"])
found = {"CPU s a question": asked(db, told["questions"] * 4)}
"""
_STEP = """
from querent.parser.network.network import Network
times, steps = [], []
def timed(name):
    own = getattr(Network, name)
    def call(*told):
        before = time.process_time()
        made = own(*told)
        times.append(time.process_time() - before)
        steps.append(name == "write")
        return made
    setattr(Network, name, call)
for name in {"write", "score"} & set(dir(Network)):
    timed(name)
db = querent.connect(told["database"])
asked(db, told["questions"])
times.clear(), steps.clear()
asked(db, told["questions"] * 4)
found = {"ms a step of 4 hypotheses at most": 1000 * sum(times) / sum(steps)}
"""
_PREDICT = """
from pathlib import Path
from querent.parser.runs.predict import predict
from querent.parser.runs.questions import Question
questions = [Question(str(line), text, line) for line, text in enumerate(told["questions"], start=1)]
db = querent.connect(told["database"], language="en")
asked(db, told["questions"][:1])
before = spent()
predict(db, questions, Path(told["out"]), fresh=True)
found = {"questions a CPU s": len(questions) / (spent() - before)}
"""
MEASURES = {
    "shop, first question": (_FIRST, "shop", False),
    "shop, warm question": (_WARM, "shop", False),
    "shop, decoder step": (_STEP, "shop", False),
    "library, predict": (_PREDICT, "library", False),
    "1 table of 1,000 columns, cold": (_FIRST, "wide 1 1000", True),
    "1 table of 1,000 columns, again": (_FIRST, "wide 1 1000", False),
    "10 tables of 100 columns, cold": (_FIRST, "wide 10 100", True),
    "10 tables of 100 columns, again": (_FIRST, "wide 10 100", False),
    "100 tables of 8 columns, cold": (_FIRST, "wide 100 8", True),
    "100 tables of 8 columns, again": (_FIRST, "wide 100 8", False),
}
"""What runs, on which database, and whether vectors and values that are kept are thrown away before."""


def main() -> None:
    """Measure, print the figures, and save them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs=2, type=Path)
    parser.add_argument("--only", nargs="+", choices=MEASURES, default=list(MEASURES))
    parser.add_argument("--repeat", type=int, default=5, help="processes of each tree")
    parser.add_argument("--questions", type=int, default=100, help="of those that predict answers")
    parser.add_argument("--out", type=Path, help="JSON of the figures")
    options = parser.parse_args()
    figures: dict[str, dict[str, dict[str, float]]] = {}
    with TemporaryDirectory() as folder:
        for name in options.only:
            sides = [list[dict[str, float]](), list[dict[str, float]]()]
            for turn in range(-1, options.repeat):  # the first one fills the cache
                for side, tree in enumerate(options.trees):
                    found = run(tree.absolute(), Path(folder, str(side)), name, options.questions)
                    sides[side] += [found] if turn >= 0 else []
            first, second = ({k: statistics.median(one[k] for one in side) for k in side[0]} for side in sides)
            ratios = {key: round(second[key] / first[key], 3) for key in first}
            figures[name] = {"first": rounded(first), "second": rounded(second), "second by first": ratios}
            print(json.dumps({name: figures[name]}, indent=1), flush=True)
    if options.out:
        save(options.out, {"seed": SEED, "processes of each": options.repeat, "medians": figures})


def run(tree: Path, place: Path, name: str, count: int) -> dict[str, float]:
    """Return the figures of one process of a tree, whose files lie in a place."""
    code, database, cold = MEASURES[name]
    if cold:
        for kept in ("vectors", "values"):
            shutil.rmtree(place / kept, ignore_errors=True)
    place.mkdir(exist_ok=True)
    told = {"database": database, "questions": SHOP, "out": str(place / "answers.jsonl")}
    if database == "library":
        told["questions"] = library_questions()[:count]
    if database.startswith("wide"):
        told |= {"database": str(wide(place / f"{database}.sqlite", *map(int, database.split()[1:]))), "questions": [LARGE]}
    command = [str(tree / ".venv" / "bin" / "python"), "-c", _BEGIN + code + "print(json.dumps(found))", json.dumps(told)]
    env = os.environ | {"QUERENT_CACHE": str(place), "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(place / "pyc")}
    said = subprocess.run(command, cwd=place, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(said.splitlines()[-1])


def library_questions() -> list[str]:
    """Return the questions of the shipped library in English, which the shipped network never saw, in random order."""
    found = list[str]()
    for line in (ROOT / "data" / "library" / "examples.en.jsonl").read_text(encoding="utf-8").splitlines():
        example = json.loads(line)
        found.append(example["question"].format(**{slot: one["say"] for slot, one in example["values"].items()}))
    random.Random(SEED).shuffle(found)
    return found


def wide(file: Path, tables: int, columns: int) -> Path:
    """Write a database of so many tables of so many columns, of all kinds of names, with a hundred rows each."""
    names = [f"{a}_{b}_{c}" for a in WORDS[0] for b in WORDS[1] for c in WORDS[2]]
    draw = random.Random(SEED)
    draw.shuffle(names)
    if not file.exists():
        with closing(sqlite3.connect(file)) as database, database:
            for n in range(tables):
                own = names[n * columns : (n + 1) * columns]
                kinds = ["TEXT" if name.endswith(("name", "code", "kind")) else "INTEGER" for name in own]
                parts = ", ".join(f"{name} {kind}" for name, kind in zip(own, kinds, strict=True))
                database.execute(f"CREATE TABLE {names[-n - 1]} (id INTEGER PRIMARY KEY, {parts})")
                rows = [
                    [f"{draw.choice(WORDS[1])} {draw.randrange(50)}" if kind == "TEXT" else draw.randrange(1000) for kind in kinds]
                    for _ in range(100)
                ]
                marks = ", ".join("?" * len(own))
                database.executemany(f"INSERT INTO {names[-n - 1]} ({', '.join(own)}) VALUES ({marks})", rows)
    return file


def rounded(figures: dict[str, float]) -> dict[str, float]:
    """Return figures with three digits behind the point."""
    return {name: round(figure, 3) for name, figure in figures.items()}


if __name__ == "__main__":
    main()
