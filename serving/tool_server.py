"""A server of the Model Context Protocol, whose tools ask databases; it needs the package `mcp`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resources import FunctionResource
from mcp_types import ToolAnnotations
from pydantic import Field
from starlette.applications import Starlette
from starlette.routing import Route

from ..data.databases.urls import scrubbed
from ..data.errors import QuerentError
from ..data.packages import VERSION
from .desk import Desk
from .guard import Guard
from .tool_texts import ASK, CHOOSE, DESCRIBE, INSTRUCTIONS, VALIDATE
from .tools import DatabaseTools

__all__ = ["ToolServer"]

Database = Annotated[str, Field(description="Its name; may be left out where there is one.", max_length=200)]
Turns = Annotated[
    list[dict[str, Any]], Field(description="`turns` of the answer before; none for a question that stands alone.")
]
Tables = Annotated[
    list[Annotated[str, Field(max_length=200)]],
    Field(description="Read these alone; none: all, of hundreds those likeliest to be meant.", max_length=50),
]
Rows = Annotated[int, Field(description="Rows to return, at most.", ge=1, le=1000)]

_WAITING, _SECONDS = 32, 30.0
"""How many calls may wait, and how long each may take, its waiting included."""

_BODY = 1_000_000
"""Bytes of a request over HTTP, at most."""

_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


class ToolServer:
    """Serves the tools; questions are answered one after the other, in one thread, which opens the databases.

    Args:
        opened: opens the databases; called in that thread.

    Raises:
        QuerentError: as from `DatabaseTools`.
    """

    def __init__(self, opened: Callable[[], DatabaseTools]) -> None:
        self._desk = Desk(waiting=_WAITING, seconds=_SECONDS)
        try:
            self._tools = self._desk.prepare(opened).result()
        except BaseException:
            self._desk.close(lambda: None)
            raise
        self.server = MCPServer(
            "querent",
            version=VERSION,
            instructions=INSTRUCTIONS.format(names=", ".join(self._tools.names)),
            log_level="WARNING",
        )
        for tool, description in (
            (self.ask, ASK),
            (self.choose, CHOOSE),
            (self.validate, VALIDATE),
            (self.describe, DESCRIBE),
        ):
            self.server.add_tool(tool, description=description, annotations=_READS)
        for name in self._tools.names:
            self._add_schema(name)

    async def ask(
        self,
        question: Annotated[str, Field(description="In plain words.", max_length=10_000)],
        database: Database = "",
        turns: Turns = [],  # noqa: B006 - a schema shows it, and nothing changes it
        rows: Rows = 20,
        tables: Tables = [],  # noqa: B006
    ) -> dict[str, Any]:
        """Answer a question."""
        return await self._done(lambda: self._tools.ask(question, database, turns, rows, tables))

    async def choose(
        self,
        place: Annotated[int, Field(description="Its number, from 0.", ge=0, le=1000)],
        turns: Turns,
        of: Annotated[Literal["alternatives", "options"], Field(description="What it is one of.")] = "alternatives",
        database: Database = "",
        rows: Rows = 20,
    ) -> dict[str, Any]:
        """Take another reading."""
        return await self._done(lambda: self._tools.choose(place, turns, of, database, rows))

    async def validate(
        self, sql: Annotated[str, Field(description="One query.")], database: Database = ""
    ) -> dict[str, Any]:
        """Judge a query."""
        return await self._done(lambda: self._tools.validate(sql, database))

    async def describe(
        self,
        table: Annotated[str, Field(description="Its name; without one, all tables are listed.", max_length=200)] = "",
        database: Database = "",
    ) -> dict[str, Any]:
        """Describe tables."""
        return await self._done(lambda: self._tools.describe(table, database))

    @property
    def app(self) -> Starlette:
        """Return it as an application of HTTP, which keeps nothing of a client: the turns come with each call."""
        made = self.server.streamable_http_app(stateless_http=True)
        for route in made.routes:
            if isinstance(route, Route):
                route.methods = {"POST"}  # a GET would wait for messages, and none ever come
        made.add_middleware(Guard, body=_BODY)
        return made

    def run(self, http: int | None = None) -> None:
        """Serve on standard input and output until these are closed, or on a port of this machine alone."""
        try:
            if http is None:
                self.server.run("stdio")
            else:
                import uvicorn  # comes with mcp

                told: dict[str, Any] = {"log_level": "warning", "server_header": False}
                uvicorn.run(self.app, host="127.0.0.1", port=http, **told)
        finally:
            self.close()

    def close(self) -> None:
        """Close the databases."""
        self._desk.close(self._tools.close)

    def _add_schema(self, name: str) -> None:
        async def read() -> str:
            return await self._done(lambda: self._tools.ddl(name))

        self.server.add_resource(
            FunctionResource(
                uri=f"querent://schema/{quote(name, safe='')}",
                name=f"schema of {name}",
                description=f"Tables, columns and keys of {name} that may be read, as CREATE TABLE statements.",
                mime_type="application/sql",
                fn=read,
            )
        )

    async def _done(self, work: Callable[[], Any]) -> Any:
        """Do it in the one thread; what a caller can mend comes back as a text, anything else is a bug."""
        try:
            return await self._desk.do(lambda: None, lambda _: work())
        except QuerentError as error:
            told = QuerentError(error.problem, field=error.field, hint=error.hint)  # without its file
            raise ToolError(scrubbed(str(told))) from error
