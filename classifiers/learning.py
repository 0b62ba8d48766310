"""The heads in torch, for training; `heads` has their predictions in use."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass
class BatchClasses:
    """The logits of the heads.

    Attributes:
        used: whether each item or value is in the query, (batch, items).
        fixed: whether each fixed word is in the query, (batch, fixed words).
        answerable: whether the question can be answered from this schema, (batch,).
        carries: whether the question needs the earlier turns, (batch,); None if the network reads no turns.
    """

    used: Tensor
    fixed: Tensor
    answerable: Tensor
    carries: Tensor | None = None


class Heads(nn.Module):
    """A module with heads, from which the network inherits them, so that its weights have these names.

    Args:
        width: the width of the states.
        fixed: the number of fixed words.
        carries: whether the network reads earlier turns.
    """

    def __init__(self, width: int, fixed: int, *, carries: bool) -> None:
        super().__init__()
        self.used = nn.Linear(width, 1)
        self.fixed_used = nn.Linear(2 * width, fixed)
        self.carries = nn.Linear(width, 1) if carries else None
        self.fits = nn.Sequential(nn.Linear(2 * width, width), nn.GELU(), nn.Linear(width, 1))

    def classes_of(self, words: Tensor, items: Tensor, there: Tensor, held: Tensor) -> BatchClasses:
        """Return the logits of a batch.

        Args:
            words: the states of the questions' own words, (batch, words, width).
            items: the states of items and values, (batch, items, width).
            there, held: which words and items are no padding, (batch, words) and (batch, items).
        """
        used = self.used(items)[..., 0].masked_fill(~held, -1e9)
        question = (words * there[..., None]).sum(1) / there[..., None].sum(1).clamp(min=1)
        schema = (used.softmax(-1)[..., None] * items).sum(1)
        pooled = torch.cat([question, schema], -1)
        carries = None if self.carries is None else self.carries(question)[:, 0]
        return BatchClasses(used, self.fixed_used(pooled), self.fits(pooled)[:, 0], carries)


def class_loss(
    found: BatchClasses,
    *,
    used: Tensor,
    held: Tensor,
    written: Tensor,
    answerable: Tensor,
    seen: Tensor,
    carries: Tensor,
) -> Tensor:
    """Return the sum of the heads' binary cross-entropies.

    Args:
        used: which items the gold query has, (batch, items), 0 and 1.
        held: which items are no padding, (batch, items).
        written: which fixed words the gold query has, (batch, fixed words), 0 and 1.
        answerable: which questions have a gold query, (batch,); the others have no loss of fixed words.
        seen: the fixed words that are learnt, (fixed words,).
        carries: which questions need the earlier turns, (batch,), 0 and 1; -1 if unknown.
    """
    # masks instead of indices, for whose number the CPU would have to wait
    items = _mean(F.binary_cross_entropy_with_logits(found.used, used, reduction="none"), held)
    answers = F.binary_cross_entropy_with_logits(found.answerable, answerable.float())
    learnt = answerable[:, None] & seen[None, :]
    if found.carries is not None:
        each = F.binary_cross_entropy_with_logits(found.carries, carries.clamp(min=0), reduction="none")
        answers = answers + _mean(each, carries >= 0)
    return items + answers + _mean(F.binary_cross_entropy_with_logits(found.fixed, written, reduction="none"), learnt)


def _mean(each: Tensor, counted: Tensor) -> Tensor:
    """Return the mean of the elements under a mask, 0 if there are none."""
    return each.masked_fill(~counted, 0.0).sum() / counted.sum().clamp(min=1)
