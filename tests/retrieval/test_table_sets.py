"""Which tables are read together."""

from typing import Any

import numpy as np
import pytest

from querent.retrieval.schema_retriever.table_scorer import MAX_TABLES, neighbours_of, table_set

# 0 - 1 - 2 - 3 - 4, 5 alone
CHAIN = [(0, 1), (1, 2), (2, 3), (3, 4)]
SIZES = [5] * 6


@pytest.mark.parametrize(
    ("best", "wanted", "given", "expected"),
    [
        ([5, 0], 2, {}, (5, 0)),
        ([0, 2], 2, {}, (0, 2, 1)),  # what lies between is read, too
        ([3, 0], 2, {}, (3, 0, 2, 1)),
        ([0, 4], 2, {}, (0, 4)),  # but for a long way
        ([0, 5, 2], 3, {"columns": [5, 5, 5, 5, 5, 90], "most_columns": 20}, (0, 2, 1)),
        ([0, 2], 2, {"columns": [5, 90, 5, 5, 5, 5], "most_columns": 20}, (0, 2)),  # without what lies between
        ([5, 0], 2, {"columns": [5, 5, 5, 5, 5, 900], "most_columns": 240}, (5,)),  # the first, whatever it has
        ([5], 1, {"first": [4]}, (4, 5)),
    ],
)
def test_tables_are_read_with_what_lies_between(
    best: list[int], wanted: int, given: dict[str, Any], expected: tuple[int, ...]
) -> None:
    neighbours = neighbours_of(np.array([*CHAIN, *(pair[::-1] for pair in CHAIN)]))
    order = [*best, *(n for n in range(6) if n not in best)]
    how = {"columns": SIZES, "most_columns": 100} | given
    assert table_set(order, neighbours, wanted=wanted, **how) == expected


def test_there_are_never_more_than_are_read_at_most() -> None:
    assert len(table_set(range(50), {}, [1] * 50, wanted=50, most_columns=1000)) == MAX_TABLES
