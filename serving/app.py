"""The application: its routes, the role of a request, and the response to each error."""

import asyncio
import json
import os
import signal
import socket
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from ..data.databases.rows import Rows
from ..data.errors import DatabaseError, InputError, QuerentError, TimeLimitError
from . import work
from .desk import BusyError, Desk, LateError
from .guard import Guard
from .messages import Asking, Choosing, Completing, Correcting, Judging, Validating
from .open_databases import GoneError, OpenDatabase, OpenDatabases
from .replies import error_json, problem_json
from .roles import TokenRole, role_of
from .settings import ServingSettings

_PAGE = Path(__file__).parent / "page"
_LOOPBACK = ["127.0.0.1", "localhost", "::1", "[::1]"]

_HEAP = 500_000_000
"""The bytes of SQLite in a process, since it builds a row of hundreds of large values before anybody sees it."""

_GRACE = 5
"""The seconds of open requests after the signal to end."""

_NO_TOKEN = {"www-authenticate": "Bearer"}


class PlainJson(JSONResponse):
    """JSON in ASCII, since a surrogate in a text has no UTF-8."""

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


async def _failure(_: Request, error: Exception) -> JSONResponse:
    """Return the response to a known error; `Guard` handles others."""
    headers: dict[str, str] = {}
    match error:
        case BusyError():
            status, body, headers = 429, error_json(error), {"retry-after": str(error.seconds)}
        case GoneError():
            status, body = 503, problem_json("the database cannot be read at present", hint="ask again later")
            headers = {"retry-after": "5"}
        case RequestValidationError():
            status, body = 422, _misread(error)
        case HTTPException():
            status, body = error.status_code, problem_json(error.detail)
            headers = dict(error.headers or {}) | (_NO_TOKEN if status == 401 else {})
        case LateError() | TimeLimitError():
            status, body = 504, error_json(error)
        case InputError():
            status, body = (404 if error.field == "database" else 422), error_json(error)
        case QuerentError():
            status, body = 422, error_json(error)
        case _:
            raise error
    return PlainJson(body, status, headers)


def _misread(error: RequestValidationError) -> dict[str, Any]:
    """Return the body for the first wrong field, without its value."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"] if part != "body")
    if first["type"] == "json_invalid":
        return problem_json("the body is no JSON", hint="see /openapi.json")
    return problem_json(first["msg"], field=field or None, hint="see /openapi.json")


router = APIRouter(default_response_class=PlainJson)


@dataclass(frozen=True)
class Served:
    """The state of the application; ``waiting`` is the desk for the queries that people write themselves."""

    settings: ServingSettings
    opened: OpenDatabases
    desk: Desk
    waiting: Desk


@dataclass(frozen=True)
class Caller:
    """The role and the state of one request."""

    role: TokenRole
    served: Served
    request: Request

    def do(
        self, database: str | None, job: Callable[[OpenDatabase], Any], *, quick: bool = False, **logged: str
    ) -> Awaitable[Any]:
        """Do a job on a database when its turn comes, see `Desk.do`.

        Raises:
            InputError: the role sees no such database.
            BusyError: too many wait.
        """
        name = self.served.opened.named(self.role, database)
        entry = self.request.state.logged = {"role": self.role.name, "database": name}
        if self.served.settings.log_questions:
            entry.update({field: repr(text) for field, text in logged.items()})
        opened = self.served.opened
        return self.served.desk.do(partial(opened.get, self.role, name), lambda one: opened.work(one, job), quick=quick)

    async def run(self, database: str | None, sql: str) -> Rows:
        """Run a user's own query beside other requests; errors are those of `do` and of `Connection.query`."""
        opened = await self.do(database, lambda one: one, sql=sql)
        try:
            return await self.served.waiting.do(lambda: opened.connection, lambda one: one.query(sql))
        except DatabaseError as error:  # is the query wrong, or is the database gone?
            await self.do(database, OpenDatabase.check, sql=sql)
            error.problem = opened.without_place(error.problem)
            raise

    def most(self, wanted: int | None) -> int | None:
        """Return the number of rows of the response."""
        return self.served.settings.rows if wanted is None else min(wanted, self.served.settings.rows)


_bearer = HTTPBearer(auto_error=False, description="The token of a role, where the server has any.")


