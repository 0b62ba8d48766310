"""`querent.serve`: a server until somebody ends it, in one process or several that answer side by side.

Several are forked with the network already read, so that its weights are there once; uvicorn's own workers are spawned
and would each read it again. Databases and threads are opened after the fork.
"""

import gc
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import cast

from ..data.errors import InputError
from ..data.packages import needs
from ..encoders.functions import one_thread
from ..encoders.graph import trim
from ..parser.network.saved import network_of
from .open_databases import OpenDatabases
from .settings import ServingSettings

_log = logging.getLogger("querent.serving")

_SOON = 1.0
"""Seconds before a process that ended is begun again, so that one that cannot begin does not keep a core busy."""

_BACKLOG = 128


def serve(settings: ServingSettings, ready: Callable[[str], None] = lambda _: None) -> None:
    """Serve databases.

    Args:
        ready: told the address once it listens.

    Raises:
        InputError: FastAPI is not installed, the address cannot be used, a role may read what there is not.
        OSError: what is kept of a database cannot be written.
        QuerentError: a database or the network cannot be read.
    """
    with needs("FastAPI with uvicorn", "serve"):
        from .app import run
    if settings.workers > 1 and not hasattr(os, "fork"):
        raise InputError("this system forks no processes", field="--workers", hint="serve with one")
    try:
        listening = bound(settings.host, settings.port)
    except OSError as error:
        problem = f"cannot listen on {settings.host}, port {settings.port}: {os.strerror(error.errno or 0)}"
        raise InputError(problem, field="--port", hint="give another one, or 0 for any") from error
    with listening, one_thread():
        loaded = network_of(settings.connecting.parser)
        settings = replace(settings, connecting=replace(settings.connecting, parser=loaded))
        OpenDatabases(settings).try_all()
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        ready(f"http://{host}:{listening.getsockname()[1]}/")
        if settings.workers == 1:
            run(settings, listening)
        else:
            loaded.network.encoder.model.padded([[0]])  # opens all layers: later each process would its own
            trim()
            _run_workers(settings.workers, lambda alive: run(settings, listening, alive))


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        OSError: the port is taken, or may not be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    made.setblocking(False)
    return made


def _run_workers(count: int, work: Callable[[int], None]) -> None:
    """Run processes until somebody ends this one; a process that ends by itself is begun again.

    Args:
        count: of processes.
        work: what each does; gets the end of a pipe that closes when this process is gone, however it went.
    """
    alive, kept = os.pipe()

    def worker() -> None:
        os.close(kept)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        work(alive)

    gc.freeze()  # a collection would write to what is shared, and so copy it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # which ends the others: they are daemons
    running: dict[int, BaseProcess] = {}
    with suppress(KeyboardInterrupt):
        while True:
            while len(running) < count:
                begun = get_context("fork").Process(target=worker, daemon=True)
                begun.start()
                running[begun.sentinel] = begun
            for sentinel in cast("list[int]", wait([*running])):
                _log.error("a process ended with %s; another one begins", running.pop(sentinel).exitcode)
            time.sleep(_SOON)
