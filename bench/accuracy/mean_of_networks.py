"""Average the weights of networks that began from the same one (Wortsman et al. 2022, model soups).

    python bench/accuracy/mean_of_networks.py shipped runs/one runs/other --out runs/mean

What one of them may write, the mean may. It keeps the confidence of the first until it gets its own (`fit_weights.py`).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from querent.encoders.functions import Floats
from querent.encoders.weights import selected
from querent.parser.base import parser_folder
from querent.parser.network.network import Network
from querent.parser.network.saved import load_network, save_network


def main() -> None:
    """Average, and save the network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+", type=Path, help="folders of networks of one size and encoder")
    parser.add_argument("--out", type=Path, required=True, help="folder of their mean")
    options = parser.parse_args()
    folders = [parser_folder(folder) for folder in options.networks]
    loaded = [load_network(folder) for folder in folders]
    first = loaded[0].network
    several = [selected(one.network.weights) for one in loaded]
    mean = {name: averaged([arrays[name] for arrays in several]) for name in several[0]}
    made = Network(first.config, mean, first.encoder, first.frozen, first.graphs)
    card = (folders[-1] / "README.md").read_text(encoding="utf-8")
    card = f"{card.rstrip()}\n\nThe weights are the mean of those of {len(folders)} networks; this tells of the last.\n"
    save_network(made, options.out, languages=loaded[0].languages, card=card, calibration=loaded[0].calibration)


def averaged(arrays: list[Floats]) -> Floats:
    """Return the mean of arrays; of masks what any of them lets through."""
    if arrays[0].dtype.kind != "f":
        return np.logical_or.reduce(arrays)
    return np.mean([array.astype(np.float32) for array in arrays], axis=0).astype(arrays[0].dtype)


if __name__ == "__main__":
    main()
