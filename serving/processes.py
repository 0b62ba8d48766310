"""`querent.serve`: a server with one process, or several that answer in parallel.

Several processes are forked after the network is loaded, so that they share its weights; the workers of uvicorn are
spawned, and each would load it again. Databases and threads are opened after the fork.
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
"""The seconds before a process that ended is started again, so that a failing one does not use a whole core."""

_BACKLOG = 128


def serve(settings: ServingSettings, ready: Callable[[str], None] = lambda _: None) -> None:
    """Serve databases until the process ends.

    Args:
        ready: a callback for the address, when the server listens.

    Raises:
        InputError: FastAPI is not installed, the address cannot be used, or a role has an unknown table or column.
        OSError: the cache of a database cannot be written.
        QuerentError: a database or the network cannot be read.
    """
    with needs("FastAPI with uvicorn", "serve"):
        from .app import run
    if settings.workers > 1 and not hasattr(os, "fork"):
        raise InputError("this system forks no processes", field="--workers", hint="serve with one")
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        listening = socket.create_server((settings.host, settings.port), family=family, backlog=_BACKLOG)
        listening.setblocking(False)
    except OSError as error:
        problem = f"cannot listen on {settings.host}, port {settings.port}: {os.strerror(error.errno or 0)}"
        raise InputError(problem, field="--port", hint="give another one, or 0 for any") from error
    with listening, one_thread():
        loaded = network_of(settings.connecting.parser)
        settings = replace(settings, connecting=replace(settings.connecting, parser=loaded))
        OpenDatabases(settings).open_all(keep=False)  # fills the caches, and raises errors
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        ready(f"http://{host}:{listening.getsockname()[1]}/")
        if settings.workers == 1:
            run(settings, listening)
        else:
            loaded.network.encoder.model.padded([[0]])  # loads all layers before the fork
            trim()
            _run_workers(settings.workers, lambda alive: run(settings, listening, alive))


def _run_workers(count: int, work: Callable[[int], None]) -> None:
    """Run processes until this one ends; a process that ends by itself is started again.

    Args:
        count: the number of processes.
        work: the function of each process, for the end of a pipe that closes when this process ends in any way.
    """
    alive, kept = os.pipe()

    def worker() -> None:
        os.close(kept)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        work(alive)

    gc.freeze()  # a collection would write to shared memory, and so copy it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # ends the others, which are daemons
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
