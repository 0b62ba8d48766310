"""Ready-made sentence encoders, whose layers read questions and the names of a schema."""

from .load import Encoder, load_encoder
from .split import Split, split_at

__all__ = ["Encoder", "Split", "load_encoder", "split_at"]
