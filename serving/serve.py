"""`querent.serve`: a server until somebody ends it."""

from __future__ import annotations

import os
from collections.abc import Callable

from ..data.databases.schema_places import open_schema
from ..data.errors import InputError
from ..data.packages import needs
from ..parser.base import SHIPPED, parser_folder
from ..parser.network.saved import load_network
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
        from .running import run
    _check_roles(settings)
    try:
        listening = bound(settings.host, settings.port)
    except OSError as error:
        problem = f"cannot listen on {settings.host}, port {settings.port}: {os.strerror(error.errno or 0)}"
        raise InputError(problem, field="--port", hint="give another one, or 0 for any") from error
    with listening:
        parser = settings.told.get("parser")
        network = load_network(parser_folder(SHIPPED if parser is None else parser))
        told = {**settings.told, "parser": network}
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        ready(f"http://{host}:{listening.getsockname()[1]}/")
        if settings.workers == 1:
            run(settings, told, listening)
        else:
            run_workers(settings.workers, lambda alive: run(settings, told, listening, alive))


def _check_roles(settings: ServingSettings) -> None:
    """Find out before the first question what cannot be read.

    Raises:
        QuerentError: says what.
    """
    for name, place in settings.databases.items():
        schema, _ = open_schema(place)
        for role in settings.roles.all:
            if role.sees(name) and (access := role.access_to(name)) is not None:
                access.narrowed(schema)
