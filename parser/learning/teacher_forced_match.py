"""How well a network writes the next word of held-out queries: cheap enough for every epoch, on a GPU as on a CPU."""

from __future__ import annotations

import torch

from ..reader.schema.output_vocabulary import UNKNOWN
from .batches import TrainingSet
from .network import TrainableNetwork
from .training import mixed_precision

__all__ = ["TeacherForcedMatch"]


class TeacherForcedMatch:
    """Judges a network by the held-out examples of a training set, each on its whole schema.

    Args:
        examples: whose held-out ones have a query each.
        size: of a batch.
    """

    def __init__(self, examples: TrainingSet, *, size: int = 32) -> None:
        self.examples = examples
        self.batches = list(examples.judging(size))

    @torch.no_grad()
    def __call__(self, network: TrainableNetwork) -> dict[str, float]:
        """Return the share of queries whose every word is the likeliest after those before it (``exact``).

        Words that the question does not tell count as right.
        """
        right = torch.zeros((), device=self.examples.device)
        for one in self.batches:
            example = one.to(self.examples.device)
            with mixed_precision(self.examples.device):
                states = network.encode(example.batch, self.examples.states)
                likeliest = network.next_words(states, example.targets).argmax(-1)
            untold = (example.targets < 0) | (example.targets == UNKNOWN)
            right += ((likeliest == example.targets) | untold).all(1).sum()
        return {"exact": round(float(right) / max(1, len(self.examples.held_out)), 4)}
