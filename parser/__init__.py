"""Question to SQL: the encoder-decoder, its search under both constraints, and the pipeline around them.

Names load on first use, so that importing the package does not import torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .config import ParserConfig
    from .model import ParserModel
    from .pipeline import Answer, Parser

__all__ = ["Answer", "Parser", "ParserConfig", "ParserModel"]

_HOMES = {"Answer": "pipeline", "Parser": "pipeline", "ParserConfig": "config", "ParserModel": "model"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
