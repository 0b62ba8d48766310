"""Encoders built like BERT (Devlin et al. 2019), in numpy.

Nothing is padded: the tokens of all texts go through a layer's matrices together, and texts of one length attend at a
time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError

from ..data.errors import InputError
from ..data.hashed_folder import read_json
from .functions import Floats, gelu, softmax
from .weights import Weights, read_weights

__all__ = ["LIKE_BERT", "Bert", "encoder_layer"]

LIKE_BERT = ("bert", "roberta", "xlm-roberta", "camembert")
"""Kinds of models that are built alike: layers of MPNet and DeBERTa look so, and need relative positions besides."""


@dataclass(frozen=True)
class Bert:
    """An encoder without a pooler.

    Attributes:
        weights: as in transformers' ``BertModel``.
        hidden: width of a state.
        layers: how many there are.
        heads: of each attention.
        epsilon: of the norms.
        positions: most tokens of a text.
        first: number of the first position.
    """

    weights: Weights
    hidden: int
    layers: int
    heads: int
    epsilon: float
    positions: int
    first: int
    _read: dict[tuple[tuple[int, ...], int | None], Floats] = field(
        default_factory=dict[tuple[tuple[int, ...], int | None], Floats], init=False, repr=False, compare=False
    )

    @classmethod
    def from_pretrained(cls, folder: Path) -> Bert:
        """Read a folder that transformers wrote: ``config.json`` and ``model.safetensors``.

        Raises:
            InputError: a file is missing or broken, or the model is not built like BERT.
        """
        about: dict[str, Any] = read_json(folder / "config.json")
        kind = str(about.get("model_type"))
        if kind not in LIKE_BERT or about.get("hidden_act", "gelu") != "gelu":
            problem = f"an encoder of the kind {kind!r} is not built like BERT"
            hint = f"take e5, or a model of {', '.join(LIKE_BERT)}"
            raise InputError(problem, field="encoder", hint=hint)
        file = folder / "model.safetensors"
        try:
            arrays = {_bare(name): array for name, array in read_weights(file).items()}
        except (OSError, SafetensorError) as error:
            hint = "take a model that was saved as one model.safetensors"
            raise InputError(f"cannot be read: {error}", file=file, field="encoder", hint=hint) from error
        layers = about["num_hidden_layers"]
        held = {name.split(".")[2] for name in arrays if name.startswith("encoder.layer.")}
        if not isinstance(layers, int) or not 0 <= layers <= len(held):  # it could claim a billion
            problem = f"tells {layers!r} layers, and model.safetensors holds {len(held)}"
            raise InputError(problem, file=folder / "config.json", field="num_hidden_layers")
        first = 0 if kind == "bert" else int(about.get("pad_token_id", 1)) + 1  # RoBERTa's stand behind padding's
        return cls(
            Weights(arrays),
            hidden=about["hidden_size"],
            layers=layers,
            heads=about["num_attention_heads"],
            epsilon=about.get("layer_norm_eps", 1e-12),
            positions=about["max_position_embeddings"] - first,
            first=first,
        )

    def states(self, ids: NDArray[np.int64], layers: int | None = None) -> Floats:
        """Return the states (texts, tokens, hidden) of texts of one length.

        Args:
            ids: (texts, tokens).
            layers: of them only the first ones; all if None.
        """
        return self.packed([ids], layers)[0]

    def packed(self, several: Sequence[NDArray[np.int64]], layers: int | None = None) -> list[Floats]:
        """Return the `states` of texts of several lengths, which is faster than those of each by themselves.

        Args:
            several: texts of one length each, (texts, tokens).
            layers: of them only the first ones; all if None.
        """
        shapes = [ids.shape for ids in several]
        states = np.concatenate([self._embedded(ids).reshape(-1, self.hidden) for ids in several])
        for layer in range(self.layers if layers is None else layers):
            weights = self.weights.at(f"encoder.layer.{layer}")
            states = encoder_layer(states, shapes, weights, self.heads, self.epsilon)
        return _parted(states, shapes)

    def _embedded(self, ids: NDArray[np.int64]) -> Floats:
        named = self.weights.at("embeddings")
        places = self.first + np.arange(ids.shape[1])
        words = named["word_embeddings.weight"][ids].astype(np.float32)
        there = named["position_embeddings.weight"][places] + named["token_type_embeddings.weight"][0]
        return named.norm("LayerNorm", words + there, self.epsilon)

    def states_of(self, pieces: tuple[int, ...], layers: int | None = None) -> Floats:
        """Return the states (tokens, hidden) of one text, which are kept until another is read: several ask in turn."""
        found = self._read.get((pieces, layers))
        if found is None:
            found = self.states(np.array([pieces]), layers)[0]
            found.flags.writeable = False
            self._read.clear()
            self._read[pieces, layers] = found
        return found


def encoder_layer(
    states: Floats, shapes: Sequence[tuple[int, ...]], weights: Weights, heads: int, epsilon: float
) -> Floats:
    """Return the states (tokens of all texts, hidden) after one more layer.

    Args:
        shapes: (texts, tokens) of those of one length, in their order.
    """
    attention = weights.at("attention")
    asked = (_parted(attention.linear(f"self.{name}", states), shapes) for name in ("query", "key", "value"))
    found = np.concatenate([_attended(*(_split(one, heads) for one in alike)) for alike in zip(*asked, strict=True)])
    states = attention.norm("output.LayerNorm", states + attention.linear("output.dense", found), epsilon)
    inner = gelu(weights.linear("intermediate.dense", states))
    return weights.norm("output.LayerNorm", states + weights.linear("output.dense", inner), epsilon)


def _parted(states: Floats, shapes: Sequence[tuple[int, ...]]) -> list[Floats]:
    """Cut (tokens of all texts, hidden) into (texts, tokens, hidden) of each shape."""
    ends = np.cumsum([texts * tokens for texts, tokens in shapes])
    return [part.reshape(*shape, -1) for part, shape in zip(np.split(states, ends[:-1]), shapes, strict=True)]


def _attended(q: Floats, k: Floats, v: Floats) -> Floats:
    """Return what texts of one length attend to, (all their tokens, hidden), of (texts, heads, tokens, width)."""
    shares = softmax(q @ k.swapaxes(-1, -2) / np.float32(q.shape[-1] ** 0.5))
    found = (shares @ v).swapaxes(1, 2)
    return found.reshape(-1, found.shape[2] * found.shape[3])


def _split(x: Floats, heads: int) -> Floats:
    """Cut (texts, tokens, hidden) into (texts, heads, tokens, width of a head)."""
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def _bare(name: str) -> str:
    """Return what a weight is called in the bare model."""
    return name.split(".", 1)[1] if name.startswith(("bert.", "roberta.")) else name
