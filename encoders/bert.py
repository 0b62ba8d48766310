"""Encoders built like BERT (Devlin et al. 2019): a graph for each layer, opened at first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError

from ..data.errors import InputError
from ..data.hashed_folder import read_json
from .functions import Floats
from .graph import Graph, layer_graph, trim
from .weights import StoredWeights, selected

_LIKE_BERT = ("bert", "roberta", "xlm-roberta", "camembert")
"""The kinds of models that are built alike; MPNet and DeBERTa look so, but need relative positions."""

WORDS = "embeddings.word_embeddings.weight"
"""The name of the table of word pieces, whose rows may stay in a file."""

_PREFIXES = ("bert.", "roberta.")
"""The prefixes of the names of weights where a model was saved with a head."""

_LastRead = dict[tuple[tuple[int, ...], int | None], Floats]


@dataclass(frozen=True)
class Bert:
    """An encoder without a pooler.

    Attributes:
        weights: as in transformers' ``BertModel``, but for `WORDS`.
        words: the vectors of word pieces, (pieces, hidden).
        hidden: width of a state.
        layers: how many there are.
        heads: of each attention.
        epsilon: of the norms.
        positions: most tokens of a text.
        first: number of the first position.
    """

    weights: Mapping[str, Floats]
    words: Floats
    hidden: int
    layers: int
    heads: int
    epsilon: float
    positions: int
    first: int
    _embeddings: dict[str, Floats] = field(default_factory=dict[str, Floats], init=False, repr=False, compare=False)
    _opened: dict[int, Graph] = field(default_factory=dict[int, Graph], init=False, repr=False, compare=False)
    _read: _LastRead = field(default_factory=_LastRead, init=False, repr=False, compare=False)

    @classmethod
    def from_pretrained(cls, folder: Path) -> Bert:
        """Read a folder that transformers wrote: ``config.json`` and ``model.safetensors``.

        Raises:
            InputError: a file is missing or broken, or the model is not built like BERT.
        """
        about: dict[str, Any] = read_json(folder / "config.json")
        kind = str(about.get("model_type"))
        if kind not in _LIKE_BERT or about.get("hidden_act", "gelu") != "gelu":
            problem = f"an encoder of the kind {kind!r} is not built like BERT"
            hint = f"take e5, or a model of {', '.join(_LIKE_BERT)}"
            raise InputError(problem, field="encoder", hint=hint)
        file = folder / "model.safetensors"
        try:
            weights = StoredWeights(file, _PREFIXES)
            words = weights.mapped(WORDS)
        except (OSError, SafetensorError, KeyError) as error:
            hint = "take a model that was saved as one model.safetensors"
            raise InputError(f"cannot be read: {error}", file=file, field="encoder", hint=hint) from error
        layers = about["num_hidden_layers"]
        held = {name.split(".")[2] for name in weights if name.startswith("encoder.layer.")}
        if not isinstance(layers, int) or not 0 <= layers <= len(held):  # it could claim a billion
            problem = f"has {layers!r} layers, and model.safetensors holds {len(held)}"
            raise InputError(problem, file=folder / "config.json", field="num_hidden_layers")
        first = 0 if kind == "bert" else int(about.get("pad_token_id", 1)) + 1  # RoBERTa's stand behind padding's
        return cls(
            weights,
            words,
            hidden=about["hidden_size"],
            layers=layers,
            heads=about["num_attention_heads"],
            epsilon=about.get("layer_norm_eps", 1e-12),
            positions=about["max_position_embeddings"] - first,
            first=first,
        )

    @property
    def inner(self) -> int:
        """Return the width between the two last matrices of a layer."""
        return len(self.weights["encoder.layer.0.intermediate.dense.bias"])

    @property
    def fingerprint(self) -> str:
        """Return a hash of biases and some words, which training moves: it differs for other weights."""
        found = sha256(self.words[:64].tobytes())
        for name in sorted(name for name in self.weights if name.endswith(".bias")):
            found.update(self.weights[name].tobytes())
        return found.hexdigest()

    def layer(self, number: int) -> dict[str, Floats]:
        """Return the weights of a layer, as in transformers' ``BertLayer``."""
        return selected(self.weights, f"encoder.layer.{number}.")

    def graph(self, weights: Mapping[str, Floats]) -> Graph:
        """Return a layer of this encoder's sizes with weights of its own, see `layer_graph`."""
        return Graph(layer_graph(self.hidden, self.inner, self.heads, self.epsilon), weights)

    def states(self, ids: NDArray[np.int64], layers: int | None = None) -> Floats:
        """Return the states (texts, tokens, hidden) of texts of one length.

        Args:
            ids: (texts, tokens).
            layers: how many of the first layers are used; all if None.
        """
        return self._through(ids, np.ones(ids.shape, np.int32), layers)

    def padded(self, texts: Sequence[Sequence[int]], layers: int | None = None) -> list[Floats]:
        """Return the states (tokens, hidden) of texts of different lengths, quickest where these are close."""
        lengths = np.array([len(text) for text in texts])
        there = np.arange(lengths.max()) < lengths[:, None]
        ids = np.zeros(there.shape, np.int64)
        ids[there] = np.concatenate([np.asarray(text, np.int64) for text in texts])
        states = self._through(ids, there.astype(np.int32), layers)
        return [own[:length] for own, length in zip(states, lengths, strict=True)]

    def states_of(self, pieces: tuple[int, ...], layers: int | None = None) -> Floats:
        """Return the states (tokens, hidden) of one text, which are cached until another is read."""
        found = self._read.get((pieces, layers))
        if found is None:
            found = self.states(np.array([pieces]), layers)[0]
            found.flags.writeable = False
            self._read.clear()
            self._read[pieces, layers] = found
        return found

    def _through(self, ids: NDArray[np.int64], there: NDArray[np.int32], layers: int | None) -> Floats:
        states, wanted = self._embedded(ids), range(self.layers if layers is None else layers)
        if closed := [number for number in wanted if number not in self._opened]:
            self._opened.update((number, self.graph(self.layer(number))) for number in closed)
            if len(self._opened) == self.layers:  # before that, further layers will use the memory
                trim()
        for number in wanted:
            (states,) = self._opened[number](states=states, there=there)
        return states

    def _embedded(self, ids: NDArray[np.int64]) -> Floats:
        """Return the states before the first layer: words, positions and the type of a single text, under a norm."""
        if not self._embeddings:
            places = (
                "position_embeddings.weight",
                "token_type_embeddings.weight",
                "LayerNorm.weight",
                "LayerNorm.bias",
            )
            self._embeddings.update((place, self.weights[f"embeddings.{place}"]) for place in places)
        positions, types, scale, shift = self._embeddings.values()
        x = self.words[ids].astype(np.float32) + positions[self.first + np.arange(ids.shape[1])] + types[0]
        x -= x.mean(-1, keepdims=True)
        variance = np.square(x).mean(-1, keepdims=True)
        return x / np.sqrt(variance + np.float32(self.epsilon)) * scale + shift
