"""Make a network of what `train_packed.py` wrote: its pieces of weights, on the encoder that is installed here.

    python bench/accuracy/from_pieces.py OUT FOLDER

FOLDER is then loaded like any trained network.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from base_card import model_card
from safetensors.numpy import load_file

from querent.data.hashed_folder import read_json
from querent.encoders import load_encoder
from querent.parser.learning.graphs import answering
from querent.parser.learning.network import TrainableNetwork
from querent.parser.network.network import Network, NetworkConfig
from querent.parser.network.saved import save_network


def main() -> None:
    """Join the pieces."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="what `train_packed.py` wrote")
    parser.add_argument("folder", type=Path, help="of the network")
    options = parser.parse_args()
    about = read_json(options.out / "trained.json")["about"]
    save_network(joined(options.out), options.folder, languages=about["languages"], card=model_card(about))


def joined(out: Path) -> Network:
    """Return the network of the pieces in a folder, whose weights are in half precision."""
    told = read_json(out / "trained.json")
    config, frozen = NetworkConfig(**told["network"]), told["frozen"]
    weights = {n: a for file in sorted(out.glob("weights-*.safetensors")) for n, a in load_file(file).items()}
    encoder = load_encoder(config.encoder)
    network = TrainableNetwork(config, encoder.model, frozen)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    return answering(network, encoder, frozen)


if __name__ == "__main__":
    main()
