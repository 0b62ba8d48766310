"""The parser's network: question and schema in, scores of SQL words out; its weights know nothing of one database.

It runs the ONNX graphs that `learning.graphs` exported of `learning.network`, one question at a time. A network folder
names the rows of its tables, so that weights outlive a new word: its row is zero and not written until it is learnt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...classifiers.heads import Classes
from ...data.errors import RunError
from ...data.packages import install_hint
from ...encoders import Encoder
from ...encoders.functions import Floats, sigmoid
from ...encoders.graph import Graph
from ...encoders.weights import selected
from ..reader.inputs import TEXTS, Input
from ..reader.items import ITEM_KINDS
from ..reader.output_vocabulary import ROLES, ROLES_OF, Role, fixed_words
from ..reader.question import MAX_TURNS, pooled
from ..reader.relations import RELATIONS

Numbering: TypeAlias = Mapping[str, list[Any]]
"""The names of the rows of each group of tables, in order."""

_TABLES = {
    "words": ("fixed.weight", "fixed_key.weight", "fixed_key.bias", "fixed_used.weight", "fixed_used.bias", "seen"),
    "roles": ("role.weight", "role_key.weight", "role_key.bias"),
    "kinds": ("kind.weight",),
    "relations": ("relation_keys", "relation_values"),
}
"""The ends of the names of the tables whose rows have each numbering."""


def numbering() -> Numbering:
    """Return the names of the rows in this version, in the form of JSON; relations have numbers for names."""
    return {
        "words": [list(word) for word in fixed_words()],
        "roles": [role.name for role in Role],
        "kinds": list(ITEM_KINDS),
        "relations": list(range(RELATIONS)),
    }


def renumbered(weights: Mapping[str, NDArray[Any]], stored: Numbering) -> dict[str, NDArray[Any]]:
    """Return weights in the numbering of this version, with zeros in new rows.

    Args:
        weights: the weights by name.
        stored: the numbering of their rows.

    Raises:
        ValueError: a row has a name that this version lacks, or a table has another number of rows than its numbering.
    """
    found = dict(weights)
    for group, names in numbering().items():
        if (own := stored.get(group)) == names:
            continue
        places = {str(name): place for place, name in enumerate(names)}
        unknown = [name for name in own or () if str(name) not in places]
        if not own or unknown:
            raise ValueError(f"this version has no {group} {unknown[0]!r}" if unknown else f"tells no {group}")
        rows = np.array([places[str(name)] for name in own])
        for name in weights:
            if name.split(".", 2)[-1] in _TABLES[group] or name in _TABLES[group]:
                found[name] = _placed(name, weights[name], rows, len(names))
    return found


def _placed(name: str, table: NDArray[Any], rows: NDArray[np.int64], count: int) -> NDArray[Any]:
    if len(table) != len(rows):
        raise ValueError(f"{name} has {len(table)} rows, and {len(rows)} have names")
    placed = np.zeros((count, *table.shape[1:]), table.dtype)
    placed[rows] = table
    return placed


MOST = {"hidden": 16_384, "width": 16_384, "layers": 200, "decoder_layers": 200, "heads": 256}
"""What each size is at most: a file may claim a billion layers, whose names alone would fill the memory."""

READER, WRITER = "reader.onnx", "writer.onnx"
"""The graph that encodes a question with its schema, and the graph that scores the next word of each hypothesis."""

_MOST_READ = 10_000
"""The number of items and values whose embeddings are cached."""

UPPER = "upper.layers."
"""The beginning of the names of those weights that are layers of the encoder."""


@dataclass(frozen=True)
class NetworkConfig:
    """The sizes of a network.

    Attributes:
        encoder: the name of the ready-made encoder.
        hidden: the width of the encoder's states.
        width: the width of the states of nodes and words.
        layers: the number of relation-aware layers.
        decoder_layers: the number of blocks of the decoder.
        heads: the number of heads of each attention.
        dropout: the dropout on embeddings and on the branches of layers, in training.
        turns: the number of earlier utterances that it reads with the previous query; 0 if it reads questions alone.
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
        """Check the sizes.

        Raises:
            ValueError: a size is impossible.
        """
        for name, most in MOST.items():
            size = getattr(self, name)
            if not isinstance(size, int) or not 1 <= size <= most:
                raise ValueError(f"{name} is {size!r}, where 1 to {most} is possible")
        if self.turns not in (0, MAX_TURNS):
            raise ValueError(f"turns is {self.turns!r}, where 0 or {MAX_TURNS} can be")
        if self.width % self.heads:
            raise ValueError(f"a width of {self.width} does not part into {self.heads} heads")


