"""Training of the span finder, in torch, and its training questions.

Their values, tables and columns are labelled by people (CHASE) or by their gold queries.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from ..data.domains.collection import Collection
from ..data.domains.dialogues import LINK_KINDS, LinkedTurn
from ..ner.gold_spans import gold_literals
from ..ner.language.words import units
from .span_finder import STEPS_NEVER, TAGS, SpanFinder, WordStates, tags_of_spans

_WIDTH = 128
_BATCH = 64
_RATE, _STEPS_RATE = 1e-3, 1e-2


@dataclass(frozen=True)
class TaggedWords:
    """The words of a question and their tags, (words, kinds), which are -1 for a kind without labels."""

    words: WordStates
    tags: NDArray[np.int64]


class SpanTagger(nn.Sequential):
    """Scores the tags of words; its weights have the names of those of `SpanFinder`.

    Args:
        mean, scale: the shift and the scale of states, (hidden,).
    """

    def __init__(self, mean: Tensor, scale: Tensor, *, width: int = _WIDTH, dropout: float = 0.3) -> None:
        inner, outer = 3 * len(mean) + 1, len(LINK_KINDS) * len(TAGS)
        super().__init__(nn.Linear(inner, width), nn.GELU(), nn.Linear(width, outer))
        self.mean: Tensor
        self.scale: Tensor
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)
        self.steps = nn.Parameter(torch.zeros(len(LINK_KINDS), len(TAGS), len(TAGS)))
        self._dropout = dropout

    @property
    def possible(self) -> Tensor:
        """Return the scores of the transitions between tags, (kinds, TAGS, TAGS)."""
        return self.steps + torch.from_numpy(STEPS_NEVER)

    def forward(self, states: Tensor, own: Tensor, there: Tensor) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return scores, (batch, words, kinds, TAGS).

        Args:
            states: (batch, words, hidden).
            own, there: which words have pieces of their own, and which are no padding, (batch, words).
        """
        x = ((states - self.mean) * self.scale).masked_fill(~there[..., None], 0.0)
        before, behind = F.pad(x[:, :-1], (0, 0, 1, 0)), F.pad(x[:, 1:], (0, 0, 0, 1))
        read = torch.cat([before, x, behind, (~own)[..., None].float()], -1)
        first, activation, last = self
        inner = F.dropout(activation(first(read)), self._dropout, self.training)
        return last(inner).unflatten(-1, (len(LINK_KINDS), len(TAGS)))


def chain_loss(scores: Tensor, steps: Tensor, tags: Tensor, there: Tensor) -> Tensor:
    """Return the mean negative log-likelihood of chains of tags over all labelled kinds.

    Args:
        scores: the scores of tags, (batch, words, kinds, TAGS).
        steps: the scores of transitions, (kinds, TAGS, TAGS).
        tags: the gold tags, (batch, words, kinds), -1 for a kind without labels.
        there: which words are no padding, the first ones of each question, (batch, words).
    """
    labelled, wanted = tags[:, 0] >= 0, tags.clamp(min=0)
    kinds = torch.arange(len(LINK_KINDS))
    own = scores.gather(-1, wanted[..., None])[..., 0]
    found = own[:, 0]
    total = scores[:, 0] + torch.from_numpy(STEPS_NEVER[0])
    for n in range(1, scores.shape[1]):
        more = torch.logsumexp(total[..., None] + steps, -2) + scores[:, n]
        total = torch.where(there[:, n, None, None], more, total)
        step = steps[kinds, wanted[:, n - 1], wanted[:, n]]
        found = found + (own[:, n] + step) * there[:, n, None]
    return ((torch.logsumexp(total, -1) - found) * labelled).sum() / labelled.sum().clamp(min=1)


