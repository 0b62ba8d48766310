"""The network of the tagger."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn
from torchcrf import CRF

__all__ = ["TaggerNetwork"]


class TaggerNetwork(nn.Module):
    """Unit embedding, letter convolution and gazetteer hints; bidirectional LSTM; linear-chain CRF.

    After Ma and Hovy 2016 («End-to-end sequence labeling via bi-directional LSTM-CNNs-CRF»).
    Word id 0 is padding, and so is letter id 0.
    """

    LETTERS: ClassVar[int] = 16
    """Letters of a unit that are read; further ones are cut off."""

    def __init__(
        self,
        *,
        words: int,
        letters: int,
        hints: int,
        tags: int,
        word_width: int,
        letter_width: int,
        width: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.word = nn.Embedding(words, word_width, padding_idx=0)
        self.letter = nn.Embedding(letters, letter_width, padding_idx=0)
        self.convolution = nn.Conv1d(letter_width, letter_width, kernel_size=3, padding=1)
        self.lstm = nn.LSTM(word_width + letter_width + hints, width, batch_first=True, bidirectional=True)
        self.output = nn.Linear(2 * width, tags)
        self.dropout = nn.Dropout(dropout)
        self.crf = CRF(tags, batch_first=True)

    def forward(self, words: Tensor, letters: Tensor, hints: Tensor) -> Tensor:
        """Return tag scores (questions, longest, tags).

        Args:
            words: ids (questions, longest).
            letters: ids (questions, longest, LETTERS).
            hints: 0 or 1, (questions, longest, hints).
        """
        questions, longest, width = letters.shape
        spelled = self.letter(letters.view(questions * longest, width)).transpose(1, 2)
        spelled = torch.relu(self.convolution(spelled)).amax(dim=2).view(questions, longest, -1)
        read = torch.cat([self.dropout(torch.cat([self.word(words), spelled], dim=2)), hints], dim=2)
        lengths = (words != 0).sum(dim=1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(read, lengths, batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=longest)
        return self.output(self.dropout(states))

    def loss(self, words: Tensor, letters: Tensor, hints: Tensor, tags: Tensor) -> Tensor:
        """Return the mean negative log-likelihood of ``tags`` (questions, longest) per unit."""
        return -self.crf(self(words, letters, hints), tags, mask=words != 0, reduction="token_mean")

    def read(self, words: Tensor, letters: Tensor, hints: Tensor) -> tuple[list[list[int]], Tensor]:
        """Return each question's best path and the probability of each tag at each unit (questions, longest, tags).

        The probabilities come by the gradient: that of a path's log-likelihood with respect to its
        scores is the path's own indicator less the CRF's marginals.
        """
        # a caller's inference mode would forbid the gradient
        with torch.inference_mode(False), torch.enable_grad():
            mask = words.clone() != 0
            with torch.no_grad():
                scores = self(words, letters, hints)
                paths: list[list[int]] = self.crf.decode(scores, mask=mask)  # pyright: ignore[reportArgumentType]  (its stub says bytes)
            first = torch.zeros_like(mask, dtype=torch.long)
            scores = scores.detach().clone().requires_grad_()
            likelihood = self.crf(scores, first, mask=mask, reduction="sum")
            (gradient,) = torch.autograd.grad(likelihood, scores)
        indicator = torch.zeros_like(scores)
        indicator[..., 0] = 1.0
        return paths, (indicator - gradient).detach().clamp(0.0, 1.0)