@dataclass(frozen=True)
class States:
    """The encoder states of a question.

    Attributes:
        items: the number of items that are read; values come after them.
        classes: the predictions of the heads.
        able: the roles that each item and value can have, (items + values, ROLES).
        bias: the bias of the logits, -inf for words that cannot be written, with that of the global constraint,
            (outputs,).
        pointed: the embeddings of pointers at items and values, without a role, (1, items + values, width).
        keys: the keys that pointers are scored against, (1, items + values, width).
        memory: the keys and values of all nodes for each block of the decoder, (1, heads, nodes, width of a head).
    """

    items: int
    classes: Classes
    able: NDArray[np.bool_]
    bias: Floats
    pointed: Floats
    keys: Floats
    memory: Sequence[Floats]


class Network:
    """Reader and decoder.

    Args:
        config: the sizes of the network.
        weights: the weights by their names in `learning.network.TrainableNetwork`, in single precision.
        encoder: the encoder that it was trained with.
        frozen: the number of the encoder's layers below those of the network.
        graphs: the graphs `READER` and `WRITER`; they may be missing if another version saved the network, which can
            then be trained further but not answer.
    """

    def __init__(
        self,
        config: NetworkConfig,
        weights: Mapping[str, NDArray[Any]],
        encoder: Encoder,
        frozen: int,
        graphs: Mapping[str, bytes],
    ) -> None:
        self.config = config
        self.weights = weights
        self.encoder = encoder
        self.frozen = frozen
        self.graphs = graphs
        self._vectors: Mapping[str, Floats] = {}
        self._read: dict[tuple[str, ...], Floats] = {}

    @cached_property
    def seen(self) -> NDArray[np.bool_]:
        """Return a mask of the fixed words that it writes, those of its training queries, (fixed words,)."""
        return self.weights["seen"]

    def open(self) -> Network:
        """Load the weights now instead of at the first question, since their files may be replaced."""
        _ = self._upper, self._own, self._texts
        return self

    @cached_property
    def _upper(self) -> list[Graph]:
        """Return the trained layers of the encoder."""
        bert = self.encoder.model
        return [bert.graph(selected(self.weights, f"{UPPER}{n}.")) for n in range(bert.layers - self.frozen)]

    @cached_property
    def _own(self) -> dict[str, Graph]:
        """Return the graphs `READER` and `WRITER` with their weights."""
        if not self.graphs:
            problem = "the network was saved by another version of Querent, and cannot answer in this one"
            hint = f"python -m querent.parser.learning.graphs FOLDER; it needs {install_hint('train')}"
            raise RunError(problem, hint=hint)
        weights = selected(self.weights, but=UPPER)
        return {name: Graph(graph, weights) for name, graph in self.graphs.items()}

    def encode(self, one: Input, vectors: Mapping[str, Floats]) -> States:
        """Return the encoder states of a question and a schema.

        Args:
            vectors: the vector of each text of the items and values.
        """
        words, kinds, kept = self._words(one), one.kinds, len(one.kept)
        held = kinds[len(words) : len(words) + kept + len(one.question.values)]
        read = {"words": words, "items": self._items(one.texts(), vectors), "relations": one.relations}
        read |= {"kinds": kinds, "marks": one.marks, "turns": one.turns, "query": one.query_in(kept)}
        found = self._own[READER](**{name: array[None] for name, array in read.items()})
        blocks = 2 * self.config.decoder_layers
        (pointed, keys), memory, (used, fixed, *heads) = found[:2], found[2 : 2 + blocks], found[2 + blocks :]
        answerable, carries = (float(sigmoid(heads[n])[0]) if n < len(heads) else None for n in range(2))
        classes = Classes(used, fixed, answerable or 0.0, carries)
        able = able_roles()[held]
        bias = np.where(np.concatenate([self.seen, able.ravel()]), np.float32(0), np.float32(-np.inf))
        return States(kept, classes, able, bias, pointed, keys, memory)

    def start(self) -> list[Floats]:
        """Return the past of the first call of `write`: one hypothesis without words."""
        config = self.config
        nothing = np.zeros((1, config.heads, 0, config.width // config.heads), np.float32)
        return [nothing] * (2 * config.decoder_layers)

    def write(
        self, places: NDArray[np.int64], rows: NDArray[np.int64], states: States, past: Sequence[Floats]
    ) -> tuple[Floats, list[Floats]]:
        """Return the scores of the next word, after one more word of each hypothesis.

        Args:
            places: the output indices of the words, (hypotheses,).
            rows: the last hypothesis that each extends, (hypotheses,).
            past: the keys and values of the last hypotheses' words, (hypotheses, heads, words, width of a head).

        Returns:
            The log-probabilities (hypotheses, outputs), -inf for words that cannot be written; and the new past.
        """
        given = {"places": places, "rows": rows, "pointed": states.pointed, "keys": states.keys, "bias": states.bias}
        given |= {f"memory{n}": one for n, one in enumerate(states.memory)}
        scores, *grown = self._own[WRITER](**given, **{f"past{n}": one for n, one in enumerate(past)})
        return scores, grown

    @cached_property
    def _texts(self) -> tuple[Floats, Floats]:
        """Return the matrix (TEXTS * hidden, width) and the bias that embed the texts of an item."""
        return np.concatenate([self.weights[f"texts.{n}.weight"].T for n in range(TEXTS)]), self.weights["texts.0.bias"]

    def _items(self, texts: Sequence[tuple[str, ...]], vectors: Mapping[str, Floats]) -> Floats:
        """Return the embeddings of the texts of items and values, (items + values, width), which are cached.

        Each is a product of its own: in a batch its last bits would depend on the earlier questions.
        """
        if vectors is not self._vectors or len(self._read) > _MOST_READ:
            self._vectors, self._read = vectors, {}
        known = self._read
        if new := list(dict.fromkeys(some for some in texts if some not in known)):
            (matrix, bias), stacked = self._texts, np.zeros((len(new), TEXTS, self.config.hidden), np.float32)
            for place, some in enumerate(new):
                stacked[place, : len(some)] = [vectors[text] for text in some]
            known.update((some, own.ravel() @ matrix + bias) for some, own in zip(new, stacked, strict=True))
        return np.array([known[some] for some in texts], np.float32).reshape(-1, self.config.width)

    def _words(self, one: Input) -> Floats:
        """Return the mean state of each word's pieces, (words, hidden)."""
        states = self.encoder.model.states_of(one.question.pieces, self.frozen)[None]
        there = np.ones(states.shape[:2], np.int32)
        for layer in self._upper:
            (states,) = layer(states=states, there=there)
        return pooled(states[0], one.question)


@cache
def able_roles() -> NDArray[np.bool_]:
    """Return a mask of the roles that each of `ITEM_KINDS` can have, (kinds, ROLES)."""
    able = np.zeros((len(ITEM_KINDS), ROLES), np.bool_)
    for i, kind in enumerate(ITEM_KINDS[1:-1], start=1):
        group = "table" if kind == "table" else "value" if i >= ITEM_KINDS.index("cell") else "column"
        able[i, list(ROLES_OF[group])] = True
        able[i, Role.NUMBER] &= kind == "number said"
    return able
