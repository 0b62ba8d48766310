"""The stages that make networks: a training, a mean of networks, and the model that ships with its card."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from querent.classifiers.named_features import Calibration
from querent.data.hashed_folder import read_json
from querent.data.languages import language_of
from querent.encoders import load_encoder
from querent.encoders.weights import StoredWeights, selected
from querent.parser.base import parser_folder
from querent.parser.learning.graphs import answering
from querent.parser.learning.network import TrainableNetwork
from querent.parser.learning.training import TeacherForcedMatch, Training
from querent.parser.learning.training_set import TrainingSet, unpack
from querent.parser.network.network import Network, renumbered
from querent.parser.network.saved import load_network, save_network
from querent.parser.settings.options import OptimOptions
from querent.parser.settings.run_folder import read_curve

from .recipes import StageName
from .walk import Figures, Work

WARMUP = 400
"""Steps to the highest rate."""

NAMES = {"en": "English", "zh": "Chinese"}


def train(
    work: Work,
    *,
    lessons: list[StageName],
    epochs: int,
    lr: float,
    start: StageName = "",
    seed: int = 0,
    batch: int = 16,
    anchor: float = 0.0,
    average: float = 0.999,
    bfloat16: bool = False,
    judged: int = 1,
) -> Figures:
    """Train a network on packed lessons, and save the mean of its weights over the last steps.

    Args:
        lessons: stages of lessons; one that is named twice is learnt twice an epoch.
        start: the stage whose network is trained further; without one a new network on the encoder.
        lr: the highest rate; the encoder learns at a sixth of it.
        anchor: pull towards the weights of the start.
        average: the share that averaged weights keep at a step of 16 lessons.
        bfloat16: compute in bfloat16 on a CPU where that is precise enough; a GPU always does.
        judged: epochs between two judgements by held-out lessons, if there are any.
    """
    packed = unpack(*(work.of(one) / "pack" for one in lessons), device=work.walk.device)
    network, examples = packed.network, packed.examples
    if start:
        take_over(network, work.of(start) / "best")
    steps = epochs * len(examples) / batch
    optim = OptimOptions(epochs=epochs, batch_size=batch, lr=lr, encoder_lr=lr / 6, anchor=anchor,
                         warmup=min(0.5, WARMUP / steps), weight_decay=0.0 if anchor else 0.01,
                         average=average ** (batch / 16))  # fmt: skip
    how: dict[str, Any] = {"judge": judge_of(examples), "every": judged, "seed": seed}
    how |= {"bfloat16": bfloat16 or None, "workers": 0 if work.walk.device == "cpu" else work.walk.workers}
    training = Training(network, examples, optim, work.folder / "run", **how)
    with work.bar("training", training.steps) as moved:
        for row in training.run(moved):
            work.walk.say.print(row, highlight=False, soft_wrap=True)
    card = f"A network on the way to another one: stage {work.table.name} of {work.walk.recipe.file.name}.\n"
    made = answering(training.best().cpu(), load_encoder(network.config.encoder), examples.frozen)
    save_network(made, work.folder / "best", languages=packed.languages, card=card)
    curve = read_curve(training.curve)
    shutil.rmtree(work.folder / "run")
    return {"examples": len(examples), "languages": packed.languages, "curve": curve}


def take_over(network: TrainableNetwork, folder: Path) -> None:
    """Load the weights of a saved network; others of the new one stay, and it writes the words of both."""
    weights = renumbered(selected(StoredWeights(folder / "model.safetensors")), read_json(folder / "numbering.json"))
    found = {name: torch.from_numpy(array) for name, array in weights.items()}
    found["seen"] |= network.seen.cpu()
    network.load_state_dict(network.state_dict() | found)


def judge_of(examples: TrainingSet) -> Any:
    """Return the judge by held-out lessons, of all and of each of two languages; None without such lessons."""
    languages = sorted({language_of(one.question.text) for one in examples.held_out})
    if not languages:
        return None

    def part(language: str) -> TrainingSet:
        held_out = [one for one in examples.held_out if language_of(one.question.text) == language]
        return replace(examples, examples=(), held_out=held_out)

    judges = {"exact": TeacherForcedMatch(examples)}
    judges |= {f"exact {one}": TeacherForcedMatch(part(one)) for one in languages if len(languages) > 1}
    return lambda network: {name: judge(network)["exact"] for name, judge in judges.items()}


def saved(work: Work, *, parser: str = "shipped") -> Figures:
    """Take a saved network, the shipped one or that of a folder, to train it further or to collect its answers."""
    folder = parser_folder(parser)
    shutil.copytree(folder, work.folder / "best", dirs_exist_ok=True)
    languages = list(load_network(folder).languages)
    return {"languages": languages, "hashes": read_json(folder / "hashes.json")}


def mean(work: Work, *, networks: dict[StageName, float]) -> Figures:
    """Average the weights of networks that began from the same one (Wortsman et al. 2022, model soups).

    Args:
        networks: the stages, each with its share; the mean may write the words of all.
    """
    loaded = {name: load_network(work.of(name) / "best") for name in networks}
    several = {name: selected(one.network.weights) for name, one in loaded.items()}
    first, total = next(iter(loaded.values())), sum(networks.values())
    weights: dict[str, NDArray[Any]] = {}
    for name, array in selected(first.network.weights).items():
        own = {stage: arrays[name] for stage, arrays in several.items()}
        if array.dtype.kind == "f":
            shares = (share / total * own[stage].astype(np.float32) for stage, share in networks.items())
            weights[name] = sum(shares, np.zeros(array.shape, np.float32)).astype(array.dtype)
        else:
            weights[name] = np.logical_or.reduce(list(own.values()))
    network = first.network
    made = Network(network.config, weights, network.encoder, network.frozen, network.graphs)
    card = f"A mean of networks: stage {work.table.name} of {work.walk.recipe.file.name}.\n"
    save_network(made, work.folder / "best", languages=first.languages, card=card)
    return {"languages": list(first.languages)}


def model(work: Work, *, network: StageName, confidence: StageName = "") -> Figures:
    """Write the model folder: a network, the confidence of its answers, and the card with its recipe."""
    loaded = load_network(work.of(network) / "best")
    fitted = Calibration.from_json(read_json(work.of(confidence) / "confidence.json")) if confidence else None
    card = model_card(work, loaded.languages)
    save_network(loaded.network, work.folder / "best", languages=loaded.languages, card=card, calibration=fitted)
    return {"recipe": work.walk.recipe.sha256}


def model_card(work: Work, languages: tuple[str, ...]) -> str:
    """Return the card as Markdown: the recipe's hash, its stages with their figures, its data with the licences."""
    recipe = work.walk.recipe
    before = recipe.before(work.table.name)[:-1]
    used = dict.fromkeys(name for stage in before for name in recipe.stages[stage].sets)
    data = "\n".join(
        f"- {recipe.data[n].source}, {recipe.data[n].license}, SHA-256 {recipe.data[n].sha256}" for n in used
    )
    rows = "\n".join(_row(work, name) for name in before)
    return f"""---
library_name: querent
license: cc-by-sa-4.0
language: [{", ".join(languages)}]
tags: [text-to-sql]
---
# A network of Querent for questions in {" and ".join(NAMES.get(one, one) for one in languages)}

It reads a question and the schema of any database, and writes SQL that Querent's constraint keeps valid. A query that
runs can still answer another question: look at it, and at the confidence.

Made by `python -m bench.train {recipe.file.name}`, a recipe whose SHA-256 is {recipe.sha256}, in these stages:

| stage | kind | from | seed | lessons | epochs | exact | seconds |
|---|---|---|---|---|---|---|---|
{rows}

«exact» is the share of held-out queries whose every next word is the likeliest. Databases are held out by a hash of
their names (`querent.data.domains.collection.is_held_out`), unless a stage of lessons has `part = "held-out"`.

Data:

{data}
- the encoder {recipe.encoder}, whose layers above the lower {recipe.frozen} were trained further

It knows nothing of other languages, of WITH, of windows but the first few of each group, nor of formulas that the
question does not spell out.
"""


def _row(work: Work, name: str) -> str:
    """Return the row of a stage in the card."""
    table, noted = work.walk.recipe.stages[name], work.noted(name)
    exact = [row["exact"] for row in noted.get("curve", ()) if "exact" in row]
    cells = [name, table.kind, ", ".join(table.stages), table.options.get("seed", ""), noted.get("examples", "")]
    cells += [table.options.get("epochs", ""), exact[-1] if exact else "", noted["seconds"]]
    return f"| {' | '.join(map(str, cells))} |"
