"""What a bi-encoder is trained by, as losses of sentence-transformers.

``softsim``  SoftSimMatch (BibSQL 2025, retrieval): a wished cosine of 0, 0.5 or 1 for each pair; squared error.
             Here over all pairs of a batch, each of which costs but one pass through the encoder a text.
``dpr``      Dense Passage Retrieval (Karpukhin et al. 2020, section 3.2): one positive against the batch's other
             positives and the negatives that are given.
``supcon``   HN-SupCon (LitE-SQL 2025, schema linking): one positive against those negatives alone that are hard,
             which is nearly as near as the positive.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, get_args

import torch
from torch import Tensor, nn

from ..data.errors import InputError, did_you_mean
from .likeness import Likeness

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

__all__ = ["LOSSES", "HardNegativeSupCon", "LossName", "SoftSimMatch", "loss_of"]

LossName = Literal["softsim", "dpr", "supcon"]
LOSSES: tuple[LossName, ...] = get_args(LossName)

_SHARES = (4, 4, 3)  # of pairs of 1, of 0 and of 0.5 (BibSQL 2025)


def loss_of(name: str, model: SentenceTransformer, likeness: Likeness | None = None) -> nn.Module:
    """Return a loss of `LOSSES` for a model.

    Args:
        likeness: of the patterns that questions are of; ``softsim`` asks for it.

    Raises:
        InputError: there is no such loss.
    """
    from sentence_transformers.sentence_transformer import losses  # takes seconds to import

    if name == "softsim" and likeness is not None:
        return SoftSimMatch(model, likeness)
    if name == "dpr":
        return losses.MultipleNegativesRankingLoss(model)
    if name == "supcon":
        return HardNegativeSupCon(model)
    hint = did_you_mean(name, LOSSES) or f"use one of {', '.join(LOSSES)}"
    raise InputError(
        f"no loss {name!r}", field="loss", hint="give the likeness of patterns" if name == "softsim" else hint
    )


class SoftSimMatch(nn.Module):
    """Squared error of the cosine of each two questions of a batch: one column of texts, labels that are patterns.

    Pairs of 1, of 0 and of 0.5 weigh 4:4:3, however many there are of each; half of the weight of 0 is for rivals.

    Args:
        model: the bi-encoder.
        likeness: what is wished of the patterns.
    """

    def __init__(self, model: SentenceTransformer, likeness: Likeness) -> None:
        super().__init__()
        self.model = model
        self._wished = torch.from_numpy(likeness.wished)
        self._rivals = torch.from_numpy(likeness.rivals)

    def forward(self, sentence_features: Iterable[dict[str, Tensor]], labels: Tensor) -> Tensor:
        """Return the loss of a batch."""
        return self.of(self.model(next(iter(sentence_features)))["sentence_embedding"], labels)

    def of(self, vectors: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of vectors (batch, width) of patterns (batch,); 0 of a batch of one, which has no pair."""
        vectors = nn.functional.normalize(vectors, dim=-1)
        wished = self._wished[labels][:, labels]
        errors = (vectors @ vectors.T - wished) ** 2
        rivals, pairs = self._rivals[labels][:, labels], ~torch.eye(len(labels), dtype=torch.bool)
        kinds = (wished == 1, (wished == 0) & rivals, (wished == 0) & ~rivals, wished == 0.5)
        weights = (_SHARES[0], _SHARES[1] / 2, _SHARES[1] / 2, _SHARES[2])
        there = [
            (w, errors[kind & pairs].mean()) for w, kind in zip(weights, kinds, strict=True) if (kind & pairs).any()
        ]
        if not there:
            return 0 * vectors.sum()
        return torch.stack([w * error for w, error in there]).sum() / sum(w for w, _ in there)


class HardNegativeSupCon(nn.Module):
    """One positive against its own hard negatives: columns anchor, positive, negative, negative …

    Args:
        model: the bi-encoder.
        margin: a negative is hard if its cosine is at most so much below the positive's.
        temperature: what cosines are divided by.
    """

    def __init__(self, model: SentenceTransformer, *, margin: float = 0.1, temperature: float = 0.05) -> None:
        super().__init__()
        self.model, self.margin, self.temperature = model, margin, temperature

    def forward(self, sentence_features: Iterable[dict[str, Tensor]], labels: Tensor | None = None) -> Tensor:
        """Return the mean loss of a batch; 0 where no negative is hard."""
        vectors = [nn.functional.normalize(self.model(f)["sentence_embedding"], dim=-1) for f in sentence_features]
        return self.of(vectors[0], vectors[1], torch.stack(vectors[2:], dim=1))

    def of(self, anchors: Tensor, positives: Tensor, negatives: Tensor) -> Tensor:
        """Return the mean loss of vectors of length 1: (batch, width) twice, and (batch, negatives, width)."""
        near = (anchors * positives).sum(-1, keepdim=True)
        far = (anchors.unsqueeze(1) * negatives).sum(-1)
        easy = far < near - self.margin
        logits = torch.cat([near, far.masked_fill(easy, -torch.inf)], dim=1) / self.temperature
        return nn.functional.cross_entropy(logits, torch.zeros(len(logits), dtype=torch.long))
