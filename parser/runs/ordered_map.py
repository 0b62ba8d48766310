"""Work that waits, done by several threads at a time, with results in the order of the items."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

__all__ = ["ordered_map"]

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 4
"""Items begun or done for each thread before the first of them must be taken: a slow one holds the others up late."""


def ordered_map(
    items: Iterable[Item], opened: Callable[[], AbstractContextManager[Callable[[Item], Result]]], threads: int
) -> Iterator[Result]:
    """Yield the result of each item, in order.

    Args:
        items: read as far ahead as there is work for.
        opened: called in each thread; opens what works there and nowhere else, and closes it in that thread.
        threads: how many items are worked on at a time.

    Raises:
        Exception: what ``opened`` or the work of an item raised, in place of that item's result.
    """
    inbox: SimpleQueue[tuple[Item, Future[Result]] | None] = SimpleQueue()
    # a daemon, so that an interrupt does not wait for a server
    workers = [Thread(target=_work, args=(inbox, opened), daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(Future())
            inbox.put((item, waiting[-1]))
            if len(waiting) == _AHEAD * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        for _ in workers:
            inbox.put(None)
    for worker in workers:
        worker.join()


def _work(
    inbox: SimpleQueue[tuple[Item, Future[Result]] | None],
    opened: Callable[[], AbstractContextManager[Callable[[Item], Result]]],
) -> None:
    try:
        with opened() as work:
            while (task := inbox.get()) is not None:
                _finish(task[1], work, task[0])
    except Exception as error:  # it cannot work at all: whoever waits is to know
        while (task := inbox.get()) is not None:
            if task[1].set_running_or_notify_cancel():
                task[1].set_exception(error)


def _finish(future: Future[Result], work: Callable[[Item], Result], item: Item) -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(work(item))
        except BaseException as error:
            future.set_exception(error)
