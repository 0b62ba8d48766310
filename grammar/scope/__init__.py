"""Which names a query may use where: its sources, the columns they show, and what FROM still owes."""

from .levels import Level, Scope
from .moves import Moves, Name

__all__ = ["Level", "Moves", "Name", "Scope"]
