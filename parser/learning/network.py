"""The parser's network in torch, for training; `graphs` exports it, and `network.network` runs what was exported.

The upper layers of a ready-made sentence encoder encode the question; names of items and values are given as vectors of
the frozen encoder. Relation-aware layers then encode words, items and values together, and a decoder writes the query.
It embeds a keyword by a vector of its own, and a pointer by the state of its node.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ...classifiers.learning import BatchClasses, Heads, class_loss
from ...encoders.bert import Bert
from ...encoders.learning import EncoderLayers
from ...encoders.weights import selected
from ..network.network import Network, NetworkConfig, able_roles
from ..reader.inputs import TEXTS
from ..reader.items import ITEM_KINDS
from ..reader.output_vocabulary import BEGIN, ROLES, UNKNOWN, fixed_words
from ..reader.relations import RELATIONS
from .batches import Batch, FrozenStates, NodeBatch, TrainingBatch
from .layers import RelationLayer, TrainableDecoder

_MARKS = 4
"""The number of marks of a column: none, key, foreign key, both."""


@dataclass(kw_only=True)
class BatchStates:
    """The encoder states of a batch.

    Attributes:
        nodes: the states of the nodes, (batch, nodes, width).
        mask: which nodes are no padding, (batch, nodes).
        words: the number of places for words; items and values come after them.
        own: which words belong to the questions themselves, not to earlier turns, (batch, words).
        held: which items and values are no padding, (batch, items + values).
        able: the roles that each item and value can have, (batch, items + values, ROLES).
        pointed: the embeddings of pointers at them, without a role, (batch, items + values, width).
        keys: the keys that pointers are scored against, (batch, items + values, width).
    """

    nodes: Tensor
    mask: Tensor
    words: int
    own: Tensor
    held: Tensor
    able: Tensor
    pointed: Tensor
    keys: Tensor


class TrainableNetwork(Heads):
    """Reader and decoder.

    Args:
        config: the sizes of the network.
        bert: the ready-made encoder, whose upper layers are copied.
        frozen: the number of the encoder's layers below those.
    """

    def __init__(self, config: NetworkConfig, bert: Bert, frozen: int) -> None:
        width = config.width
        super().__init__(width, len(fixed_words()), carries=bool(config.turns))
        self.config = config
        self.able: Tensor
        self.seen: Tensor
        self.upper = EncoderLayers(bert, frozen)
        self.word = nn.Linear(config.hidden, width)
        self.texts = nn.ModuleList(nn.Linear(config.hidden, width, bias=n == 0) for n in range(TEXTS))
        self.kind = nn.Embedding(len(ITEM_KINDS), width)
        self.mark = nn.Embedding(_MARKS, width)
        self.turn = nn.Embedding(config.turns + 1, width) if config.turns else None
        self.before = nn.Linear(width, width) if config.turns else None
        self.norm = nn.LayerNorm(width)
        sizes: dict[str, Any] = {"width": width, "heads": config.heads, "dropout": config.dropout}
        self.layers = nn.ModuleList(RelationLayer(**sizes, relations=RELATIONS) for _ in range(config.layers))
        self.read = nn.LayerNorm(width)
        self.decoder = TrainableDecoder(layers=config.decoder_layers, **sizes)
        self.fixed = nn.Embedding(len(fixed_words()), width)
        self.role = nn.Embedding(ROLES, width)
        self.pointed = nn.Linear(width, width)
        self.written = nn.LayerNorm(width)
        self.fixed_key = nn.Linear(width, len(fixed_words()))
        self.role_key = nn.Linear(width, ROLES)
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.drop = nn.Dropout(config.dropout)
        self.register_buffer("able", torch.from_numpy(able_roles()), persistent=False)
        self.register_buffer("seen", torch.ones(len(fixed_words()), dtype=torch.bool))
        for module in (self.kind, self.mark, self.fixed, self.role):
            nn.init.normal_(module.weight, std=width**-0.5)
        if self.turn is not None:  # a question that stands alone is read as it was
            nn.init.zeros_(self.turn.weight)

    @classmethod
    def of(cls, network: Network) -> Self:
        """Return a network with the weights of a saved one, to train them further."""
        made = cls(network.config, network.encoder.model, network.frozen)
        arrays = selected(network.weights)
        made.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
        return made

    def encode(self, batch: Batch, frozen: FrozenStates) -> BatchStates:
        """Return the states of a batch, given the states of the frozen encoder."""
        pieces = self.upper(frozen.pieces[batch.pieces].float(), batch.piece_mask)
        return self.read_nodes(_pooled(pieces, batch), self._items(frozen.texts[batch.texts].float()), batch)

    def read_nodes(self, words: Tensor, items: Tensor, batch: NodeBatch) -> BatchStates:
        """Encode the nodes of questions and schemas together.

        Args:
            words: the mean state of each word's pieces, (batch, words, hidden).
            items: the embeddings of the texts of items and values, (batch, items + values, width).
        """
        nodes = torch.cat([self.word(words), items, self._query(batch.query, items)], dim=1)
        nodes = nodes + self.kind(batch.kinds) + self.mark(batch.marks)
        x = self.drop(self.norm(nodes if self.turn is None else nodes + self.turn(batch.turns)))
        bias = _bias(batch.mask)
        relations = batch.relations.long()
        for layer in self.layers:
            x = layer(x, relations, bias)
        nodes = self.read(x)
        count = words.shape[1]
        there = slice(count, count + items.shape[1])
        held = batch.mask[:, there]
        return BatchStates(
            nodes=nodes,
            mask=batch.mask,
            words=count,
            own=batch.mask[:, :count] & (batch.turns[:, :count] == 0),
            held=held,
            able=self.able[batch.kinds[:, there]] & held[..., None],
            pointed=self.pointed(nodes[:, there]),
            keys=self.key(nodes[:, there]),
        )

    def embed(self, places: Tensor, states: BatchStates) -> Tensor:
        """Return the embeddings (batch, length, width) of words, given by their output indices."""
        count, vectors = self.fixed.num_embeddings, self._pointing(places, states.pointed)
        return self.written(torch.where((places < count)[..., None], self.fixed(places.clamp(max=count - 1)), vectors))

    def _pointing(self, places: Tensor, nodes: Tensor) -> Tensor:
        """Return the embeddings (batch, length, width) of pointers with their roles at nodes (batch, nodes, width)."""
        pointer = (places - self.fixed.num_embeddings).clamp(min=0)
        node = (pointer // ROLES)[..., None].expand(-1, -1, nodes.shape[-1])
        return nodes.gather(1, node) + self.role(pointer % ROLES)

    def write(self, places: Tensor, states: BatchStates) -> Tensor:
        """Return the decoder's states after each of the words (batch, length)."""
        return self.decoder(self.drop(self.embed(places, states)), states.nodes, _bias(states.mask))

    def score(self, written: Tensor, states: BatchStates) -> Tensor:
        """Return logits (batch, length, outputs); -inf for the roles that a node cannot have."""
        with torch.autocast(written.device.type, enabled=False):  # eight bits do not tell near scores apart
            written = written.float()
            pointers = self.query(written) @ states.keys.float().transpose(1, 2) * self.config.width**-0.5
            pairs = pointers[..., None] + self.role_key(written)[:, :, None, :]
            pairs = pairs.masked_fill(~states.able[:, None], -torch.inf)
            fixed = self.fixed_key(written).masked_fill(~self.seen, -torch.inf)
            return torch.cat([fixed, pairs.flatten(2)], dim=-1)

    def writes(self, fixed: Iterable[int]) -> None:
        """Set the fixed words that the network may write, those of its training queries."""
        self.seen.fill_(False)
        self.seen[sorted(fixed)] = True

    def classify(self, states: BatchStates) -> BatchClasses:
        """Return the predictions of the heads, of which the global constraint is made."""
        nodes, words = states.nodes, states.words
        held = nodes[:, words : words + states.held.shape[1]]
        return self.classes_of(nodes[:, :words], held, states.own, states.held)

    def loss(self, batch: TrainingBatch, frozen: FrozenStates, *, weight: float = 0.3) -> Tensor:
        """Return the mean cross-entropy of the words, plus ``weight`` times those of the classifiers."""
        states, targets = self.encode(batch, frozen), batch.targets
        wanted = targets.masked_fill(targets == UNKNOWN, -1)
        logits = self.next_words(states, targets).flatten(0, 1)
        words = F.cross_entropy(logits, wanted.flatten(), ignore_index=-1, reduction="sum")
        found = self.classify(states)
        pointers = (targets < 0) | (targets >= self.fixed.num_embeddings)
        written = torch.zeros_like(found.fixed).scatter(1, targets.masked_fill(pointers, BEGIN), 1.0)
        known: dict[str, Tensor] = {"answerable": targets[:, 0] >= 0, "seen": self.seen, "carries": batch.carries}
        classes = class_loss(found, used=batch.used, held=states.held, written=written, **known)
        return words / (wanted >= 0).sum().clamp(min=1) + weight * classes

    def next_words(self, states: BatchStates, targets: Tensor) -> Tensor:
        """Return logits (batch, length, outputs) of each target after those before it."""
        before = F.pad(targets[:, :-1].clamp(min=0), (1, 0), value=BEGIN)
        return self.score(self.write(before, states), states)

    def _query(self, places: Tensor, items: Tensor) -> Tensor:
        """Return the embeddings of the previous queries' words, (batch, query words, width)."""
        if self.before is None or not places.shape[1]:
            return items[:, :0]
        count, vectors = self.fixed.num_embeddings, self._pointing(places, items)
        own = self.fixed(places.clamp(UNKNOWN, count - 1))
        return self.before(torch.where((places < count)[..., None], own, vectors))

    def _items(self, vectors: Tensor) -> Tensor:
        """Return the embeddings of items and values, given the vectors (…, TEXTS, hidden) of their texts."""
        return sum((layer(vectors[:, :, n]) for n, layer in enumerate(self.texts)), vectors.new_zeros(()))


def _bias(mask: Tensor) -> Tensor:
    """Return the bias that keeps attention from padding, (batch, 1, 1, nodes)."""
    return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -1e9)[:, None, None, :]


def _pooled(pieces: Tensor, batch: Batch) -> Tensor:
    """Return the mean state of each word's pieces, (batch, words, hidden); see `question.pooled`."""
    index = batch.words_of_pieces[..., None].expand_as(pieces)
    total = pieces.new_zeros(len(pieces), batch.words + 1, pieces.shape[-1]).scatter_add(1, index, pieces)
    count = pieces.new_zeros(len(pieces), batch.words + 1).scatter_add(
        1, batch.words_of_pieces, torch.ones_like(pieces[..., 0])
    )
    means = (total / count.clamp(min=1)[..., None])[:, :-1]
    places = torch.arange(batch.words, device=pieces.device)
    owners = torch.where(count[:, :-1] > 0, places, 0).cummax(1).values
    return means.gather(1, owners[..., None].expand_as(means))
