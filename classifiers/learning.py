"""The heads as they learn, in torch: the same weights as those of `heads`, in batches."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass
class BatchClasses:
    """Logits of the heads.

    Attributes:
        used: is the item or value in the query? (batch, items).
        fixed: is the fixed word in it? (batch, fixed words).
        answerable: can the question be answered from this schema? (batch,).
        carries: does it need what was asked before? (batch,); None of a network that reads no history.
    """

    used: Tensor
    fixed: Tensor
    answerable: Tensor
    carries: Tensor | None = None


class Heads(nn.Module):
    """A module with heads; a network is one, so that its weights carry their names.

    Args:
        width: of the states.
        fixed: how many fixed words there are.
        carries: whether it reads what was asked before.
    """

    def __init__(self, width: int, fixed: int, *, carries: bool = False) -> None:
        super().__init__()
        self.used = nn.Linear(width, 1)
        self.fixed_used = nn.Linear(2 * width, fixed)
        self.carries = nn.Linear(width, 1) if carries else None
        self.fits = nn.Sequential(nn.Linear(2 * width, width), nn.GELU(), nn.Linear(width, 1))

    def classes_of(self, words: Tensor, items: Tensor, there: Tensor, held: Tensor) -> BatchClasses:
        """Read the states of a batch.

        Args:
            words: of the questions' own words, (batch, words, width).
            items: (batch, items, width).
            there, held: which words and items there are, (batch, words) and (batch, items).
        """
        used = self.used(items)[..., 0].masked_fill(~held, -1e9)
        said = (words * there[..., None]).sum(1) / there[..., None].sum(1).clamp(min=1)
        meant = (used.softmax(-1)[..., None] * items).sum(1)
        pooled = torch.cat([said, meant], -1)
        carries = None if self.carries is None else self.carries(said)[:, 0]
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
    """Return the binary cross-entropies of the heads, added up.

    Args:
        used: which items the gold query has, (batch, items), 0 and 1.
        held: which items there are, (batch, items).
        written: which fixed words it has, (batch, fixed words), 0 and 1.
        answerable: which questions have a gold query, (batch,); the others teach nothing of fixed words.
        seen: fixed words that are learnt, (fixed words,).
        carries: which questions need what was asked before, (batch,), 0 and 1; -1 where nobody said.
    """
    # by masks and not by picking what there is, whose size a GPU would have to be waited for
    items = _mean(F.binary_cross_entropy_with_logits(found.used, used, reduction="none"), held)
    answers = F.binary_cross_entropy_with_logits(found.answerable, answerable.float())
    learnt = answerable[:, None] & seen[None, :]
    if found.carries is not None:
        told = F.binary_cross_entropy_with_logits(found.carries, carries.clamp(min=0), reduction="none")
        answers = answers + _mean(told, carries >= 0)
    return items + answers + _mean(F.binary_cross_entropy_with_logits(found.fixed, written, reduction="none"), learnt)


def _mean(each: Tensor, counted: Tensor) -> Tensor:
    """Return the mean of what is counted, 0 if nothing is."""
    return each.masked_fill(~counted, 0.0).sum() / counted.sum().clamp(min=1)
