"""The picture of the proxy benchmarks: how right answers are, turn by turn."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")  # no screen is needed
from matplotlib import pyplot as plt

__all__ = ["plot_turns"]

_DRAWN = {"alone": "tab:gray", "state": "tab:blue", "feedback": "tab:green"}
_TITLES = {"sparc": "ProxySParC", "cosql": "ProxyCoSQL"}


def plot_turns(sets: Mapping[str, Any], file: Path) -> None:
    """Draw EX by the number of the turn, for each set and language that was measured."""
    measured = [(key, language) for key in _TITLES for language in ("en", "zh") if f"{key}, {language}" in sets]
    figure, axes = plt.subplots(1, len(measured), figsize=(2.6 * len(measured), 2.8), sharey=True, layout="constrained")
    for axis, (key, language) in zip(axes, measured, strict=True):
        systems = sets[f"{key}, {language}"]["systems"]
        for name, colour in _DRAWN.items():
            turns = systems[name]["by turn"]
            axis.plot([int(turn) for turn in turns], [one["ex"] for one in turns.values()], "o-", color=colour, ms=3)
        axis.set(title=f"{_TITLES[key]}, {language}", xlabel="turn", ylim=(0, 1))
    axes[0].set(ylabel="EX")
    figure.legend(list(_DRAWN), loc="outside lower center", ncols=len(_DRAWN), frameon=False)
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)
