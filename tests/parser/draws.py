"""How many of many draws of one kind a test takes."""

from __future__ import annotations

import os

__all__ = ["draws"]


def draws(most: int) -> int:
    """Return two fifths of a number, all of it with QUERENT_ALL_INSTANCES=1."""
    return most if os.environ.get("QUERENT_ALL_INSTANCES") else most * 2 // 5
