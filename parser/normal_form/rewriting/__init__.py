"""Joins rewritten to what is meant, by keys and data: each row counted once, no NULL a trap, nothing needless."""

from .meant_joins import MeantJoins

__all__ = ["MeantJoins"]
