"""One process that answers, until it is told to end."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Any

import uvicorn

from .app import application
from .open_databases import OpenDatabases
from .settings import ServingSettings

__all__ = ["run"]

_HEAP = 500_000_000
"""Bytes that SQLite takes in one process, since a row of hundreds of large values is made before anybody sees it."""

_GRACE = 5
"""Seconds that open requests have once it is told to end."""


def run(settings: ServingSettings, told: Mapping[str, Any], listening: socket.socket, alive: int | None = None) -> None:
    """Answer what comes to a socket.

    Args:
        told: of `querent.connect`, the network among it.
        alive: the end of a pipe that closes when the process that began this one is gone.
    """
    with closing(sqlite3.connect(":memory:")) as first:
        first.execute(f"PRAGMA hard_heap_limit = {_HEAP}")
    app = application(settings, OpenDatabases(settings, told))
    quiet: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False}
    server = uvicorn.Server(uvicorn.Config(app, timeout_graceful_shutdown=_GRACE, **quiet))

    async def main() -> None:
        if alive is not None:
            asyncio.get_running_loop().add_reader(alive, os.kill, os.getpid(), signal.SIGTERM)
        await server.serve(sockets=[listening])

    with suppress(KeyboardInterrupt):  # uvicorn raises it anew once it has ended
        asyncio.run(main())
