"""`querent.serve`: a server until somebody ends it."""

from __future__ import annotations

import os
from collections.abc import Callable

from ..data.errors import InputError
from ..data.packages import needs
from ..encoders.graph import trim
from ..parser.decoding.encoded_question import one_thread
from ..parser.network.saved import network_of
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
        OSError: what is kept of a database cannot be written.
        QuerentError: a database or the network cannot be read.
    """
    with needs("FastAPI with uvicorn", "serve"):
        from .running import run
    if settings.workers > 1 and not hasattr(os, "fork"):
        raise InputError("this system forks no processes", field="--workers", hint="serve with one")
    try:
        listening = bound(settings.host, settings.port)
    except OSError as error:
        problem = f"cannot listen on {settings.host}, port {settings.port}: {os.strerror(error.errno or 0)}"
        raise InputError(problem, field="--port", hint="give another one, or 0 for any") from error
    with listening, one_thread():
        told = {**settings.told, "parser": network_of(settings.told.get("parser"))}
        OpenDatabases(settings, told).try_all()
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        ready(f"http://{host}:{listening.getsockname()[1]}/")
        if settings.workers == 1:
            run(settings, told, listening)
        else:
            told["parser"].network.encoder.model.padded([[0]])  # opens all layers: later each process would its own
            trim()
            run_workers(settings.workers, lambda alive: run(settings, told, listening, alive))
