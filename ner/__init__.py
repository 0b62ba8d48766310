"""Which values a question names."""

from __future__ import annotations

from .finder import ValueFinder
from .gazetteer import Entry, Gazetteer
from .tagger import Tagger, TaggerConfig
from .units import Unit, units

__all__ = ["Entry", "Gazetteer", "Tagger", "TaggerConfig", "Unit", "ValueFinder", "units"]