def _caller(request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> Caller:
    served: Served = request.app.state.served
    role = role_of(served.settings.roles, credentials and credentials.credentials)
    if role is None:
        raise HTTPException(401, "a token is needed" if credentials is None else "nobody has this token")
    return Caller(role, served, request)


Here = Annotated[Caller, Depends(_caller)]


@router.get("/health")
async def health() -> dict[str, str]:
    """Return that the server is running."""
    return {"status": "ok"}


@router.get("/about")
async def about(here: Here) -> dict[str, Any]:
    """Return the databases, the role of the caller, and the limits."""
    role, settings = here.role, here.served.settings
    kept, whole = role.feedback is not None, role.access is None
    limits = {"rows": settings.rows, "seconds": settings.seconds}
    databases = [
        {"name": name, "own_queries": whole, "feedback": kept} for name in settings.databases if role.sees(name)
    ]
    return {"role": role.name, "databases": databases, "limits": limits}


@router.get("/schema")
async def schema(here: Here, database: str | None = None) -> dict[str, Any]:
    """Return tables and columns with their contents, as far as the role may read them."""
    return await here.do(database, lambda opened: opened.schema, quick=True)


@router.post("/complete")
async def complete(here: Here, body: Completing) -> dict[str, Any]:
    """Return the values of the database with a prefix; a POST, so that no log of addresses contains it."""
    return await here.do(body.database, lambda opened: work.complete(opened, body.text), quick=True)


@router.post("/ask")
async def ask(here: Here, body: Asking) -> dict[str, Any]:
    """Answer a question, read with the conversation before it."""
    most = here.most(body.rows)
    return await here.do(body.database, lambda opened: work.ask(opened, body, most), question=body.question)


@router.post("/choose")
async def choose(here: Here, body: Choosing) -> dict[str, Any]:
    """Choose another reading of the last question."""
    return await here.do(body.database, lambda opened: work.choose(opened, body, here.most(body.rows)))


@router.post("/correct")
async def correct(here: Here, body: Correcting) -> dict[str, Any]:
    """Run a query of one's own in place of the last answer's, for reading only."""
    rows = await here.run(body.database, body.sql)
    job = partial(work.correct, request=body, rows=rows, most=here.most(body.rows))
    return await here.do(body.database, job, sql=body.sql)


@router.post("/feedback")
async def feedback(here: Here, body: Judging) -> dict[str, Any]:
    """Record a verdict on the last answer, which is learnt at once."""
    own = await here.do(body.database, lambda opened: work.own_query(opened, body))
    if own is not None:
        await here.run(body.database, own)
    return await here.do(body.database, lambda opened: work.judge(opened, body))


@router.post("/validate")
async def validate(here: Here, body: Validating) -> dict[str, Any]:
    """Check whether a query would run, without running it; it may name only what the role may read."""
    return await here.do(body.database, lambda opened: opened.validator.validate(body.sql).to_json(), sql=body.sql)


def application(settings: ServingSettings, opened: OpenDatabases) -> FastAPI:
    """Return the application of one process.

    Args:
        settings: the settings of the server.
        opened: its databases, for a thread of the application.
    """
    desk, waiting = (Desk(waiting=settings.waiting, seconds=settings.seconds) for _ in range(2))

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncGenerator[None]:
        for role, name in opened.seen():  # so that no request waits for them
            desk.prepare(partial(opened.get, role, name))
        yield
        waiting.stop()
        desk.close(opened.close)  # ends the queries in work
        waiting.close(lambda: None)

    # any page may lead here by another name of this machine (DNS rebinding), which a token makes harmless
    hosts = _LOOPBACK if settings.loopback else ["*"]
    app = FastAPI(
        title="Querent",
        docs_url=None,  # it would load from another site
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
        app.add_exception_handler(known, _failure)
    return app


def run(settings: ServingSettings, listening: socket.socket, alive: int | None = None) -> None:
    """Answer the requests on a socket.

    Args:
        alive: the end of a pipe that closes when the parent process ends.
    """
    with closing(sqlite3.connect(":memory:")) as first:
        first.execute(f"PRAGMA hard_heap_limit = {_HEAP}")
    app = application(settings, OpenDatabases(settings))
    quiet: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False}
    server = uvicorn.Server(uvicorn.Config(app, timeout_graceful_shutdown=_GRACE, **quiet))

    async def main() -> None:
        if alive is not None:
            asyncio.get_running_loop().add_reader(alive, os.kill, os.getpid(), signal.SIGTERM)
        await server.serve(sockets=[listening])

    with suppress(KeyboardInterrupt):  # uvicorn raises it again after it has ended
        asyncio.run(main())
