"""How many of many draws or cases of one kind a test takes."""

import os
from collections.abc import Iterable, Sequence
from typing import TypeVar

Case = TypeVar("Case")


def draws(most: int) -> int:
    """Return a fifth of a number, all of it with QUERENT_ALL_INSTANCES=1."""
    return most if os.environ.get("QUERENT_ALL_INSTANCES") else max(1, most // 5)


def some(cases: Iterable[Case], one_in: int) -> list[Case]:
    """Return the last of each so many cases, all of them with QUERENT_ALL_INSTANCES=1."""
    return list(cases) if os.environ.get("QUERENT_ALL_INSTANCES") else list(cases)[one_in - 1 :: one_in]


def in_turn(groups: Iterable[Sequence[Case]]) -> list[Case]:
    """Return the first case of the first group, the second of the second …; all with QUERENT_ALL_INSTANCES=1."""
    if os.environ.get("QUERENT_ALL_INSTANCES"):
        return [case for group in groups for case in group]
    return [group[n % len(group)] for n, group in enumerate(groups)]
