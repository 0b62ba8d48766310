"""The normal form: one way to say each query, what networks learn to write, and exact ways back to SQL."""

from .shorthand import ShortForm
from .steps import ShortConstraint, ShortState
from .words import uses_in, vocabulary
from .writing import NormalForm

__all__ = [
    "NormalForm",
    "ShortConstraint",
    "ShortForm",
    "ShortState",
    "uses_in",
    "vocabulary",
]
