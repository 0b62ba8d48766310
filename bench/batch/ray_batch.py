"""Ask some hundred questions with Ray Data on this machine, by 1 and 2 actors, and compare with `querent predict`.

    pip install 'ray[data]'
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python bench/batch/ray_batch.py --out bench/results/ray-batch.json

Questions are drawn by a seed from the test parts of the shipped domains, in both languages.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import querent
from querent.batch import BatchPredictor

DOMAINS = ("plant", "library")
THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
NOW = datetime(2024, 3, 31, 8)
"""What «the last 8 hours» are seen from: the clock goes on from one run to the next."""
COMPARED = ("sql", "status", "confidence", "reason", "columns", "rows")


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=240)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--batch", type=int, default=16, help="questions of a batch")
    parser.add_argument("--out", type=Path, required=True)
    told = parser.parse_args()
    asked = drawn(told.questions, told.seed)
    known, alone = predicted(asked)
    figures: dict[str, Any] = {"querent predict": {"seconds a question": round(alone / len(asked), 3)}}
    named = ("querent", "ray", "numpy")
    for actors in (1, 2):
        found, seconds = by_ray(asked, actors, told.batch)
        figures[f"{actors} actor{'s' * (actors > 1)}"] = {
            "seconds a question, start of the actors included": round(seconds / len(asked), 3),
            "seconds a question within an actor": round(sum(one["seconds"] for one in found) / len(found), 3),
            "answers as those of querent predict": sum(map(same, known, found)),
            "answers": len(found),
        }
        print(figures, flush=True)
    result = {
        "command": " ".join(["python", *sys.argv]),
        "date": datetime.now(tz=UTC).date().isoformat(),
        "seed": told.seed,
        "machine": f"{platform.machine()}, {platform.system()}, {os.cpu_count()} cores, shared with other work",
        "versions": {"python": platform.python_version()} | {name: version(name) for name in named},
        "questions": len(asked),
        "figures": figures,
    }
    told.out.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def drawn(number: int, seed: int) -> list[dict[str, str]]:
    """Return questions with their databases, those of one database behind one another."""
    every = [
        {"database": name, "question": example.question}
        for name in DOMAINS
        for language in ("en", "zh")
        for example in querent.load_domain(name, language=language).part("test")
    ]
    return sorted(random.Random(seed).sample(every, number), key=lambda one: one["database"])


def predicted(asked: list[dict[str, str]]) -> tuple[list[dict[str, Any]], float]:
    """Return the records of `querent predict`, and the seconds that it took with the network loaded."""
    found: list[dict[str, Any]] = []
    seconds = 0.0
    with TemporaryDirectory() as folder:
        for name in DOMAINS:
            own = [one["question"] for one in asked if one["database"] == name]
            questions = [querent.Question(str(place), text, place) for place, text in enumerate(own, start=1)]
            out = Path(folder, f"{name}.jsonl")
            with querent.connect(name, now=NOW) as connection:
                begun = time.monotonic()
                querent.predict(connection, questions, out, beam=4)
                seconds += time.monotonic() - begun
            found += [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return sorted_as(asked, found), seconds


def sorted_as(asked: list[dict[str, str]], found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return records in the order of the questions, which is that of the databases."""
    by_name = {name: [one for one in asked if one["database"] == name] for name in DOMAINS}
    told = dict(zip([id(one) for name in DOMAINS for one in by_name[name]], found, strict=True))
    return [told[id(one)] for one in asked]


def by_ray(asked: list[dict[str, str]], actors: int, batch: int) -> tuple[list[dict[str, Any]], float]:
    """Return the answers in the order of the questions, and the seconds that all of it took, actors' start included."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    ray.init(num_cpus=max(2, actors), include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": THREADS})
    try:
        begun = time.monotonic()
        rows = [{"place": place, **one} for place, one in enumerate(asked)]
        answers = (
            ray.data.from_items(rows)
            .map_batches(
                BatchPredictor,
                fn_constructor_kwargs={"now": NOW},
                batch_size=batch,
                compute=ray.data.ActorPoolStrategy(size=actors),
            )
            .take_all()
        )
        return sorted(answers, key=lambda one: one["place"]), time.monotonic() - begun
    finally:
        ray.shutdown()


def same(record: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Say whether an answer is that of a record, to the last cell and digit."""
    told = {**answer, "columns": json.loads(answer["columns"]), "rows": json.loads(answer["rows"])}
    return all(told[name] == record[name] for name in COMPARED)


if __name__ == "__main__":
    main()
