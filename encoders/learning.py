"""The upper layers of a ready-made encoder in torch, which learn; the lower ones are computed once."""

import torch
from torch import Tensor, nn

from ..data.errors import InputError
from .bert import Bert
from .encoder_layer import EncoderLayer


class EncoderLayers(nn.Module):
    """A copy of an encoder's layers from ``first`` up to ``last``, all above ``first`` where that is None.

    Raises:
        InputError: it has fewer layers.
    """

    def __init__(self, bert: Bert, first: int, last: int | None = None, *, dropout: float = 0.1) -> None:
        super().__init__()
        last = bert.layers if last is None else last
        if not 0 <= first <= last <= bert.layers:
            problem = f"cannot freeze {first or last} layers of an encoder of {bert.layers}"
            raise InputError(problem, field="layers", hint=f"take 0 to {bert.layers}")
        sizes = bert.hidden, bert.inner, bert.heads, bert.epsilon
        self.layers = nn.ModuleList(EncoderLayer(*sizes, dropout) for _ in range(first, last))
        for layer, number in zip(self.layers, range(first, last), strict=True):
            own = bert.layer(number)
            layer.load_state_dict({name: torch.from_numpy(own[name]) for name in layer.state_dict()})

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return the last states (batch, pieces, hidden) from those of the lower layers.

        Args:
            mask: true for pieces, false for padding, (batch, pieces).
        """
        # a finite number: a text of padding alone would yield NaN
        bias = torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -1e9)[:, None, None, :]
        for layer in self.layers:
            states = layer(states, bias)
        return states
