"""One training run from a domain to a scored parser, in a folder that a kill cannot spoil."""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import torch
from rich.console import Console
from transformers import TrainerCallback
from transformers.utils import logging

from ..data.domain import Domain
from ..data.errors import InputError
from ..grammar import LEVELS, MOST_WORDS
from .collate import collate
from .evaluate import ValueSource, evaluate, exact_share
from .material import PARTS, Material, Refused
from .options import TrainConfig
from .pipeline import Parser
from .plots import plot_learning, plot_lengths
from .progress import TrainingBar
from .report import report
from .runs import RunFolder, write_text
from .scores import Scores
from .stages import Examples, find_refused, indicators, make_finder, make_global, make_model, make_tokenizer
from .trainer import ParserTrainer

__all__ = ["train"]


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
        RunError: the folder holds something else.
    """
    say = console or Console(quiet=True)
    config = _resolve(config, domain)
    say.print(_first_line(config, domain))
    material = Material.of(domain, config.data)
    config = _with_bounds(config, material)
    run = RunFolder.open(out, config, resume=resume)
    if run.finished:
        say.print(f"{run.path} holds this run, finished: nothing to do", soft_wrap=True)
        return run.path
    torch.set_num_threads(config.threads)
    _tell_material(material, say)
    parser = _assemble(config, material, run, say)
    refused = _refused(material, parser, run, say)
    _fit(config, material, parser, run, [TrainingBar(say)] if console else [])
    _finish(config, material, refused, run, say)
    return run.path


def _resolve(config: TrainConfig, domain: Domain) -> TrainConfig:
    if config.device == "cuda" and not torch.cuda.is_available():
        raise InputError("there is no CUDA device here", field="device", hint="use auto or cpu")
    if config.data.language not in (None, domain.language):
        problem = f"the domain was read in {domain.language!r}, not in {config.data.language!r}"
        raise InputError(problem, field="data.language", hint="load the domain in the language to train on")
    if config.constraint.grouping == "loose" and domain.dialect != "mysql":
        problem = f"{domain.dialect} has no loose grouping"
        raise InputError(problem, field="constraint.grouping", hint="leave it out; only mysql can be loose")
    config = config.resolved(domain=domain.source, language=domain.language, grouping=domain.grouping)
    if config.optim.precision == "auto":
        config = replace(config, optim=replace(config.optim, precision=_precision(config)))
    return config


def _precision(config: TrainConfig) -> Literal["float32", "bfloat16"]:
    """Return bfloat16 where the processor multiplies in it, and does not only imitate it."""
    if _device(config) == "cuda":
        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float32"
    return "bfloat16" if torch.ops.mkldnn._is_mkldnn_bf16_supported() else "float32"


def _first_line(config: TrainConfig, domain: Domain) -> str:
    where = f"domain {domain.name} ({domain.language}), {config.data.split} split, {_device(config)}"
    return f"encoder {config.model.encoder}, {where}"


def _device(config: TrainConfig) -> str:
    return "cuda" if config.device != "cpu" and torch.cuda.is_available() else "cpu"


def _with_bounds(config: TrainConfig, material: Material) -> TrainConfig:
    """Return the options with the bounds that are left to the training queries, a quarter above the largest."""
    own = config.constraint
    if own.budget is None:
        own = replace(own, budget=min(max(120, math.ceil(1.25 * material.longest)), MOST_WORDS))
    if own.sources is None:
        own = replace(own, sources=math.ceil(1.25 * material.widest))
    if own.joins is None:
        own = replace(own, joins="keys" if material.along_keys else "any")
    return replace(config, constraint=own)


def _tell_material(material: Material, say: Console) -> None:
    counts = material.counts
    parts = ", ".join(f"{counts['questions'][part]} {part}" for part in PARTS)
    say.print(f"questions: {parts}; vocabulary: {len(material.vocabulary)} words")
    if material.left_out:
        say.print(f"{material.left_out} pairs are left out, their queries are longer than data.longest allows")
    for part in ("dev", "test"):
        if counts["unseen"][part]:
            say.print(f"{counts['unseen'][part]} {part} queries have words that no training query has: they are misses")
    if material.uncovered:
        say.print(f"{len(material.uncovered)} gold queries are outside the grammar: not trained on, misses elsewhere")
        for found in material.uncovered:
            say.print(f"  {found.place}: {found.problem}", markup=False, soft_wrap=True)


def _assemble(config: TrainConfig, material: Material, run: RunFolder, say: Console) -> Parser:
    """Return the parser with everything ready but its network's weights."""
    with say.status("classifiers of tables and functions"):
        found = make_global(config, material, run)
    with say.status("value finder"):
        finder = make_finder(config, material, run)
    tokenizer = make_tokenizer(config, material, run)
    return Parser(
        model=make_model(config, material, tokenizer),
        tokenizer=tokenizer,
        vocabulary=material.vocabulary,
        global_constraint=found,
        finder=finder,
        local=config.constraint.local,
        level=config.constraint.level,
        grouping=config.constraint.grouping or "strict",
        language=material.domain.language,
    )


