"""The normal form: the canonical intermediate representation that networks write, with an exact way back to SQL."""

from .shorthand import ShortForm
from .steps import ShortConstraint, ShortState
from .words import uses_in, vocabulary
from .writing import NormalForm

__all__ = ["NormalForm", "ShortConstraint", "ShortForm", "ShortState", "uses_in", "vocabulary"]
