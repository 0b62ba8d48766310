"""Rewrites joins by keys and data, so that a fan-out does not count a row more than once."""

from .join_rewriter import JoinRewriter

__all__ = ["JoinRewriter"]
