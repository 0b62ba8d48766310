"""`querent.serve`: a server until somebody ends it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..data.databases.schema_places import open_schema
from ..data.errors import InputError
from ..data.packages import needs
from ..parser.base import SHIPPED, parser_folder
from ..parser.network.saved import load_network
from .open_databases import OpenDatabases
from .settings import ServingSettings
from .workers import bound, run_workers

__all__ = ["serve"]


def serve(settings: ServingSettings, ready: Callable[[str], None] = lambda _: None) -> None:
    """Serve databases.

    Args:
        ready: told the address once it listens.

    Raises:
        InputError: FastAPI is not installed, the address cannot be used, a role may read what there is not.
        QuerentError: a database or the network cannot be read.
    """
    with needs("FastAPI with uvicorn", "querent[serve]"):
        import fastapi  # noqa: F401
        import uvicorn
    for name, place in settings.databases.items():
        schema, _ = open_schema(place)
        for role in settings.roles.all:
            if role.sees(name) and (access := role.access_to(name)) is not None:
                access.narrowed(schema)
    try:
        listening = bound(settings.host, settings.port)
    except OSError as error:
        problem = f"cannot listen on {settings.host}, port {settings.port}: {error.strerror}"
        raise InputError(problem, field="--port", hint="give another one, or 0 for any") from error
    parser = settings.told.get("parser")
    told = {**settings.told, "parser": load_network(parser_folder(SHIPPED if parser is None else parser))}
    with listening:
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        ready(f"http://{host}:{listening.getsockname()[1]}/")
        if settings.workers == 1:
            _answer(settings, told, listening)
        else:
            run_workers(settings.workers, lambda alive: _answer(settings, told, listening, alive))


def _answer(settings: ServingSettings, told: dict[str, Any], listening: socket.socket, alive: int | None = None) -> None:
    """Answer in this process until it is told to end, or the one that began it is gone."""
    import uvicorn

    from .app import application

    app = application(settings, OpenDatabases(settings, told))
    quiet: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False, "date_header": True}
    server = uvicorn.Server(uvicorn.Config(app, timeout_graceful_shutdown=5, **quiet))

    async def main() -> None:
        if alive is not None:
            asyncio.get_running_loop().add_reader(alive, os.kill, os.getpid(), signal.SIGTERM)
        await server.serve(sockets=[listening])

    with suppress(KeyboardInterrupt):  # uvicorn raises it anew once it has ended
        asyncio.run(main())
    logging.getLogger("querent.serving").debug("ended")
