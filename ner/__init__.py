"""Which values a question names.

Names load on first use: `ner.index` needs no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .finder import ValueFinder
    from .gazetteer import Entry, Gazetteer
    from .tagger import Tagger, TaggerConfig

__all__ = ["Entry", "Gazetteer", "Tagger", "TaggerConfig", "ValueFinder"]

_HOMES = {
    "Entry": "gazetteer",
    "Gazetteer": "gazetteer",
    "Tagger": "tagger",
    "TaggerConfig": "tagger",
    "ValueFinder": "finder",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
