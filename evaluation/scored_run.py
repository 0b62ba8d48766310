"""One training run from a domain to a scored parser, with its report as Markdown."""

import json
from collections.abc import Iterable, Mapping, Sequence
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
from .scores import Scores


def train(
    config: TrainConfig, domain: Domain, out: Path | str, *, resume: bool = True, console: Console | None = None
) -> Path:
    """Train a parser on a domain and score it; return the run folder.

    Args:
        config: the options; those left at None are filled in from the domain.
        domain: the domain to learn.
        out: the run folder; an unfinished run of the same configuration is resumed.
        resume: whether the folder may hold a run already.
        console: for messages; None is silence.

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


def plot_learning(curve: Sequence[Mapping[str, Any]], file: Path) -> None:
    """Draw the training loss (logarithmic) and the exact match on dev over the epochs."""
    from matplotlib.figure import Figure  # half a second, which a run that is not scored does not need

    figure: Any = Figure(figsize=(7.0, 3.2), layout="constrained")  # needs no screen
    left = figure.subplots()
    losses = [(row["epoch"], row["loss"]) for row in curve]
    scores = [(row["epoch"], row["dev_em"]) for row in curve if "dev_em" in row]
    left.plot(*zip(*losses, strict=True), color="tab:gray", label="loss")
    left.set(xlabel="epoch", ylabel="training loss", yscale="log")
    right = left.twinx()
    right.plot(*zip(*scores, strict=True), color="tab:blue", marker="o", ms=3, label="dev EM")
    right.set(ylabel="exact match on dev", ylim=(0, 1))
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    figure.savefig(file, dpi=150)


def report(summary: Mapping[str, Any], *, title: str) -> str:
    """Return the report as Markdown.

    Args:
        summary: what ``summary.json`` holds: ``config``, ``data``, ``best``, ``seconds`` and ``scores``, a mapping of
            names such as ``test, gold values`` to `Scores.to_json`.
        title: of the domain.
    """
    scores = {name: Scores.from_json(found) for name, found in summary["scores"].items()}
    config, read, unlearnt = summary["config"], next(iter(_tests(scores).values())), summary["data"]["queries_unlearnt"]
    constraint = config["constraint"]
    parts = [
        f"# {title}, {config['data']['split']} split",
        f"Base `{config['model']['base']}`, seed {config['seed']}, local constraint {constraint['level']}, "
        f"global constraint {constraint['global']}; {summary['seconds'] / 60:.1f} minutes of training. "
        f"Best on dev at epoch {summary['best']['epoch']} with exact match {_share(summary['best']['dev_em'])}. "
        "Exact match compares normal forms, word by word.",
        "## Data",
        _table(["", "train", "dev", "test"], _data_rows(summary["data"])),
        *_unlearnt(unlearnt),
        "## Parser",
        _table(["", *scores], _rows(scores, _SCORES)),
        "![Loss and exact match on dev over the training](learning.png)",
        "## Global constraint and values",
        _table(["", *scores], _rows(scores, _UPSTREAM)),
        "## Wrong answers",
        *_wrong(read),
    ]
    return "\n\n".join(parts) + "\n"


_UPSTREAM = ("table_f1", "function_f1", "column_f1", "all_values_found", "inside_global", "share_left")
_OF_MODELS = ("unheard", "tokens", "seconds_each")
_SCORES = tuple(name for name in Scores.TITLES if name not in (*_UPSTREAM, *_OF_MODELS))


_DATA = {
    "questions": "questions",
    "queries": "distinct queries",
    "unlearnt": "questions whose gold query cannot be written",
}


def _data_rows(data: Mapping[str, Any]) -> list[list[str]]:
    return [[title, *(str(data[name][part]) for part in ("train", "dev", "test"))] for name, title in _DATA.items()]


def _unlearnt(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the list of the gold queries that the parser cannot write."""
    if not found:
        return []
    lines = "\n".join(f"- `{u['place']}` ({u['part']}, {u['pairs']} pairs) {_cell(u['problem'])}" for u in found)
    return [f"Gold queries that cannot be written, left out of training and counted as wrong elsewhere:\n\n{lines}"]


def _rows(scores: Mapping[str, Scores], names: Sequence[str]) -> list[list[str]]:
    return [[Scores.TITLES[name], *(_figure(name, getattr(s, name)) for s in scores.values())] for name in names]


def _figure(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    return str(value) if name == "n" else f"{value:.1f}" if name == "seconds" else _share(value)


def _tests(scores: Mapping[str, Scores]) -> dict[str, Scores]:
    return {name: s for name, s in scores.items() if s.part == "test"} or dict(scores)


def _wrong(scores: Scores) -> list[str]:
    if not scores.wrong:
        return ["None."]
    blocks = [f"From {scores.part}, {scores.values} values, the first {len(scores.wrong)}:"]
    for w in scores.wrong:
        queries = f"```sql\n-- gold\n{w['gold']}\n-- got\n{w['got']}\n```"
        blocks.append(f"**{_cell(w['question'])}** (`{w['id']}`)\n\n{queries}")
    return blocks


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = list(head)
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(_cell(c) for c in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
