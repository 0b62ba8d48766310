"""What each step of a small generator is worth: bare, with chosen tables, tuned, by preferences, with corrections.

    python bench/accuracy/ladder.py --collections spider:../shared/data/multi/spider-train \\
        --run runs/ladder --out bench/results/ladder.json

After LitE-SQL (Piao et al. 2025), for SmolLM2-135M on questions of databases that no stage sees. The rungs: ``bare``,
the model as it comes, told the tables in the schema's order as far as they fit; ``retriever``, told the five that the
shipped schema retriever finds (in lessons tables of other databases, too, but always those that the query needs);
``sft``, ``dpo``, ``correct``, after each stage of `querent tune --collections`, the last asked again, up to three
times, after a query that fails or finds nothing. Each is asked without and with the mask that lets only queries through
which run. EX is execution accuracy (columns in any order).

On a GPU all lessons and all questions are meant to take nine minutes. Without one take ``--lessons 1000 --later 200
--questions 200``, which takes hours. A stage that is done and questions that were asked are kept in the run folder, and
a killed run goes on from there by the same command.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
from ladder_rungs import RUNGS, Asked, ask, figures
from result_files import save
from rich.console import Console

import querent
from querent.console import share_bar
from querent.llm.tuning.stages import STAGE_RATES

SECONDS = "seconds.json"


def main() -> None:
    """Tune in stages, ask on every rung, print the figures, and save them."""
    options = arguments()
    keep(options)
    for stage in STAGE_RATES:
        with timed(stage, options.run):
            tune(stage, options)
    with timed("asking", options.run):
        records = measured(options)
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    result = {
        "machine": f"{platform.machine()}, {platform.system()}, {gpu or 'CPU'}",
        "seconds": json.loads((options.run / SECONDS).read_text(encoding="utf-8")),
        "tables": f"the five that the schema retriever finds, {options.tokens} tokens",
        "stages": {stage: told(options.run / stage / "stage.json") for stage in STAGE_RATES},
        "figures": {
            f"{rung}, {'masked' if masked else 'free'}": figures(
                [record for record in records if (record["rung"], record["masked"]) == (rung, masked)]
            )
            for masked in (False, True)
            for rung in RUNGS
        },
    }
    print(json.dumps(result["figures"], indent=1))
    save(options.out, result)


def keep(options: argparse.Namespace) -> None:
    """Write down what the run is of, or refuse to go on with another one's folder."""
    heeded = {name: value for name, value in vars(options).items() if name not in {"out", "run"}}
    file = options.run / "run.json"
    if file.exists() and (there := json.loads(file.read_text(encoding="utf-8"))) != heeded:
        changed = sorted(name for name in heeded if there.get(name) != heeded[name])
        raise SystemExit(f"{options.run} holds a run with other {', '.join(changed)}: give a new folder")
    (options.run / "records").mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(heeded, indent=1) + "\n", encoding="utf-8")


@contextmanager
def timed(what: str, run: Path) -> Generator[None]:
    """Add the seconds that something took to those that a run folder keeps; what a kill cut off is not among them."""
    file, begun = run / SECONDS, time.perf_counter()
    yield
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    kept[what] = round(kept.get(what, 0) + time.perf_counter() - begun, 1)
    file.write_text(json.dumps(kept) + "\n", encoding="utf-8")


def tune(stage: str, options: argparse.Namespace) -> None:
    """Tune in one stage, unless that is done."""
    stages = list(STAGE_RATES)
    place = stages.index(stage)
    recipe = querent.Recipe(
        model=options.model if place == 0 else str(options.run / stages[place - 1]),
        examples=None,
        language="en",
        shots=0,
        schema=True,
        collections=tuple(options.collections),
        stage=stage,
    )
    first = place == 0
    training = querent.TuningOptions(
        epochs=options.epochs if first else 1,
        batch=options.batch if first else max(1, options.batch // 2),
        rate=STAGE_RATES[stage],
        distractors=0.0,
        seed=options.seed,
    )
    lessons = querent.StageOptions(
        lessons=options.lessons if first else min(options.later, options.lessons or options.later),
        tokens=options.tokens,
        write_batch=options.write_batch,
    )
    with share_bar(f"{stage}, answering") as writing, share_bar(f"{stage}, tuning") as tuning:
        querent.tune_stage(
            recipe,
            options.run / stage,
            training,
            lessons,
            same=querent.rows_match,
            writing=writing,
            progress=tuning,
        )


def measured(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Ask what has not been asked yet, in several processes, and return the records of all."""
    asked = [
        Asked(rung, masked, part, options) for masked in (True, False) for rung in RUNGS for part in range(options.jobs)
    ]
    left = [one for one in asked if not one.file.exists()]
    with querent.ProgressTold("asking", Console(stderr=True)) as bar:
        task = bar.add_task("", total=len(asked), completed=len(asked) - len(left))
        for _ in all_asked(left, options.jobs):
            bar.advance(task)
    lines = (line for one in asked for line in one.file.read_text(encoding="utf-8").splitlines())
    return [json.loads(line) for line in lines]


def all_asked(left: Sequence[Asked], jobs: int) -> Iterator[None]:
    """Ask the parts, as many at a time as there are jobs; yield after each."""
    if jobs == 1:
        yield from map(ask, left)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:  # CUDA does not survive a fork
        for done in as_completed([pool.submit(ask, one) for one in left]):
            yield done.result()


def told(file: Path) -> dict[str, Any]:
    """Return what a stage did, without the places of this machine."""
    content = json.loads(file.read_text(encoding="utf-8"))
    return {name: content[name] for name in ("counts", "losses", "versions")} | {
        "options": content["recipe"]["training"]
    }


def arguments() -> argparse.Namespace:
    """Read the command line."""
    gpu = torch.cuda.is_available()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER, in English")
    parser.add_argument(
        "--run", type=Path, required=True, help="folder of the stages and records; a killed run goes on"
    )
    parser.add_argument("--out", type=Path, required=True, help="JSON of the figures")
    parser.add_argument("--model", default="smollm2", help="what is tuned")
    parser.add_argument("--lessons", type=int, default=None, help="questions that sft learns; all if not given")
    parser.add_argument("--later", type=int, default=2000, help="questions that dpo and correct ask, at most")
    parser.add_argument("--epochs", type=int, default=2, help="of sft; the later stages have one")
    parser.add_argument("--batch", type=int, default=32 if gpu else 8, help="lessons a step")
    parser.add_argument("--write-batch", type=int, default=128 if gpu else 8, help="questions answered at once")
    parser.add_argument("--tokens", type=int, default=512, help="that tables may take in a prompt")
    parser.add_argument("--questions", type=int, default=None, help="held-out questions of each collection, spread")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds that a query may take")
    parser.add_argument(
        "--jobs", type=int, default=min(12, os.cpu_count() or 1) if gpu else 1, help="processes that ask"
    )
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
