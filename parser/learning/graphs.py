"""Exports a trained network as two ONNX graphs: `READER` encodes a question, `WRITER` scores the next word.

    python -m querent.parser.learning.graphs FOLDER

exports the graphs of a saved network again, which is needed after the numbering of words or relations has changed.
"""

import copy
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MethodType
from typing import Any, TypeAlias, cast

import torch
from torch import Tensor, nn

from ...encoders import Encoder
from ...encoders.export import exported
from ..network.network import READER, WRITER, Network, NetworkConfig
from ..network.saved import load_network, save_network
from ..reader.output_vocabulary import ROLES
from .batches import NodeBatch
from .layers import RelationLayer
from .network import TrainableNetwork

Inputs: TypeAlias = dict[str, tuple[Tensor, dict[int, str]]]
"""Sample inputs, with the names of the axes whose size is free."""

_made: dict[NetworkConfig, dict[str, bytes]] = {}
"""The graphs by the sizes of their networks."""


def answering(network: TrainableNetwork, encoder: Encoder, frozen: int) -> Network:
    """Return a copy of a network for answering.

    Args:
        encoder, frozen: the encoder that it was made with, and the number of its frozen layers.
    """
    arrays = {name: value.detach().cpu().numpy().copy() for name, value in network.state_dict().items()}
    sizes = replace(network.config, encoder="", dropout=0.0)
    if sizes not in _made:
        _made[sizes] = {READER: _reader(network), WRITER: _writer(network)}
    return Network(network.config, arrays, encoder, frozen, _made[sizes])


def _reader(network: TrainableNetwork) -> bytes:
    config, words, held, query = network.config, 3, 4, 2 if network.turn is not None else 0
    nodes, blocks = words + held + query, range(2 * config.decoder_layers)
    inputs: Inputs = {
        "words": (torch.randn(1, words, config.hidden), {1: "words"}),
        "items": (torch.randn(1, held, config.width), {1: "held"}),
        "relations": (torch.zeros(1, nodes, nodes, dtype=torch.uint8), {1: "nodes", 2: "nodes"}),
    }
    inputs |= {n: (torch.zeros(1, nodes, dtype=torch.int64), {1: "nodes"}) for n in ("kinds", "marks", "turns")}
    inputs["query"] = torch.zeros(1, query, dtype=torch.int64), {1: "query"}
    outputs = ["pointed", "keys", "used", "fixed_used", "answerable", *(["carries"] if query else [])]
    outputs[2:2] = [f"memory{n}" for n in blocks]
    part = _part(network, _read)
    for layer in cast(nn.ModuleList, part.layers):
        layer.forward = cast(RelationLayer, layer).read
    return exported(part, inputs, outputs)


def _writer(network: TrainableNetwork) -> bytes:
    config, held, blocks = network.config, 4, range(2 * network.config.decoder_layers)
    width, head = config.width, config.width // config.heads
    inputs: Inputs = {
        "places": (torch.zeros(2, dtype=torch.int64), {0: "hypotheses"}),
        "rows": (torch.zeros(2, dtype=torch.int64), {0: "hypotheses"}),
        "pointed": (torch.randn(1, held, width), {1: "held"}),
        "keys": (torch.randn(1, held, width), {1: "held"}),
        "bias": (torch.zeros(len(network.seen) + held * ROLES), {0: "outputs"}),
    }
    inputs |= {f"memory{n}": (torch.randn(1, config.heads, 9, head), {2: "nodes"}) for n in blocks}
    before = {0: "hypotheses before", 2: "words"}
    inputs |= {f"past{n}": (torch.randn(2, config.heads, 3, head), before) for n in blocks}
    return exported(_part(network, _write), inputs, ["scores", *(f"grown{n}" for n in blocks)])


def _part(network: TrainableNetwork, forward: Callable[..., tuple[Tensor, ...]]) -> nn.Module:
    """Return a network without the encoder's layers, with another forward pass."""
    part = copy.deepcopy(network).cpu()
    del part.upper
    part.forward = MethodType(forward, part)
    return part


def _read(self: TrainableNetwork, *inputs: Tensor) -> tuple[Tensor, ...]:
    """Encode one question, see `TrainableNetwork.read_nodes`."""
    words, items, relations, kinds, marks, turns, query = inputs
    there = torch.ones_like(kinds, dtype=torch.bool)
    nodes = NodeBatch(kinds=kinds, marks=marks, mask=there, relations=relations, turns=turns, query=query)
    states = self.read_nodes(words, items, nodes)
    classes = self.classify(states)
    heads = (classes.used[0], classes.fixed[0], classes.answerable, classes.carries)
    memory = self.decoder.remember(states.nodes)
    return (states.pointed, states.keys, *memory, *(one for one in heads if one is not None))


def _write(self: TrainableNetwork, *inputs: Tensor) -> tuple[Tensor, ...]:
    """Score the next word of each hypothesis, which extends one of the last hypotheses by a word."""
    places, rows, pointed, keys, bias, *others = inputs
    count, width = self.fixed.num_embeddings, self.config.width
    pointer = (places - count).clamp(min=0)
    vectors = pointed[0][pointer // ROLES] + self.role.weight[pointer % ROLES]
    fixed = self.fixed.weight[places.clamp(max=count - 1)]
    x = self.written(torch.where((places < count)[:, None], fixed, vectors))
    half = len(others) // 2
    written, grown = self.decoder.step(x, others[:half], [one[rows] for one in others[half:]])
    pointers = self.query(written) @ keys[0].T * width**-0.5
    pairs = (pointers[..., None] + self.role_key(written)[:, None]).flatten(1)
    return (torch.cat([self.fixed_key(written), pairs], dim=1) + bias).log_softmax(-1), *grown


def main(folder: Path) -> None:
    """Save a network again with the numbering of this version and new graphs."""
    loaded = load_network(folder)
    made, other = TrainableNetwork.of(loaded.network), loaded.network
    about: dict[str, Any] = {name: getattr(loaded, name) for name in ("languages", "calibration", "profile")}
    card = (folder / "README.md").read_text(encoding="utf-8")
    save_network(answering(made, other.encoder, other.frozen), folder, card=card, **about)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
