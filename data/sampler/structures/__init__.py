"""The shapes of queries, by name; each is drawn by a function and said by the templates of its phrase's rule."""

from __future__ import annotations

from .adjectives import ADJECTIVES
from .columns import COLUMNS
from .frames import FRAMES
from .groups import GROUPS
from .joins import JOINS
from .orders import ORDERS
from .sets import SETS
from .shape import Structure

__all__ = ["ALL", "Structure"]

ALL: dict[str, Structure] = {**COLUMNS, **ADJECTIVES, **FRAMES, **ORDERS, **GROUPS, **JOINS, **SETS}
"""Every structure by its name."""
