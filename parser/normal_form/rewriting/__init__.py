"""Joins rewritten by keys and data, so that each row is counted once."""

from .join_rewriter import JoinRewriter

__all__ = ["JoinRewriter"]
