"""SQL of other makers held against the constraint: which word breaks which rule, and what would run in its place."""

from .statements import Statement, read_statements
from .validation import Validation, Validator, validate

__all__ = ["Statement", "Validation", "Validator", "read_statements", "validate"]
