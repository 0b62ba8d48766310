"""An encoder in two: lower layers that stay as they are, so that a text needs them once, and upper ones to train."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from ...data.errors import InputError

__all__ = ["Split", "bert_parts", "split_at"]

_LIKE_BERT = ("bert", "roberta", "xlm-roberta", "camembert")


@dataclass(frozen=True)
class Split:
    """The two parts of one encoder; both share their weights with it."""

    embeddings: nn.Module
    lower: nn.ModuleList
    upper: nn.ModuleList

    @torch.no_grad()
    def lower_states(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return the states (texts, tokens, hidden) after the frozen layers, without dropout or gradients.

        Args:
            input_ids: (texts, tokens).
            attention_mask: (texts, tokens), 1 for a token and 0 for padding. A token's state does not depend on the
                padding beside it, so a text's states can be kept and padded anew.
        """
        self.embeddings.eval()
        self.lower.eval()
        return _through(self.lower, self.embeddings(input_ids=input_ids), attention_mask)

    def upper_states(self, states: Tensor, attention_mask: Tensor) -> Tensor:
        """Return the encoder's last states (texts, tokens, hidden) from those of `lower_states`."""
        return _through(self.upper, states, attention_mask)


def split_at(model: PreTrainedModel, layers: int) -> Split:
    """Freeze the embeddings and the first ``layers`` layers of ``model``, and return both parts.

    Raises:
        InputError: the model is not built like BERT, or has fewer layers.
    """
    embeddings, stack = bert_parts(model)
    if not 0 <= layers <= len(stack):
        problem = f"cannot freeze {layers} layers of an encoder of {len(stack)}"
        raise InputError(problem, field="layers", hint=f"take 0 to {len(stack)}")
    split = Split(embeddings, nn.ModuleList(stack[:layers]), nn.ModuleList(stack[layers:]))
    for part in (split.embeddings, split.lower):
        part.requires_grad_(False)
    return split


def bert_parts(model: PreTrainedModel) -> tuple[nn.Module, nn.ModuleList]:
    """Return the embeddings of ``model`` and its layers.

    Raises:
        InputError: it is not built like BERT.
    """
    parts: Any = model
    kind: str = parts.config.model_type
    # by name: layers of MPNet and DeBERTa look the same and need relative positions besides
    if kind not in _LIKE_BERT:
        problem = f"an encoder of the kind {kind!r} is not built like BERT"
        raise InputError(problem, field="encoder", hint=f"take minilm, e5, or a model of {', '.join(_LIKE_BERT)}")
    return parts.embeddings, parts.encoder.layer


def _through(layers: nn.ModuleList, states: Tensor, attention_mask: Tensor) -> Tensor:
    if len(layers) == 0:
        return states
    # the least finite number, not -inf: a text of padding alone would yield NaN
    ignored = torch.finfo(states.dtype).min
    mask = torch.zeros(attention_mask.shape, dtype=states.dtype, device=states.device)
    mask = mask.masked_fill(attention_mask == 0, ignored)[:, None, None, :]
    for layer in layers:
        states = layer(states, mask)
    return states
