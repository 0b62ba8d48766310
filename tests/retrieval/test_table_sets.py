"""Which tables are read together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from querent.retrieval.schema_retriever.table_scorer import MAX_TABLES, neighbours_of, table_set

# 0 - 1 - 2 - 3 - 4, 5 alone
CHAIN = [(0, 1), (1, 2), (2, 3), (3, 4)]


def chosen(
    order: Sequence[int], wanted: int, *, columns: Sequence[int] = (), most: int = 100, first: Sequence[int] = ()
):
    links = np.array([*CHAIN, *(pair[::-1] for pair in CHAIN)])
    rest = [n for n in range(len(columns) or 6) if n not in order]
    neighbours, sizes = neighbours_of(links), columns or [5] * 6
    return table_set([*order, *rest], neighbours, sizes, wanted=wanted, most_columns=most, first=first)


def test_the_best_are_read_first() -> None:
    assert chosen([5, 0], 2) == (5, 0)


def test_what_lies_between_is_read() -> None:
    assert chosen([0, 2], 2) == (0, 2, 1)
    assert sorted(chosen([3, 0], 2)) == [0, 1, 2, 3]


def test_a_long_way_is_not_gone() -> None:
    assert chosen([0, 4], 2) == (0, 4)


def test_what_is_too_much_is_left_out() -> None:
    assert chosen([0, 5, 2], 3, columns=[5, 5, 5, 5, 5, 90], most=20) == (0, 2, 1)
    assert chosen([0, 2], 2, columns=[5, 90, 5, 5, 5, 5], most=20) == (0, 2)  # without what lies between


def test_the_first_is_read_whatever_it_has() -> None:
    assert chosen([5, 0], 2, columns=[5, 5, 5, 5, 5, 900], most=240) == (5,)


def test_what_is_needed_is_read_beside_the_best() -> None:
    assert chosen([5], 1, first=[4]) == (4, 5)


def test_there_are_never_more_than_are_read_at_most() -> None:
    assert len(table_set(range(50), {}, [1] * 50, wanted=50, most_columns=1000)) == MAX_TABLES