def fit_spans(
    examples: Sequence[TaggedWords], encoder: str, layers: int, *, epochs: int = 8, seed: int = 0
) -> SpanFinder:
    """Train a span finder.

    Args:
        examples: the training questions.
        encoder, layers: the encoder of their states, and the number of its layers.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    held = [one for one in examples if len(one.tags)]
    every = np.concatenate([one.words.states for one in held])
    moments = (every.mean(0, dtype=np.float64), 1 / (every.std(0, dtype=np.float64) + 1e-6))
    mean, scale = (torch.from_numpy(one.astype(np.float32)) for one in moments)
    tagger = SpanTagger(mean, scale)
    rates = [_STEPS_RATE if "steps" in name else _RATE for name, _ in tagger.named_parameters()]
    optimizer = torch.optim.AdamW([{"params": [one]} for one in tagger.parameters()], weight_decay=0.01)
    total = epochs * -(-len(held) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rates, total_steps=total)
    for _ in range(epochs):
        for some in _batches(held, rng):
            states, own, there, tags = _padded(some)
            loss = chain_loss(tagger(states, own, there), tagger.possible, tags, there)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    arrays = {name: value.numpy().copy() for name, value in tagger.state_dict().items()}
    return SpanFinder(arrays, encoder, layers)


def _batches(examples: Sequence[TaggedWords], rng: np.random.Generator) -> Iterator[list[TaggedWords]]:
    """Yield batches of all examples in a random order, each of similar lengths."""
    near = np.argsort([len(one.tags) + 6 * rng.random() for one in examples])
    starts = np.arange(0, len(near), _BATCH)
    for start in rng.permutation(starts):
        yield [examples[i] for i in near[start : start + _BATCH]]


def _padded(examples: Sequence[TaggedWords]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the padded states, the words with pieces of their own, the words that are no padding, and the tags."""
    rows, words = len(examples), max(len(one.tags) for one in examples)
    states = np.zeros((rows, words, examples[0].words.states.shape[1]), np.float32)
    own, there = np.ones((rows, words), np.bool_), np.zeros((rows, words), np.bool_)
    tags = np.full((rows, words, len(LINK_KINDS)), -1, np.int64)
    for row, one in enumerate(examples):
        size = len(one.tags)
        states[row, :size], own[row, :size], tags[row, :size] = one.words.states, one.words.own, one.tags
        there[row, :size] = True
    return torch.from_numpy(states), torch.from_numpy(own), torch.from_numpy(there), torch.from_numpy(tags)


@dataclass(frozen=True)
class SpanExample:
    """A question with labelled spans.

    Attributes:
        source: the name of its collection.
        database: its database, which decides about its part.
        question: its text.
        spans: the spans by kind, each (first character, one past the last), without kinds that have no labels.
        whole: whether it names every string of its gold query. If not, words outside of spans may be values, too.
    """

    source: str
    database: str
    question: str
    spans: Mapping[str, tuple[tuple[int, int], ...]]
    whole: bool = True

    def tags(self, read: int) -> NDArray[np.int64]:
        """Return the tags of its first ``read`` words, (read, kinds), -1 for a kind without labels."""
        words = units(self.question)[:read]
        missing = np.full(len(words), -1, np.int64)
        each = (tags_of_spans(self.spans[k], words) if k in self.spans else missing for k in LINK_KINDS)
        return np.stack(list(each), axis=1)


def projected_examples(collection: Collection) -> Iterator[SpanExample]:
    """Yield each question of a collection, with the literals of its gold query as values."""
    for pair in collection.pairs:
        found = gold_literals(pair.question, pair.sql, language=collection.language)
        whole = all(one.span is not None for one in found if one.string)
        spans = tuple(one.span for one in found if one.span is not None)
        yield SpanExample(collection.name, pair.database, pair.question, {"value": spans}, whole)


def linked_examples(turns: Iterable[LinkedTurn], source: str) -> Iterator[SpanExample]:
    """Yield each turn with the labels of people."""
    for turn in turns:
        spans = {kind: tuple((one.start, one.end) for one in turn.links if one.kind == kind) for kind in LINK_KINDS}
        yield SpanExample(source, turn.database, turn.question, spans)
