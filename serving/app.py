"""The application: the routes, and what each error is to whoever asked."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from ..data.errors import QuerentError
from .desk import Desk
from .failures import failure
from .guard import Guard
from .open_databases import GoneError, OpenDatabases
from .routes import Served, router
from .settings import ServingSettings

__all__ = ["application"]

_PAGE = Path(__file__).parent / "page"
_LOOPBACK = ["127.0.0.1", "localhost", "::1", "[::1]"]


def application(settings: ServingSettings, opened: OpenDatabases) -> FastAPI:
    """Return the application of one process.

    Args:
        settings: of the server.
        opened: what it asks, used in a thread of the application's own.
    """
    desk, waiting = (Desk(waiting=settings.waiting, seconds=settings.seconds) for _ in range(2))

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncGenerator[None]:
        desk.prepare(opened.open_all)
        yield
        waiting.stop()
        desk.close(opened.close)  # which ends the queries that are waited for
        waiting.close(lambda: None)

    # another name for this machine may lead here from any page (DNS rebinding); with a token that is no harm
    hosts = _LOOPBACK if settings.loopback else ["*"]
    app = FastAPI(
        title="Querent",
        docs_url=None,  # it would load from elsewhere
        redoc_url=None,
        lifespan=living,
        middleware=[
            Middleware(Guard, body=settings.body, log_errors=settings.log_questions),
            Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False),
        ],
    )
    app.state.served = Served(settings, opened, desk, waiting)
    app.include_router(router)
    app.mount("/", StaticFiles(directory=_PAGE, html=True))
    for known in (QuerentError, GoneError, HTTPException, RequestValidationError):
        app.add_exception_handler(known, _told)
    return app


async def _told(_: Request, error: Exception) -> JSONResponse:
    return failure(error)
