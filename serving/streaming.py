"""An answer as lines of JSON, each as soon as it is known."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from fastapi.responses import StreamingResponse

from ..data.answer import Tell
from .failures import failure

__all__ = ["streamed"]


def streamed(begin: Callable[[Tell], Awaitable[Any]]) -> StreamingResponse:
    """Return a response of lines: ``{"step": "values", "told": […]}``, ``queries``, and ``answer`` or ``error`` last.

    Args:
        begin: begins to answer, and calls what it gets from another thread.

    Raises:
        BusyError: as from ``begin``.
    """
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any]]()

    def tell(step: str, told: tuple[str, ...]) -> None:
        loop.call_soon_threadsafe(lines.put_nowait, {"step": step, "told": told})

    answering = asyncio.ensure_future(_last(begin(tell), lines))
    return StreamingResponse(_written(lines, answering), media_type="application/x-ndjson")


async def _last(answer: Awaitable[Any], lines: asyncio.Queue[dict[str, Any]]) -> None:
    try:
        last = {"step": "answer", **await answer}
    except Exception as error:
        try:
            refused = failure(error)
            last = {"step": "error", "status": refused.status_code, **json.loads(bytes(refused.body))}
        except Exception:
            last = {"step": "error", "status": 500, "error": {"problem": "something went wrong here"}}
    lines.put_nowait(last)


async def _written(lines: asyncio.Queue[dict[str, Any]], answering: asyncio.Task[None]) -> AsyncIterator[bytes]:
    step = ""
    while step not in ("answer", "error"):
        line = await lines.get()
        step = line["step"]
        yield json.dumps(line, allow_nan=False).encode() + b"\n"
    await answering
