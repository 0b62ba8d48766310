"""What a bi-encoder is trained by, as losses of sentence-transformers.

``softsim``  SoftSimMatch (BibSQL 2025, retrieval): pairs with a wished cosine of 0, 0.5 or 1; squared error.
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

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

__all__ = ["LOSSES", "HardNegativeSupCon", "LossName", "loss_of"]

LossName = Literal["softsim", "dpr", "supcon"]
LOSSES: tuple[LossName, ...] = get_args(LossName)


def loss_of(name: str, model: SentenceTransformer) -> nn.Module:
    """Return a loss of `LOSSES` for a model.

    Raises:
        InputError: there is no such loss.
    """
    from sentence_transformers.sentence_transformer import losses  # takes seconds to import

    match name:
        case "softsim":
            return losses.CosineSimilarityLoss(model)
        case "dpr":
            return losses.MultipleNegativesRankingLoss(model)
        case "supcon":
            return HardNegativeSupCon(model)
        case _:
            hint = did_you_mean(name, LOSSES) or f"use one of {', '.join(LOSSES)}"
            raise InputError(f"no loss {name!r}", field="loss", hint=hint)


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
