"""The parser's network: question and schema in, scores of SQL words out; nothing about one database is in its weights.

The upper layers of a ready-made sentence encoder read the question; names of items and values come as vectors that
the encoder, as it is, made of their texts. Relation-aware layers then read words, items and values together, and a
decoder writes the query, its words made of keywords' own vectors and of the states of the nodes it points at.

Here it answers, one question at a time, in numpy; `learning.network` trains the same weights in torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...classifiers.heads import Classes, classify
from ...encoders import Encoder
from ...encoders.bert import encoder_layer
from ...encoders.functions import Floats
from ...encoders.weights import Weights
from ..reader.inputs import TEXTS, Input
from ..reader.question.history import MAX_TURNS
from ..reader.question.word_states import pooled
from ..reader.schema.items import ITEM_KINDS
from ..reader.schema.output_vocabulary import ROLES, UNKNOWN, Role, fixed_words, roles_of
from .decoder import Decoder, Past
from .layers import relation_layer

__all__ = ["MOST", "Network", "NetworkConfig", "States", "able_roles"]


MOST = {"hidden": 16_384, "width": 16_384, "layers": 200, "decoder_layers": 200, "heads": 256}
"""What each size is at most: a file may claim a billion layers, whose names alone would fill the memory."""


@dataclass(frozen=True)
class NetworkConfig:
    """Sizes of a network.

    Attributes:
        encoder: name of the ready-made encoder.
        hidden: width of its states.
        width: of the states of nodes and words.
        layers: relation-aware layers.
        decoder_layers: blocks of the decoder.
        heads: of each attention.
        dropout: on embeddings and on the branches of layers, in training.
        turns: earlier utterances that it reads, with the query before; 0 of a network that reads each question alone.
    """

    encoder: str = "e5"
    hidden: int = 384
    width: int = 256
    layers: int = 4
    decoder_layers: int = 3
    heads: int = 8
    dropout: float = 0.1
    turns: int = 0

    def __post_init__(self) -> None:
        """Refuse sizes of no network, before anything is made of them.

        Raises:
            ValueError: says which.
        """
        for name, most in MOST.items():
            size = getattr(self, name)
            if not isinstance(size, int) or not 1 <= size <= most:
                raise ValueError(f"{name} is {size!r}, where 1 to {most} is a size")
        if self.turns not in (0, MAX_TURNS):
            raise ValueError(f"turns is {self.turns!r}, where 0 or {MAX_TURNS} can be")
        if self.width % self.heads:
            raise ValueError(f"a width of {self.width} does not part into {self.heads} heads")

    def to_json(self) -> dict[str, Any]:
        """Return a plain dict."""
        return asdict(self)

    def sizes(self) -> dict[str, int]:
        """Return what the shapes of its own layers hang on, see `shapes`."""
        names = ("width", "layers", "decoder_layers", "heads", "turns")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class States:
    """What the reader made of a question.

    Attributes:
        nodes: words, items, values and words of the query before, (nodes, width).
        words, items: how many there are; values come after them.
        asked: how many of the words are the question's own.
        able: which roles each item and value has, (items + values, ROLES).
        pointed: vectors of words that write an item or value, before their role, (items + values, width).
        keys: what pointers are scored against, (items + values, width).
    """

    nodes: Floats
    words: int
    items: int
    asked: int
    able: NDArray[np.bool_]
    pointed: Floats
    keys: Floats


class Network:
    """Reader and decoder.

    Args:
        config: its sizes.
        weights: by the names that `learning.network.TrainableNetwork` gives them, in single precision.
        encoder: that it was trained upon.
        frozen: layers of the encoder under those that the network has of its own.
    """

    def __init__(
        self, config: NetworkConfig, weights: Mapping[str, NDArray[Any]], encoder: Encoder, frozen: int
    ) -> None:
        self.config = config
        self.weights = Weights(weights)
        self.encoder = encoder
        self.frozen = frozen
        self.decoder = Decoder(self.weights.at("decoder"), layers=config.decoder_layers, heads=config.heads)

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Return which fixed words it writes: those of its training queries, (fixed words,)."""
        return self.weights["seen"]

    def encode(self, one: Input, vectors: Mapping[str, Floats]) -> States:
        """Read a question and a schema.

        Args:
            vectors: of each text of the items and values.
        """
        weights, words = self.weights, len(one.question.stems)
        items = self._items(one.vectors(vectors, hidden=self.config.hidden))
        nodes = np.concatenate([weights.linear("word", self._words(one)), items])
        if len(one.before):
            nodes = np.concatenate([nodes, self._query(one.query_in(len(one.kept)), items)])
        nodes = nodes + weights["kind.weight"][one.kinds] + weights["mark.weight"][one.marks]
        if self.config.turns:
            nodes = nodes + weights["turn.weight"][one.turns]
        x = weights.norm("norm", nodes)
        for layer in range(self.config.layers):
            x = relation_layer(x, one.relations, weights.at(f"layers.{layer}"), self.config.heads)
        x = weights.norm("read", x)
        held = slice(words, len(x) - len(one.before))
        pointed, keys = weights.linear("pointed", x[held]), weights.linear("key", x[held])
        return States(x, words, len(one.kept), one.question.asked, able_roles()[one.kinds[held]], pointed, keys)

    def start(self, states: States) -> Past:
        """Return what the decoder knows before the first word."""
        return self.decoder.remember(states.nodes)

    def write(self, places: NDArray[np.int64], states: States, past: Past) -> Floats:
        """Read one more word of each hypothesis, given by its place among the outputs, and return the states after it.

        Args:
            places: (hypotheses,).
            past: the words before, which grows by these.

        Returns:
            (hypotheses, width).
        """
        return self.decoder(self._embed(places, states), past)

    def score(self, written: Floats, states: States) -> Floats:
        """Return logits (hypotheses, outputs); -inf for what cannot be written."""
        pointers = self.weights.linear("query", written) @ states.keys.T * np.float32(self.config.width**-0.5)
        pairs = pointers[..., None] + self.weights.linear("role_key", written)[:, None, :]
        pairs = np.where(states.able, pairs, np.float32(-np.inf)).reshape(len(written), -1)
        fixed = np.where(self.seen, self.weights.linear("fixed_key", written), np.float32(-np.inf))
        return np.concatenate([fixed, pairs], axis=-1)

    def classify(self, states: States) -> Classes:
        """Say what the query will need (the heads of the global constraint), and whether there is one."""
        held = states.nodes[states.words : states.words + len(states.keys)]
        return classify(self.weights, states.nodes[: states.asked], held)

    def _words(self, one: Input) -> Floats:
        """Return the mean state of each word's pieces, (words, hidden)."""
        states = self.encoder.model.states_of(one.question.pieces, self.frozen)
        bert, shapes = self.encoder.model, [(1, len(states))]
        for layer in range(bert.layers - self.frozen):
            states = encoder_layer(states, shapes, self.weights.at(f"upper.layers.{layer}"), bert.heads, bert.epsilon)
        return pooled(states, one.question)

    def _items(self, vectors: Floats) -> Floats:
        parts = [self.weights.linear(f"texts.{n}", vectors[:, n]) for n in range(TEXTS)]
        return np.sum(parts, axis=0)

    def _query(self, places: NDArray[np.int64], items: Floats) -> Floats:
        """Return what is known of the words of the query before, (words, width); of items their own vectors are.

        Args:
            places: among the outputs, -1 for items that are not read.
            items: vectors of items and values, (items + values, width).
        """
        fixed = len(fixed_words())
        node, role = np.divmod(np.maximum(places - fixed, 0), ROLES)
        own = self.weights["fixed.weight"][np.clip(places, UNKNOWN, fixed - 1)]
        pointed = items[node] + self.weights["role.weight"][role]
        return self.weights.linear("before", np.where((places < fixed)[:, None], own, pointed))

    def _embed(self, places: NDArray[np.int64], states: States) -> Floats:
        """Return the vectors of words, (words, width)."""
        fixed = len(fixed_words())
        node, role = np.divmod(np.maximum(places - fixed, 0), ROLES)
        pointed = states.pointed[node] + self.weights["role.weight"][role]
        own = self.weights["fixed.weight"][np.minimum(places, fixed - 1)]
        return self.weights.norm("written", np.where((places < fixed)[:, None], own, pointed))


@cache
def able_roles() -> NDArray[np.bool_]:
    """Return which roles each of `ITEM_KINDS` has, (kinds, ROLES)."""
    able = np.zeros((len(ITEM_KINDS), ROLES), np.bool_)
    for i, kind in enumerate(ITEM_KINDS[1:-1], start=1):
        group = "table" if kind == "table" else "value" if i >= ITEM_KINDS.index("cell") else "column"
        able[i, list(roles_of(group))] = True
        able[i, Role.NUMBER] &= kind == "number said"
    return able
