"""One training run from a domain to a scored parser, in a folder that a kill cannot spoil."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ..data.domain import Domain
from ..data.errors import InputError
from ..data.examples import evenly
from .card import model_card
from .connection import parser_folder
from .encoders import Encoder, load_encoder
from .evaluate import evaluate
from .learning.batches import Lessons
from .learning.domain import PARTS, DomainMaterial, read_domain
from .learning.extra import extra_lessons
from .learning.judging import ExactMatch
from .learning.lessons import Lesson, words_written
from .learning.network import TrainableNetwork
from .learning.training import Schedule, Training
from .options import TrainConfig
from .plots import plot_learning, plot_lengths
from .reader.network import NetworkConfig
from .reader.saved import load_network, save_network
from .report import report
from .runs import RunFolder, write_text
from .scores import Scores

__all__ = ["train"]

_LEARNT = 3
"""Layers of the encoder that a new network trains."""


def train(
    config: TrainConfig, domain: Domain, out: Path | str, *, resume: bool = True, console: Console | None = None
) -> Path:
    """Train a parser on a domain and score it; return the run folder.

    A folder that holds an unfinished run of the same configuration is taken up where it stopped, one
    that holds a finished run is left as it is.

    Args:
        config: the options; those left at None are filled in from the domain.
        domain: what to learn.
        out: the run folder.
        resume: whether the folder may hold a run already.
        console: where to tell what is going on; None is silence.

    Raises:
        InputError: an option or the domain does not work out.
        RunError: the folder holds something else, or there is no base network there.
    """
    say = console or Console(quiet=True)
    if config.data.language not in (None, domain.language):
        problem = f"the domain was read in {domain.language!r}, not in {config.data.language!r}"
        raise InputError(problem, field="data.language", hint="load the domain in the language to train on")
    config = config.resolved(domain=domain.source, language=domain.language)
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    # before there is a folder, so that a wrong base leaves none behind that the right one would not go on with
    start = None if RunFolder(Path(out)).finished else _Start.of(config)
    run = RunFolder.open(out, config, resume=resume)
    if start is None:
        say.print(f"{run.path} holds this run, finished: nothing to do", soft_wrap=True)
        return run.path
    where = f"domain {domain.name} ({domain.language}), {config.data.split} split"
    say.print(f"base {config.model.base}, encoder {start.encoder.name}, {where}", soft_wrap=True)
    material = _read(config, domain, start, run, say)
    _tell(material, say)
    with say.status("lessons besides the domain's own"):
        extra = extra_lessons(material, start.encoder, config.augment, seed=config.seed)
    _fit(config, start, material, [*material.lessons, *extra], run=run, say=say)
    _finish(config, material, run, say)
    return run.path


@dataclass(frozen=True)
class _Start:
    """The network to begin with, and the encoder that it stands on."""

    network: TrainableNetwork
    encoder: Encoder
    frozen: int
    calibration: dict[str, Any] | None

    @classmethod
    def of(cls, config: TrainConfig) -> _Start:
        """Load the base, or make a new network, whose weights the seed alone decides."""
        model = config.model
        if model.base != "none":
            loaded = load_network(parser_folder(str(model.base)))
            if loaded.language != config.data.language:
                problem = f"the base reads {loaded.language!r}, the questions are in {config.data.language!r}"
                raise InputError(problem, field="model.base", hint="take a base of their language, or none")
            base = loaded.network
            return cls(TrainableNetwork.of(base), base.encoder, base.frozen, loaded.calibration)
        encoder = load_encoder(str(model.encoder))
        frozen = max(0, encoder.model.layers - _LEARNT) if model.frozen is None else model.frozen
        sizes = {name: getattr(model, name) for name in ("width", "layers", "decoder_layers", "heads", "dropout")}
        about = NetworkConfig(encoder=encoder.name, hidden=encoder.hidden, **sizes)
        network = TrainableNetwork(about, encoder, frozen)
        network.writes(())
        return cls(network, encoder, frozen, None)


def _read(config: TrainConfig, domain: Domain, start: _Start, run: RunFolder, say: Console) -> DomainMaterial:
    with _bar("reading", len(domain.examples), say) as step:
        return read_domain(
            domain,
            start.encoder,
            split=config.data.split,
            values=run.path / "values.sqlite",
            level=config.constraint.promised,
            progress=step,
        )


def _tell(material: DomainMaterial, say: Console) -> None:
    counts = material.counts()
    say.print("questions: " + ", ".join(f"{counts['questions'][part]} {part}" for part in PARTS))
    queries = {found.query for found in material.unlearnt}
    if queries:
        say.print(f"{len(queries)} gold queries cannot be written: not trained on, misses elsewhere; see report.md")


def _fit(
    config: TrainConfig,
    start: _Start,
    material: DomainMaterial,
    every: list[list[Lesson]],
    *,
    run: RunFolder,
    say: Console,
) -> None:
    """Train the network, and keep the best one in ``best/``."""
    network, encoder = start.network, start.encoder
    network.writes({*np.flatnonzero(network.seen.numpy()).tolist(), *words_written(every)})
    with say.status("what the encoder says of questions and names"):
        lessons = Lessons(every, encoder, start.frozen)
    judge = _Judge(config, material, start, run)
    training = Training(network, lessons, _schedule(config, len(every)), run.path, judge=judge, every=config.eval.every)
    with _bar("training", training.steps, say, "loss {task.fields[loss]}  dev EM {task.fields[dev_em]}") as step:
        for row in training.run(step):
            step(0, **{name: f"{row[name]:.3f}" for name in ("loss", "dev_em") if name in row})
            if "dev_em" in row and not say.is_terminal:
                say.print(f"epoch {row['epoch']}  loss {row['loss']:.3f}  dev EM {row['dev_em']:.3f}")


def _schedule(config: TrainConfig, lessons: int) -> Schedule:
    optim = config.optim
    steps = optim.epochs * -(-lessons // optim.batch_size)
    return Schedule(
        epochs=optim.epochs,
        size=optim.batch_size,
        lr=optim.lr,
        encoder_lr=optim.encoder_lr,
        warmup=max(1, round(optim.warmup * steps)),
        decay=optim.weight_decay if config.model.base == "none" else 0.0,
        anchor=0.0 if config.model.base == "none" else optim.anchor,
        average=optim.average,
        clip=optim.clip,
        seed=config.seed,
    )


class _Judge:
    """Measures a network on dev, and saves it where none was better."""

    def __init__(self, config: TrainConfig, material: DomainMaterial, start: _Start, run: RunFolder) -> None:
        self.config, self.material, self.start, self.run = config, material, start, run
        chosen = evenly(material.parts["dev"], config.eval.dev_examples)
        types = material.types if config.eval.values == "gold" else None
        self.measure = ExactMatch(
            chosen, context=material.context, encoder=start.encoder, frozen=start.frozen, types=types
        )

    def __call__(self, network: TrainableNetwork) -> dict[str, float]:
        found = self.measure(network)
        earlier = [row["dev_em"] for row in self.run.curve() if "dev_em" in row]
        # of equals the last: it has seen more, and the dev part is small
        if found["dev_em"] >= max(earlier, default=0.0) or not self.run.best.exists():
            self._save(network)
        return found

    def _save(self, network: TrainableNetwork) -> None:
        profile, start = self.material.profile, self.start
        card = model_card(self.config, profile, network)
        saved = network.answering(start.encoder, start.frozen)
        about: dict[str, Any] = {"language": profile.language, "card": card}
        save_network(saved, self.run.best, **about, calibration=start.calibration, profile=profile)


def _finish(config: TrainConfig, material: DomainMaterial, run: RunFolder, say: Console) -> None:
    """Score the best parser, once; write the report and, last of all, the summary."""
    scores: dict[str, dict[str, Any]] = {}
    for part in PARTS:
        for values in ("gold", "own") if part == "test" else ("own",):
            if material.parts[part]:
                scores[f"{part}, {values} values"] = _score(config, material, run, say, part=part, values=values)
    measured = [row for row in run.curve() if "dev_em" in row]
    best = max(measured, key=lambda row: (row["dev_em"], row["epoch"]))
    unlearnt = [asdict(found) for found in material.unlearnt]
    summary = {
        "config": config.to_dict(),
        "data": {**material.counts(), "queries_unlearnt": unlearnt},
        "best": {"epoch": best["epoch"], "dev_em": best["dev_em"]},
        "seconds": run.curve()[-1]["seconds"],
        "scores": scores,
    }
    _write_report(summary, material.domain, run)
    write_text(run.summary_file, json.dumps(summary, ensure_ascii=False, indent=1))
    for name, found in scores.items():
        ran = "" if found["execution"] is None else f", execution {found['execution']:.3f}"
        say.print(f"{name}: EM {found['em']:.3f}, by query {found['em_by_query']:.3f}{ran}")


def _score(
    config: TrainConfig, material: DomainMaterial, run: RunFolder, say: Console, *, part: str, values: Any
) -> dict[str, Any]:
    limit = {"train": config.eval.train_examples, "dev": config.eval.dev_examples}.get(part)

    def measure(folder: Path) -> None:
        count = min(limit or len(material.parts[part]), len(material.parts[part]))
        with _bar(f"scores on {part}, {values} values", count, say) as step:
            found = evaluate(
                load_network(run.best),
                material.domain,
                part=part,
                split=config.data.split,
                values=values,
                beam=config.eval.beam,
                level=config.constraint.promised,
                wanted=config.constraint.global_,
                limit=limit,
                progress=step,
            )
        write_text(folder / "scores.json", json.dumps(found.to_json(), ensure_ascii=False))

    file = run.stage(f"scores-{part}-{values}", measure) / "scores.json"
    return Scores.from_json(json.loads(file.read_text(encoding="utf-8"))).to_json()


def _write_report(summary: Mapping[str, Any], domain: Domain, run: RunFolder) -> None:
    plot_learning(run.curve(), run.path / "learning.png")
    name = next((n for n in summary["scores"] if n.startswith("test")), next(iter(summary["scores"])))
    plot_lengths(summary["scores"][name]["by_length"], run.path / "lengths.png")
    write_text(run.report_file, report(summary, title=domain.name))


@contextmanager
def _bar(title: str, total: int, say: Console, shown: str = "") -> Generator[Callable[..., None]]:
    """Show a bar; yields what moves it on by a number of steps, with new values for what it shows."""
    columns = [TextColumn(title), BarColumn(), MofNCompleteColumn(), *([TextColumn(shown)] if shown else [])]
    columns += [TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
    bar = Progress(*columns, console=say, disable=not say.is_terminal)
    with bar:
        task = bar.add_task("", total=total, loss="–", dev_em="–")
        yield lambda steps=1, **fields: bar.update(task, advance=steps, **fields)
