"""The network of the label classifiers."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["TextRNN"]


class TextRNN(nn.Module):
    """Embedding, bidirectional GRU, attention pooling, one logit per label.

    The attention is that of Zhou et al. 2016 («Attention-based bidirectional LSTM networks for
    relation classification», section 3.3), over a GRU: a learned vector scores the tanh of each state.
    """

    def __init__(self, *, words: int, labels: int, width: int = 96, dropout: float = 0.3, padding: int = 0) -> None:
        super().__init__()
        self.padding = padding
        self.embedding = nn.Embedding(words, width, padding_idx=padding)
        self.gru = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.attention = nn.Linear(2 * width, 1, bias=False)
        self.output = nn.Linear(2 * width, labels)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words: Tensor) -> Tensor:
        """Return logits (questions, labels) of padded word ids (questions, longest)."""
        real = words != self.padding
        lengths = real.sum(dim=1).clamp(min=1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.embedding(words)), lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=words.shape[1])
        scores = self.attention(torch.tanh(states)).squeeze(-1).masked_fill(~real, float("-inf"))
        # the first place is never masked, so that a question without words has a pooled state too
        scores = torch.where(real.any(dim=1, keepdim=True), scores, torch.zeros_like(scores))
        pooled = (torch.softmax(scores, dim=1).unsqueeze(-1) * states).sum(dim=1)
        return self.output(self.dropout(pooled))
