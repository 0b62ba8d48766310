"""Which tables are read together: the best, and those on the shortest way of keys between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_TABLES", "neighbours_of", "table_set"]

MAX_TABLES = 12
"""Tables that are read at most."""

_MAX_BETWEEN = 2
"""Tables between two that a question needs."""


def neighbours_of(links: NDArray[np.int64]) -> Mapping[int, Sequence[int]]:
    """Return the tables that keys link to each, from (links, 2)."""
    found: dict[int, list[int]] = {}
    for one, other in links.tolist():
        found.setdefault(other, []).append(one)
    return found


def table_set(
    order: Sequence[int],
    neighbours: Mapping[int, Sequence[int]],
    columns: Sequence[int],
    *,
    wanted: int,
    most_columns: int,
    first: Iterable[int] = (),
) -> tuple[int, ...]:
    """Return the tables to read: the first, then the best, each with what lies between it and those before it.

    Args:
        order: all tables, the best first.
        neighbours: by `neighbours_of`.
        columns: how many each table has.
        wanted: of the best.
        most_columns: of all together; the first table is read whatever it has.
        first: what is read whatever its score.
    """
    found = list(dict.fromkeys(first))
    total = sum(columns[table] for table in found)
    for table in [one for one in order if one not in found][:wanted]:
        between = [one for one in _between(table, found, neighbours) if one not in found]
        for some in ([table, *between], [table]):  # without what lies between where that is too much
            more = sum(columns[one] for one in some)
            if not found or (len(found) + len(some) <= MAX_TABLES and total + more <= most_columns):
                found += some
                total += more
                break
    return tuple(found)


def _between(table: int, found: Sequence[int], neighbours: Mapping[int, Sequence[int]]) -> list[int]:
    """Return what lies on the shortest way from a table to any of those found; nothing where there is no short one."""
    came: dict[int, int] = {table: table}
    queue = deque([(table, 0)])
    while queue:
        here, steps = queue.popleft()
        for other in neighbours.get(here, ()):
            if other in came:
                continue
            came[other] = here
            if other in found:
                return _way(came, here, table)
            if steps < _MAX_BETWEEN:
                queue.append((other, steps + 1))
    return []


def _way(came: Mapping[int, int], here: int, table: int) -> list[int]:
    way: list[int] = []
    while here != table:
        way.append(here)
        here = came[here]
    return way
