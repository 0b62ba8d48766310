"""Which values of a database a question names: an index on disk, built once, asked in milliseconds."""

from __future__ import annotations

from ..cells.found import FoundValue
from .value_index import ValueIndex

__all__ = ["FoundValue", "ValueIndex"]
