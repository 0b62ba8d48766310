"""Train what `base.py --pack FOLDER` packed, on a machine that has neither the collections nor the encoder.

    python bench/accuracy/train_packed.py FOLDER --device cuda --out OUT --run RUN

Prints JSON lines. OUT gets the averaged weights in half precision, in pieces that are small enough to send, written
anew whenever they are judged, and with them `curve.jsonl` and `trained.json`; `from_pieces.py` makes a network of it.
RUN holds what a killed training goes on from. The judge is the share of held-out queries whose every next word is
the likeliest, see `TeacherForcedMatch`, of all and by language.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray
from rich.console import Console
from safetensors.numpy import save_file

from querent.data.hashed_folder import read_json, write_json
from querent.encoders import load_encoder
from querent.encoders.weights import StoredWeights, selected
from querent.ner.index.keys import is_cjk
from querent.parser.learning.batches import TrainingSet
from querent.parser.learning.network import TrainableNetwork
from querent.parser.learning.packing import halved, unpack
from querent.parser.learning.teacher_forced_match import TeacherForcedMatch
from querent.parser.learning.training import Training
from querent.parser.learning.training_examples import TrainingExample
from querent.parser.network.numbering import renumbered
from querent.parser.runs.options import OptimOptions
from querent.parser.runs.progress import bar

WARMUP = 400
"""Steps to the highest rate."""

PIECE = 15 * 2**20
"""Bytes of a file of weights."""


def main() -> None:
    """Train, and print the curve."""
    options, begun = arguments(), time.perf_counter()
    torch.set_num_threads(options.threads)
    packed = unpack(*options.folders, device=options.device)
    given = {name: value for name, value in vars(options).items() if name in packed.about and value is not None}
    examples, network = packed.examples, packed.network
    if options.start:
        weights = selected(StoredWeights(options.start / "model.safetensors"))
        take_over(network, renumbered(weights, read_json(options.start / "numbering.json")))
        given["start"] = options.start.name
    if options.new:
        network, given["start"] = new_one(network, examples.frozen), None
    about = packed.about | given
    optim, seed = optim_options(about), int(about["seed"])
    told: dict[str, Any] = {"judge": judge_of(examples), "every": options.every, "seed": seed}
    told |= {"bfloat16": options.bfloat16, "workers": options.workers}
    training = Training(network, examples, optim, options.run, **told)
    say({"examples": len(examples), "held out": len(examples.held_out), "steps": training.steps, **given}, begun)
    options.out.mkdir(parents=True, exist_ok=True)
    last = time.perf_counter()
    with bar("training", training.steps, Console(stderr=True)) as moved:
        for row in training.run(moved):
            say(row, begun)
            over = time.perf_counter() - begun + (time.perf_counter() - last) > options.seconds
            if "exact" in row or over:
                write_pieces(training, about | {"epochs": row["epoch"]}, options.out)
            if over:
                break
            last = time.perf_counter()


def take_over(network: TrainableNetwork, weights: Mapping[str, NDArray[Any]]) -> None:
    """Take over the weights of a saved network; what only the new one has stays, what either writes is written."""
    found = {name: torch.from_numpy(array) for name, array in weights.items()}
    found["seen"] |= network.seen
    network.load_state_dict(network.state_dict() | found)


def new_one(other: TrainableNetwork, frozen: int) -> TrainableNetwork:
    """Return a network of another's sizes that has learnt nothing yet, on the encoder as it comes."""
    made = TrainableNetwork(other.config, load_encoder(other.config.encoder).model, frozen)
    made.seen.copy_(other.seen)
    return made


def judge_of(examples: TrainingSet) -> Callable[[TrainableNetwork], dict[str, float]]:
    """Return what judges by held-out queries, of all and, where questions are in two languages, of each."""
    whole = TeacherForcedMatch(examples)
    languages = sorted(set(map(language_of, examples.held_out)))
    if len(languages) < 2:
        return whole

    def of(language: str) -> TeacherForcedMatch:
        return TeacherForcedMatch(examples.only(lambda _: False, lambda one: language_of(one) == language))

    parts = {language: of(language) for language in languages}
    return lambda network: whole(network) | {f"exact {name}": one(network)["exact"] for name, one in parts.items()}


def language_of(example: TrainingExample) -> str:
    """Return the language of a question."""
    return "zh" if is_cjk(example.question.text) else "en"


def optim_options(about: Mapping[str, Any]) -> OptimOptions:
    """Return how to descend.

    Args:
        about: ``epochs``, ``size`` of a batch, ``lr``, ``anchor``, and how many ``examples`` there are.
    """
    return OptimOptions(
        epochs=about["epochs"],
        batch_size=about["size"],
        lr=about["lr"],
        encoder_lr=about["lr"] / 6,
        warmup=min(0.5, WARMUP * about["size"] / (about["epochs"] * about["examples"])),
        anchor=about["anchor"],
        weight_decay=0.0 if about["anchor"] else 0.01,
        average=0.999 ** (about["size"] / 16),  # over as many examples, however many a step takes
    )


def say(row: Mapping[str, Any], begun: float) -> None:
    """Print a line of JSON, with the seconds since the start."""
    print(json.dumps({**row, "at": round(time.perf_counter() - begun, 1)}), flush=True)


def write_pieces(training: Training, about: Mapping[str, Any], out: Path) -> None:
    """Write the averaged weights, what they are, and the curve so far; those of before go only when all are there."""
    pieces: list[dict[str, Any]] = [{}]
    for name, array in halved(training.best()).items():
        if sum(other.nbytes for other in pieces[-1].values()) + array.nbytes > PIECE:
            pieces.append({})
        pieces[-1][name] = array
    files = [out / f"weights-{n}.safetensors" for n in range(len(pieces))]
    for piece, file in zip(pieces, files, strict=True):
        save_file(piece, file.with_suffix(".part"))
    for file in files:
        file.with_suffix(".part").replace(file)
    network = training.network.config.to_json()
    write_json(out / "trained.json", {"network": network, "frozen": training.examples.frozen, "about": dict(about)})
    shutil.copy(training.curve, out / "curve.jsonl")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="what was packed; the first one's network is trained")
    begin = parser.add_mutually_exclusive_group()
    begin.add_argument("--start", type=Path, help="folder of a saved network to begin with in place of the packed one")
    begin.add_argument("--new", action="store_true", help="begin with one that has learnt nothing; needs the encoder")
    parser.add_argument("--out", type=Path, required=True, help="folder of what is to be sent back")
    parser.add_argument("--run", type=Path, required=True, help="folder of the run; goes on if it has begun")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, help="processes that make batches (default: cores but one; CPU: none)")
    parser.add_argument("--bfloat16", action=argparse.BooleanOptionalAction, help="on a CPU only where it is asked for")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--every", type=int, default=2, help="epochs between two judgements")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no epoch begins that would end later")
    for name, kind in (("epochs", int), ("size", int), ("lr", float), ("anchor", float), ("seed", int)):
        parser.add_argument(f"--{name}", type=kind, help="in place of what was packed")
    options = parser.parse_args()
    if options.workers is None:
        options.workers = 0 if options.device == "cpu" else max(1, (os.cpu_count() or 2) - 1)
    return options


if __name__ == "__main__":
    main()
