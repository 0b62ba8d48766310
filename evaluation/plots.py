"""The pictures of a run's report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["plot_learning", "plot_lengths"]


def _figure() -> tuple[Any, Any]:
    """Return a figure that needs no screen, and its axes."""
    from matplotlib.figure import Figure  # half a second, which a run that is not scored does not need

    figure = Figure(figsize=(7.0, 3.2), layout="constrained")
    return figure, figure.subplots()


def plot_learning(curve: Sequence[Mapping[str, Any]], file: Path) -> None:
    """Draw the training loss (logarithmic) and the dev exact match over the epochs."""
    figure, left = _figure()
    losses = [(row["epoch"], row["loss"]) for row in curve]
    scores = [(row["epoch"], row["dev_em"]) for row in curve if "dev_em" in row]
    left.plot([s for s, _ in losses], [v for _, v in losses], color="tab:gray", label="loss")
    left.set(xlabel="epoch", ylabel="training loss", yscale="log")
    right = left.twinx()
    right.plot([s for s, _ in scores], [v for _, v in scores], color="tab:blue", marker="o", ms=3, label="dev EM")
    right.set(ylabel="exact match on dev", ylim=(0, 1))
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    figure.savefig(file, dpi=150)


def plot_lengths(by_length: Mapping[str, Mapping[str, Any]], file: Path) -> None:
    """Draw exact match for each bin of gold query length, with the number of questions on each bar."""
    figure, axis = _figure()
    bars = axis.bar(list(by_length), [row["em"] for row in by_length.values()], color="tab:blue")
    axis.bar_label(bars, [f"n={row['n']}" for row in by_length.values()], fontsize=8)
    axis.set(xlabel="words in the gold query", ylabel="exact match", ylim=(0, 1.1))
    figure.savefig(file, dpi=150)
