"""The names that the commands need beside the public ones; ``rooms.pyi`` lists them, and they load on first use."""

from __future__ import annotations

from .lazy import lazily

__getattr__, __dir__, __all__ = lazily(__file__)
