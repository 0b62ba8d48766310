"""Ready-made sentence encoders, whose layers read questions and the names of a schema."""

from .load import Encoder, load_encoder

__all__ = ["Encoder", "load_encoder"]
