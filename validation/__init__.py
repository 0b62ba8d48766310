"""Validation of foreign SQL by the constraint: finds the word that breaks a rule, and suggests a query that runs."""

from .statements import Statement, read_statements
from .validation import Validation, Validator, validate

__all__ = ["Statement", "Validation", "Validator", "read_statements", "validate"]
