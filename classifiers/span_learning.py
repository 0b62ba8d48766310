"""The head for spans as it learns, in torch: the same weights as those of `span_finder`, in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from ..data.domains.dialogues import LINK_KINDS
from ..encoders.weights import selected
from ..ner.gold_spans import STEPS_NEVER, TAGS
from .span_finder import PART, SpanFinder, WordStates

__all__ = ["SpanTagger", "TaggedWords", "chain_loss", "fit_spans"]

_WIDTH = 128
_BATCH = 64
_RATE, _STEPS_RATE = 1e-3, 1e-2


@dataclass(frozen=True)
class TaggedWords:
    """The words of a question and their tags for each kind, (words, kinds); -1 where nobody labelled the kind."""

    words: WordStates
    tags: NDArray[np.int64]


class SpanTagger(nn.Module):
    """Scores the tags of words.

    Args:
        mean, scale: what states are shifted and multiplied by, (hidden,).
    """

    def __init__(self, mean: Tensor, scale: Tensor, *, width: int = _WIDTH, dropout: float = 0.3) -> None:
        super().__init__()
        inner, outer = 3 * len(mean) + 1, len(LINK_KINDS) * len(TAGS)
        layers = nn.Sequential(nn.Linear(inner, width), nn.GELU(), nn.Linear(width, outer))
        layers.register_buffer("mean", mean)
        layers.register_buffer("scale", scale)
        layers.register_parameter("steps", nn.Parameter(torch.zeros(len(LINK_KINDS), len(TAGS), len(TAGS))))
        self.spans = layers
        self.drop = nn.Dropout(dropout)

    @property
    def steps(self) -> Tensor:
        """Return the scores of each tag behind each, (kinds, TAGS, TAGS)."""
        return self.get_parameter(f"{PART}.steps") + torch.from_numpy(STEPS_NEVER)

    def forward(self, states: Tensor, own: Tensor, there: Tensor) -> Tensor:
        """Return scores, (batch, words, kinds, TAGS).

        Args:
            states: (batch, words, hidden).
            own, there: which words have pieces of their own, and which there are at all, (batch, words).
        """
        mean, scale = (self.get_buffer(f"{PART}.{name}") for name in ("mean", "scale"))
        x = ((states - mean) * scale).masked_fill(~there[..., None], 0.0)
        before, behind = F.pad(x[:, :-1], (0, 0, 1, 0)), F.pad(x[:, 1:], (0, 0, 0, 1))
        read = torch.cat([before, x, behind, (~own)[..., None].float()], -1)
        first, activation, last = self.spans
        return last(self.drop(activation(first(read)))).unflatten(-1, (len(LINK_KINDS), len(TAGS)))


def chain_loss(scores: Tensor, steps: Tensor, tags: Tensor, there: Tensor) -> Tensor:
    """Return minus the mean log-probability of rows of tags, each over its kind's labelled questions.

    Args:
        scores: (batch, words, kinds, TAGS).
        steps: (kinds, TAGS, TAGS).
        tags: (batch, words, kinds), -1 where nobody labelled the kind.
        there: which words there are, the first ones of each question, (batch, words).
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
    """Train a head.

    Args:
        examples: of an encoder's states after so many layers.
        encoder, layers: which.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    held = [one for one in examples if len(one.tags)]
    every = np.concatenate([one.words.states for one in held])
    told = (every.mean(0, dtype=np.float64), 1 / (every.std(0, dtype=np.float64) + 1e-6))
    mean, scale = (torch.from_numpy(one.astype(np.float32)) for one in told)
    tagger = SpanTagger(mean, scale)
    rates = [_STEPS_RATE if "steps" in name else _RATE for name, _ in tagger.named_parameters()]
    optimizer = torch.optim.AdamW([{"params": [one]} for one in tagger.parameters()], weight_decay=0.01)
    total = epochs * -(-len(held) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rates, total_steps=total)
    for _ in range(epochs):
        for some in _batches(held, rng):
            states, own, there, tags = _padded(some)
            loss = chain_loss(tagger(states, own, there), tagger.steps, tags, there)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    arrays = {name: value.numpy().copy() for name, value in tagger.state_dict().items()}
    return SpanFinder(selected(arrays, f"{PART}."), encoder, layers)


def _batches(examples: Sequence[TaggedWords], rng: np.random.Generator) -> Iterator[list[TaggedWords]]:
    """Yield all examples, those of about one length together, in an order drawn anew."""
    near = np.argsort([len(one.tags) + 6 * rng.random() for one in examples])
    starts = np.arange(0, len(near), _BATCH)
    for start in rng.permutation(starts):
        yield [examples[i] for i in near[start : start + _BATCH]]


def _padded(examples: Sequence[TaggedWords]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return states, which words have pieces of their own, which there are, and tags."""
    rows, words = len(examples), max(len(one.tags) for one in examples)
    states = np.zeros((rows, words, examples[0].words.states.shape[1]), np.float32)
    own, there = np.ones((rows, words), np.bool_), np.zeros((rows, words), np.bool_)
    tags = np.full((rows, words, len(LINK_KINDS)), -1, np.int64)
    for row, one in enumerate(examples):
        size = len(one.tags)
        states[row, :size], own[row, :size], tags[row, :size] = one.words.states, one.words.own, one.tags
        there[row, :size] = True
    return torch.from_numpy(states), torch.from_numpy(own), torch.from_numpy(there), torch.from_numpy(tags)
