"""The thread that answers, and who waits for it."""

import asyncio
import threading

import pytest

from querent.serving.desk import Desk, LateError


def test_what_waits_is_left_when_the_desk_closes() -> None:
    done, begun, free = list[str](), threading.Event(), threading.Event()

    def slow(_: None) -> None:
        begun.set()
        free.wait()
        done.append("first")

    async def asked() -> None:
        desk = Desk(waiting=4, seconds=60.0)
        first = asyncio.ensure_future(desk.do(lambda: None, slow))
        second = asyncio.ensure_future(desk.do(lambda: None, lambda _: done.append("second")))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        threading.Timer(0.2, free.set).start()
        desk.close(lambda: done.append("last"))
        await first
        with pytest.raises(LateError):
            await second

    asyncio.run(asked())
    assert done == ["first", "last"]