def _refused(material: Material, parser: Parser, run: RunFolder, say: Console) -> list[Refused]:
    """Return the gold queries that the parser's local constraint refuses, and tell how many they are."""
    if not parser.local:
        return []
    with say.status(f"gold queries under the constraint, level {parser.level}"):
        found = find_refused(material, parser.constraint, run)
    if found:
        count = len({r.query for r in found})
        say.print(f"{count} gold queries are refused by the constraint: misses everywhere, report.md says why")
    return found


def _fit(
    config: TrainConfig, material: Material, parser: Parser, run: RunFolder, callbacks: list[TrainerCallback]
) -> None:
    """Train the network and keep the best parser in ``best/``."""
    found = None
    if config.loss.constraint and parser.global_constraint is not None:
        found = indicators(material.train, parser.global_constraint, parser.constraint)

    # an unready network writes like a random one, where the levels above the grammar take their time; what it gets
    # right they would let it write, but for the gold queries that they refuse
    watched = replace(parser, level=LEVELS[0])

    def watch() -> float:
        parser.model.eval()
        return exact_share(watched, material.dev, values=config.eval.values)

    pad: Any = parser.tokenizer.pad_token_id
    trainer = ParserTrainer(
        model=parser.model,
        examples=Examples(material.train, parser.featurizer, found),
        collate=partial(collate, pad=pad),
        config=config,
        run=run,
        watch=watch,
        save=parser.save_pretrained,
        callbacks=callbacks,
    )
    with _quiet():
        trainer.resume()


@contextmanager
def _quiet() -> Generator[None]:
    """Keep transformers from drawing a bar for each file it writes, into the middle of ours."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _finish(config: TrainConfig, material: Material, refused: list[Refused], run: RunFolder, say: Console) -> None:
    """Score the best parser, once; write the report and, last of all, the summary."""
    parser = Parser.from_pretrained(run.best, device=_device(config))
    scores: dict[str, dict[str, Any]] = {}
    for part in PARTS:
        for values in ("gold", "own") if part == "test" else ("gold",):
            if material.counts["questions"][part]:
                with say.status(f"scores on {part}, {values} values"):
                    scores[f"{part}, {values} values"] = _score(config, material, run, parser, part=part, values=values)
    measured = [entry for entry in run.metrics() if "dev_em" in entry]
    best = max(measured, key=lambda entry: (entry["dev_em"], entry["step"]))
    summary = {
        "config": config.to_dict(),
        "data": {**material.to_json(), "refused": [vars(r) for r in refused]},
        "best": {"step": best["step"], "dev_em": best["dev_em"]},
        "scores": scores,
    }
    _write_report(summary, material.domain, run)
    write_text(run.summary_file, json.dumps(summary, ensure_ascii=False, indent=1))
    for name, found in scores.items():
        say.print(
            f"{name}: EM {found['em']:.3f}, by query {found['em_by_query']:.3f}, validity {found['validity']:.3f}"
        )


def _score(
    config: TrainConfig, material: Material, run: RunFolder, parser: Parser, *, part: str, values: ValueSource
) -> dict[str, Any]:
    def measure(folder: Path) -> None:
        found = evaluate(
            parser,
            material.domain,
            part=part,
            split=config.data.split,
            values=values,
            beam=config.eval.beam,
            limit=config.eval.train_examples if part == "train" else None,
        )
        write_text(folder / "scores.json", json.dumps(found.to_json(), ensure_ascii=False))

    file = run.stage(f"scores-{part}-{values}", measure) / "scores.json"
    return Scores.from_json(json.loads(file.read_text(encoding="utf-8"))).to_json()


def _write_report(summary: Mapping[str, Any], domain: Domain, run: RunFolder) -> None:
    plot_learning(run.metrics(), run.path / "learning.png")
    name = next((n for n in summary["scores"] if n.startswith("test")), next(iter(summary["scores"])))
    plot_lengths(summary["scores"][name]["by_length"], run.path / "lengths.png")
    write_text(run.report_file, report(summary, title=domain.name))
