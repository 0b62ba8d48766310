"""Finds the back end that a spec names."""

from __future__ import annotations

from ...data.errors import InputError
from ..messages import Backend

__all__ = ["load_backend"]


def load_backend(spec: str) -> Backend:
    """Return the back end that a spec names.

    Raises:
        InputError: there is none.
    """
    raise InputError(f"no back end {spec!r}", field="llm")
