"""A training in a folder that travels: on another machine it needs neither collections nor databases.

about.json          sizes of the network, its encoder, and the languages of the questions
examples.pickle     the training examples and the held-out ones, each schema and question once
arrays.safetensors  what the encoder says of their texts, and the network to begin with, in half precision

A pickle can run any program as it is read: unpack what you packed yourself.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from ...data.errors import InputError
from ...data.hashed_folder import read_json, write_json
from ...encoders import load_encoder
from ..network.network import NetworkConfig
from .batches import TrainingSet, texts_of
from .network import TrainableNetwork
from .training_examples import TrainingExample

__all__ = ["Packed", "halved", "pack", "unpack"]

Arrays = dict[str, NDArray[Any]]

_VECTORS = "vectors of texts"


@dataclass(frozen=True)
class Packed:
    """What was unpacked.

    Attributes:
        examples: to learn from.
        network: to begin with.
        languages: of the questions.
    """

    examples: TrainingSet
    network: TrainableNetwork
    languages: list[str]


def pack(folder: Path, examples: TrainingSet, network: TrainableNetwork, languages: Sequence[str]) -> None:
    """Write a training into a folder; its questions are in some languages."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "examples.pickle").write_bytes(pickle.dumps((examples.examples, examples.held_out)))
    save_file({**halved(network), _VECTORS: examples.vectors}, folder / "arrays.safetensors")
    about = {"network": network.config.to_json(), "frozen": examples.frozen, "languages": [*languages]}
    write_json(folder / "about.json", about)


def unpack(folder: Path, *more: Path, device: str = "cpu") -> Packed:
    """Read what `pack` wrote.

    Args:
        more: folders whose examples are learnt beside those of the first, of the same encoder; the network to begin
            with is the first one's.
        device: where to train.

    Raises:
        InputError: they are of another encoder, or freeze other layers.
    """
    abouts = [read_json(one / "about.json") for one in (folder, *more)]
    config, frozen = NetworkConfig(**abouts[0]["network"]), int(abouts[0]["frozen"])
    examples: list[list[TrainingExample]] = []
    held_out: list[TrainingExample] = []
    vectors: dict[str, NDArray[Any]] = {}
    networks: list[Arrays] = []
    for one, about in zip((folder, *more), abouts, strict=True):
        if (about["network"]["encoder"], about["frozen"]) != (config.encoder, frozen):
            raise InputError("packed for another encoder, or with other layers frozen", file=one / "about.json")
        own, judged = pickle.loads((one / "examples.pickle").read_bytes())
        networks.append(load_file(one / "arrays.safetensors"))
        vectors |= dict(zip(texts_of([*own, judged]), networks[-1].pop(_VECTORS), strict=True))
        examples, held_out = [*examples, *own], [*held_out, *judged]
    bert = load_encoder(config.encoder).model
    network = TrainableNetwork(config, bert, frozen)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in networks[0].items()})
    for arrays in networks[1:]:
        network.seen |= torch.from_numpy(arrays["seen"])
    table = np.array([vectors[text] for text in sorted(vectors)])
    languages = sorted({language for about in abouts for language in about["languages"]})
    return Packed(TrainingSet(examples, table, bert, frozen, held_out=held_out, device=device), network, languages)


def halved(network: TrainableNetwork) -> Arrays:
    """Return the weights of a network in half precision."""
    arrays = {name: value.detach().cpu().numpy() for name, value in network.state_dict().items()}
    return {name: array.astype(np.float16) if array.dtype.kind == "f" else array for name, array in arrays.items()}
