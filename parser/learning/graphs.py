"""A trained network as the graphs that answer: `READER`, which reads a question, and `WRITER`, which writes a word.

    python -m querent.parser.learning.graphs FOLDER

writes the graphs of a saved network anew, as is due when this version of Querent numbers words or relations otherwise.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from pathlib import Path
from types import MethodType
from typing import Any

import torch
from torch import Tensor, nn

from ...encoders import Encoder
from ...encoders.export import exported
from ..network.network import READER, WRITER, Network
from ..network.saved import load_network, save_network
from ..reader.inputs import TEXTS
from ..reader.schema.output_vocabulary import ROLES
from .inputs import NodeBatch
from .network import Pointers, TrainableNetwork

__all__ = ["answering", "graphs_of"]

_made: dict[tuple[tuple[str, Any], ...], dict[str, bytes]] = {}


def answering(network: TrainableNetwork, encoder: Encoder, frozen: int) -> Network:
    """Return a copy of a network that answers.

    Args:
        encoder, frozen: as it was made with.
    """
    arrays = {name: value.detach().cpu().numpy().copy() for name, value in network.state_dict().items()}
    return Network(network.config, arrays, encoder, frozen, graphs_of(network))


def graphs_of(network: TrainableNetwork) -> dict[str, bytes]:
    """Return the graphs of a network by name; those of one size are made once a process."""
    sizes = tuple((network.config.sizes() | {"hidden": network.config.hidden}).items())
    if sizes not in _made:
        _made[sizes] = {READER: _reader(network), WRITER: _writer(network)}
    return _made[sizes]


def _reader(network: TrainableNetwork) -> bytes:
    words, held, query = 3, 4, 2 if network.turn is not None else 0
    nodes = words + held + query
    numbers = {name: torch.zeros(1, nodes, dtype=torch.int64) for name in ("kinds", "marks", "turns")}
    inputs = {
        "words": torch.randn(1, words, network.config.hidden),
        "vectors": torch.randn(1, held, TEXTS, network.config.hidden),
        "relations": torch.zeros(1, nodes, nodes, dtype=torch.uint8),
        **numbers,
        "query": torch.zeros(1, query, dtype=torch.int64),
    }
    sizes: dict[str, dict[int, str]] = {name: {1: "nodes"} for name in numbers}
    sizes |= {
        "words": {1: "words"},
        "vectors": {1: "held"},
        "relations": {1: "nodes", 2: "nodes"},
        "query": {1: "query"},
    }
    outputs = ["pointed", "keys", "memory", "used", "fixed_used", "answerable", *(["carries"] if query else [])]
    return exported(_part(network, _read), inputs, outputs, sizes)


def _writer(network: TrainableNetwork) -> bytes:
    config, held, nodes = network.config, 4, 9
    width, head = config.width, config.width // config.heads
    inputs = {
        "places": torch.zeros(1, 2, dtype=torch.int64),
        "rows": torch.tensor([0, 0]),
        "pointed": torch.randn(1, held, width),
        "keys": torch.randn(1, held, width),
        "able": torch.ones(1, held, ROLES, dtype=torch.bool),
        "memory": torch.randn(config.decoder_layers, 2, config.heads, nodes, head),
        "past": torch.randn(config.decoder_layers, 2, 2, config.heads, 3, head),
    }
    sizes = {
        "places": {1: "hypotheses"},
        "rows": {0: "hypotheses"},
        "pointed": {1: "held"},
        "keys": {1: "held"},
        "able": {1: "held"},
        "memory": {3: "nodes"},
        "past": {2: "hypotheses before", 4: "words"},
    }
    return exported(_part(network, _write), inputs, ["logits", "grown"], sizes)


def _part(network: TrainableNetwork, forward: Callable[..., tuple[Tensor, ...]]) -> nn.Module:
    """Return a network without the encoder's layers, with another forward pass."""
    part = copy.deepcopy(network).cpu()
    del part.upper
    part.forward = MethodType(forward, part)
    return part


def _read(self: TrainableNetwork, *inputs: Tensor) -> tuple[Tensor, ...]:
    """Read one question, see `TrainableNetwork.read_nodes`."""
    words, vectors, relations, kinds, marks, turns, query = inputs
    there = torch.ones_like(kinds, dtype=torch.bool)
    nodes = NodeBatch(kinds=kinds, marks=marks, mask=there, relations=relations, turns=turns, query=query)
    states = self.read_nodes(words, vectors, nodes)
    classes = self.classify(states)
    heads = (classes.used[0], classes.fixed[0], classes.answerable, classes.carries)
    memory = self.decoder.remember(states.nodes)
    return (states.pointed, states.keys, memory, *(one for one in heads if one is not None))


def _write(self: TrainableNetwork, *inputs: Tensor) -> tuple[Tensor, ...]:
    """Write one more word of each hypothesis, which goes on from one of those before."""
    places, rows, pointed, keys, able, memory, past = inputs
    states = Pointers(pointed=pointed, keys=keys, able=able)
    written, grown = self.decoder.step(self.embed(places, states), memory, past[:, :, rows])
    return self.score(written, states)[0], grown


def main(folder: Path) -> None:
    """Save a network anew, in the numbering of this version, with its graphs."""
    loaded = load_network(folder)
    made, other = TrainableNetwork.of(loaded.network), loaded.network
    about: dict[str, Any] = {name: getattr(loaded, name) for name in ("languages", "calibration", "profile")}
    card = (folder / "README.md").read_text(encoding="utf-8")
    save_network(answering(made, other.encoder, other.frozen), folder, card=card, **about)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
