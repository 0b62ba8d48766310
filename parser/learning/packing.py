"""A training in a folder that travels: on another machine it needs neither collections, nor databases, nor an encoder.

about.json              sizes of the network and the encoder, and the languages of the questions
examples.pickle.xz      the training examples and the held-out ones, each schema and question once
vectors.safetensors.xz  what the encoder says of their texts
encoder.safetensors.xz  its layers that stay as they are, and the embeddings of the pieces that occur
network.safetensors.xz  the network to begin with, which holds the encoder's other layers

All weights and vectors are in half precision. The pickle may name no class but those of examples, see `read_pickled`.
"""

from __future__ import annotations

import lzma
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load, save

from ...data.errors import InputError
from ...data.hashed_folder import read_json, write_json
from ...data.schema.schema import ByName
from ...encoders.bert import WORDS, Bert
from ...encoders.weights import selected
from ..network.network import NetworkConfig
from ..reader.items import SchemaItems
from .batches import TrainingSet, questions_of, texts_of
from .network import TrainableNetwork
from .training_examples import TrainingExample

__all__ = ["Packed", "halved", "pack", "read_pickled", "unpack"]

Arrays = dict[str, NDArray[Any]]

_FOREIGN = {
    *(("numpy", name) for name in ("_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype")),
    *(("datetime", name) for name in ("datetime", "date", "timedelta")),
}
_SIZES = ("hidden", "layers", "heads", "epsilon", "positions", "first")
_UPPER = "upper.layers."
_HALVES = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lp": 1, "pb": 1}]  # of two bytes each; 5 % less than without


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
    bert, frozen = examples.bert, examples.frozen
    with lzma.open(folder / "examples.pickle.xz", "wb") as file:
        pickle.dump((examples.examples, examples.held_out), file)
    _save(folder, "vectors", {"vectors": examples.vectors})
    pieces = {piece for question in questions_of([*examples.examples, examples.held_out]) for piece in question}
    _save(folder, "encoder", _needed(bert, frozen, np.array(sorted(pieces))))
    _save(folder, "network", halved(network))
    sizes = {name: getattr(bert, name) for name in _SIZES} | {"words": len(bert.words)}
    told = {"network": network.config.to_json(), "encoder": sizes, "frozen": frozen, "languages": [*languages]}
    write_json(folder / "about.json", told)


def unpack(folder: Path, *more: Path, device: str = "cpu") -> Packed:
    """Read what `pack` wrote.

    Args:
        more: folders whose examples are learnt beside those of the first, of the same encoder; the network to begin
            with is the first one's.
        device: where to train.

    Raises:
        InputError: they are of another encoder, or freeze other layers.
    """
    folders = [folder, *more]
    told = [read_json(one / "about.json") for one in folders]
    about = told[0]
    for one, other in zip(more, told[1:], strict=True):
        if (other["encoder"], other["frozen"]) != (about["encoder"], about["frozen"]):
            raise InputError("packed for another encoder, or with other layers frozen", file=one / "about.json")
    weights, frozen = _load(folder, "network"), int(about["frozen"])
    bert = _encoder([_load(one, "encoder") for one in folders], weights, frozen, about["encoder"])
    network = TrainableNetwork(NetworkConfig(**about["network"]), bert, frozen)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    for one in more:
        network.seen |= torch.from_numpy(_load(one, "network")["seen"])
    examples: list[list[TrainingExample]] = []
    held_out: list[TrainingExample] = []
    vectors: dict[str, NDArray[Any]] = {}
    for one in folders:
        with lzma.open(one / "examples.pickle.xz") as file:
            own, judged = read_pickled(file)
        vectors |= dict(zip(texts_of([*own, judged]), _load(one, "vectors")["vectors"], strict=True))
        examples, held_out = [*examples, *own], [*held_out, *judged]
    table = np.array([vectors[text] for text in sorted(vectors)])
    given: dict[str, Any] = {"held_out": held_out, "device": device}
    languages = sorted({language for one in told for language in one["languages"]})
    return Packed(TrainingSet(examples, table, bert, frozen, **given), network, languages)


def read_pickled(stream: IO[bytes]) -> Any:
    """Return what was pickled of examples.

    Raises:
        UnpicklingError: it has something else than data classes of this package, arrays and times.
    """
    return _Unpickler(stream).load()


class _Unpickler(pickle.Unpickler):
    """Makes nothing that could run a program, so that a folder of somebody else's may be read."""

    def find_class(self, module: str, name: str) -> Any:
        own = module.partition(".")[0] == __name__.partition(".")[0] and "." not in name
        if own or (module.partition(".")[0], name) in _FOREIGN:
            found = super().find_class(module, name)
            if not own or (found.__module__ == module and (is_dataclass(found) or found in (ByName, SchemaItems))):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is nothing that examples are made of")


def halved(network: TrainableNetwork) -> Arrays:
    """Return the weights of a network in half precision."""
    arrays = {name: value.detach().cpu().numpy() for name, value in network.state_dict().items()}
    return {name: array.astype(np.float16) if array.dtype.kind == "f" else array for name, array in arrays.items()}


def _save(folder: Path, name: str, arrays: Arrays) -> None:
    with lzma.open(folder / f"{name}.safetensors.xz", "wb", filters=_HALVES) as file:
        file.write(save(arrays))


def _load(folder: Path, name: str) -> Arrays:
    with lzma.open(folder / f"{name}.safetensors.xz") as file:
        return load(file.read())


def _needed(bert: Bert, frozen: int, pieces: NDArray[np.int64]) -> Arrays:
    """Return the weights that read questions of these pieces."""
    places = ("embeddings.", *(f"encoder.layer.{n}." for n in range(frozen)))
    found = {place + name: array for place in places for name, array in selected(bert.weights, place).items()}
    found = {name: array.astype(np.float16) for name, array in found.items() if array.dtype.kind == "f"}
    return found | {WORDS: np.asarray(bert.words[pieces], np.float16), "pieces": pieces}


def _encoder(several: Sequence[Arrays], network: Arrays, frozen: int, about: Mapping[str, Any]) -> Bert:
    """Return the encoder with the layers that stay as they are, and above them those of the network.

    Args:
        several: the encoder as it was packed, each time with other pieces.
    """
    words = np.zeros((about["words"], about["hidden"]), np.float16)
    for arrays in several:
        words[arrays["pieces"]] = arrays[WORDS]
    arrays = several[0]
    found = {name: array.astype(np.float32) for name, array in arrays.items() if name not in ("pieces", WORDS)}
    found |= {name: array.astype(np.float32) for name, array in _upper_layers(network, frozen).items()}
    return Bert(found, words, **{name: about[name] for name in _SIZES})


def _upper_layers(network: Mapping[str, NDArray[Any]], frozen: int) -> Arrays:
    """Return the layers that a network has learnt of its encoder, named as they are there."""
    found: Arrays = {}
    for name, array in network.items():
        if name.startswith(_UPPER):
            layer, own = name.removeprefix(_UPPER).split(".", 1)
            found[f"encoder.layer.{frozen + int(layer)}.{own}"] = array
    return found
