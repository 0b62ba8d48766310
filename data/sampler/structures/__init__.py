"""The shapes of queries, by name; each is drawn by a function and said by the templates of its phrase's rule.

Names of `PLAIN` begin with what the shape is about: «time», «best», «null».
"""

from __future__ import annotations

from .adjectives import ADJECTIVES
from .amounts import AMOUNTS
from .bests import BESTS
from .calendar import CALENDAR
from .columns import COLUMNS
from .doings import DOINGS
from .frames import FRAMES
from .groups import GROUPS
from .joins import JOINS
from .orders import ORDERS
from .sets import SETS
from .shape import Structure
from .things import THINGS
from .times import TIMES

__all__ = ["ALL", "PLAIN", "Structure"]

PLAIN: dict[str, Structure] = {**THINGS, **TIMES, **BESTS, **CALENDAR, **DOINGS, **AMOUNTS}
"""What people ask in passing, by its name."""

ALL: dict[str, Structure] = {**COLUMNS, **ADJECTIVES, **FRAMES, **ORDERS, **GROUPS, **JOINS, **SETS, **PLAIN}
"""Every structure by its name."""
