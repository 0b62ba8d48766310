"""Work side by side: results in order, errors in their place, each thread with its own tools."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from itertools import count

import pytest

from querent.parser.runs.predict import ordered_map


class Shop:
    """Opens tools, and keeps in which threads they were opened, used and closed."""

    def __init__(self, work: Callable[[int], int]) -> None:
        self._work = work
        self.opened: list[int] = []
        self.closed: list[int] = []
        self.used: set[int] = set()

    @contextmanager
    def __call__(self) -> Generator[Callable[[int], int]]:
        self.opened.append(threading.get_ident())
        yield self._used
        self.closed.append(threading.get_ident())

    def _used(self, item: int) -> int:
        self.used.add(threading.get_ident())
        return self._work(item)


def test_results_come_in_order_however_long_each_takes():
    shop = Shop(lambda item: (time.sleep(0.02 * (item % 3 == 0)), item * item)[1])
    assert list(ordered_map(range(40), shop, 4)) == [n * n for n in range(40)]
    assert len(set(shop.opened)) == 4
    assert sorted(shop.opened) == sorted(shop.closed)
    assert shop.used <= set(shop.opened)


def test_it_reads_ahead_but_not_far():
    taken: list[int] = []

    def endless() -> Iterator[int]:
        for n in count():
            taken.append(n)
            yield n

    with closing(ordered_map(endless(), Shop(lambda item: item), 2)) as found:
        assert [next(found) for _ in range(100)] == list(range(100))
        assert len(taken) <= 108


def test_an_error_stands_in_the_place_of_its_result():
    done: list[int] = []
    with pytest.raises(ZeroDivisionError):
        done += ordered_map(range(-5, 5), Shop(lambda item: 1 // item), 2)
    found = ordered_map((2, 1, 0), Shop(lambda item: 1 // item), 2)
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        next(found)
