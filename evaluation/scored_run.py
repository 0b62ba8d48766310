"""One training run from a domain to a scored parser, with its report."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from ..data.domains.domain import Domain
from ..data.whole_files import write_text
from ..parser.answering.asking import ConnectOptions
from ..parser.learning.domain_dataset import PARTS
from ..parser.learning.training_run import Trained, fit
from ..parser.network.saved import load_network
from ..parser.settings.options import TrainConfig
from ..parser.settings.progress import bar
from .evaluate import ValueSource, evaluate
from .report import plot_learning, report


def train(
    config: TrainConfig, domain: Domain, out: Path | str, *, resume: bool = True, console: Console | None = None
) -> Path:
    """Train a parser on a domain and score it; return the run folder.

    Args:
        config: the options; those left at None are filled in from the domain.
        domain: what to learn.
        out: the run folder; an unfinished run of the same configuration is gone on with.
        resume: whether the folder may hold a run already.
        console: where to tell what is going on; None is silence.

    Raises:
        InputError: an option or the domain does not work out.
        RunError: the folder holds something else, or there is no base network there.
    """
    say, folder = console or Console(quiet=True), Path(out)
    trained = fit(config, domain, folder, resume=resume, say=say)
    if trained is None:
        say.print(f"{folder} holds this run, finished: nothing to do", soft_wrap=True)
    else:
        _finish(trained, say)
    return folder


def _finish(trained: Trained, say: Console) -> None:
    """Score the best parser of a run, once; write the report and, last of all, the summary."""
    run, config, dataset = trained.run, trained.config, trained.dataset
    scores: dict[str, dict[str, Any]] = {}
    for part in PARTS:
        for values in ("gold", "own") if part == "test" else ("own",):
            if dataset.parts[part]:
                scores[f"{part}, {values} values"] = _score(trained, say, part=part, values=values)
    measured = [row for row in run.curve() if "dev_em" in row]
    best = max(measured, key=lambda row: (row["dev_em"], row["epoch"]))
    unlearnt = [asdict(found) for found in dataset.unlearnt]
    summary = {
        "config": config.to_dict(),
        "data": {**dataset.counts(), "queries_unlearnt": unlearnt},
        "best": {"epoch": best["epoch"], "dev_em": best["dev_em"]},
        "seconds": run.curve()[-1]["seconds"],
        "scores": scores,
    }
    plot_learning(run.curve(), run.path / "learning.png")
    write_text(run.report_file, report(summary, title=dataset.domain.name))
    write_text(run.summary_file, json.dumps(summary, ensure_ascii=False, indent=1))
    for name, found in scores.items():
        ran = "" if found["execution"] is None else f", execution {found['execution']:.3f}"
        say.print(f"{name}: EM {found['em']:.3f}, by query {found['em_by_query']:.3f}{ran}")


def _score(trained: Trained, say: Console, *, part: str, values: ValueSource) -> dict[str, Any]:
    run, config, dataset = trained.run, trained.config, trained.dataset
    limit = {"train": config.eval.train_examples, "dev": config.eval.dev_examples}.get(part)

    def measure(folder: Path) -> None:
        count = min(limit or len(dataset.parts[part]), len(dataset.parts[part]))
        with bar(f"scores on {part}, {values} values", count, say) as step:
            found = evaluate(
                load_network(run.best),
                dataset.domain,
                part=part,
                split=config.data.split,
                values=values,
                beam=config.eval.beam,
                options=ConnectOptions(level=config.constraint.promised),
                global_mode=config.constraint.global_,
                limit=limit,
                progress=step,
            )
        write_text(folder / "scores.json", json.dumps(found.to_json(), ensure_ascii=False))

    file = run.stage(f"scores-{part}-{values}", measure) / "scores.json"
    return json.loads(file.read_text(encoding="utf-8"))
