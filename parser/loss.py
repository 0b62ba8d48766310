"""Cross-entropy plus the paper's pull towards both constraints.

ChESQL (loss of the model section): ``L = CE + alpha * sumsqr(O * (1 - I_global)) + beta * sumsqr(O * (1 - I_local))``,
where O is the l x s matrix of output weights over l positions and s words, and I the 0-1 indicators of the words that
a constraint lets through. O is read here as the softmax probabilities: raw logits have no zero, and their squares
would push a forbidden word's score towards 0 and not down. Squares are summed over the vocabulary and averaged over
the tokens, so that alpha and beta mean the same for short and long queries.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

__all__ = ["IGNORE", "bilevel_loss", "outside"]

IGNORE = -100
"""Label of positions that do not count."""


def bilevel_loss(
    logits: Tensor,
    labels: Tensor,
    *,
    available: Tensor | None = None,
    local: Tensor | None = None,
    alpha: float = 0.0,
    beta: float = 0.0,
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the mean loss per token.

    Args:
        logits: (batch, length, words).
        labels: (batch, length) word ids, `IGNORE` where there is none.
        available: (batch, words), the global constraint's indicator; None leaves its term out.
        local: (batch, length, words), the local constraint's indicator; None leaves its term out.
        alpha: weight of the global term.
        beta: weight of the local term.
        label_smoothing: share of the probability spread over all words.
    """
    loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORE, label_smoothing=label_smoothing)
    counted = labels != IGNORE
    if alpha and available is not None:
        loss = loss + alpha * outside(logits, available[:, None, :], counted)
    if beta and local is not None:
        loss = loss + beta * outside(logits, local, counted)
    return loss


def outside(logits: Tensor, indicator: Tensor, counted: Tensor) -> Tensor:
    """Return the squared probability outside ``indicator``, summed over words, averaged over counted tokens."""
    weights = torch.softmax(logits, dim=-1) * (~indicator)
    squares = weights.square().sum(dim=-1)
    return (squares * counted).sum() / counted.sum().clamp(min=1)
