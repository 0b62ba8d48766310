"""What the commands need of the rooms beside the public names, each loaded on first use; ``rooms.pyi`` lists them."""

from __future__ import annotations

from .lazy import lazily

__getattr__, __dir__, __all__ = lazily(__file__)
