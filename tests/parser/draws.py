"""How many of many draws or cases of one kind a test takes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

__all__ = ["draws", "some"]

Case = TypeVar("Case")


def draws(most: int) -> int:
    """Return two fifths of a number, all of it with QUERENT_ALL_INSTANCES=1."""
    return most if os.environ.get("QUERENT_ALL_INSTANCES") else most * 2 // 5


def some(cases: Iterable[Case], one_in: int) -> list[Case]:
    """Return the last of each so many cases, all of them with QUERENT_ALL_INSTANCES=1."""
    return list(cases) if os.environ.get("QUERENT_ALL_INSTANCES") else list(cases)[one_in - 1 :: one_in]
