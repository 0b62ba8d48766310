"""Attacks on the tools of `querent mcp`, over standard input and output and over HTTP as clients have them."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

from attacked import QUERENT, World, exchange
from body_attacks import own_queries
from forged_attacks import held_connections
from mcp import Client, StdioServerParameters
from requests_sent import request, texts

__all__ = ["attack_tools"]

_CALL: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
_CALL["params"] = {"name": "ask", "arguments": {"question": "how many orders are there?"}}

Noted = Callable[[str, list[str], str, str, str], None]


def attack_tools(world: World, note: Noted) -> None:
    """Call the tools of a limited role.

    Args:
        note: gets of each call its category, what is wrong, what was sent, what came back, how it ended.
    """
    command = [*QUERENT[1:], "mcp", str(world.firm), "--access", str(world.folder / "clerk.toml")]
    environment = {**os.environ, "QUERENT_CACHE": str(world.folder / "cache"), "OMP_NUM_THREADS": "1"}
    parameters = StdioServerParameters(command=QUERENT[0], args=command, env=environment, cwd=str(world.folder / "cwd"))
    asyncio.run(_attack(world, parameters, "tools", note))
    with _over_http([QUERENT[0], *command], environment) as place:
        asyncio.run(_attack(world, f"http://{place[0]}:{place[1]}/mcp", "tools over HTTP", note))
        for parts in _raw(world, f"{place[0]}:{place[1]}"):
            told = exchange(place, list(parts)).decode("utf-8", "replace")
            status, sent = told[9:12], parts[0].decode("utf-8", "replace")
            problems = [f"it tells {one}" for one in world.unsaid + world.hidden if one in told and one not in sent]
            problems += [f"status {status}"] * (status.startswith("5") and status != "503")
            problems += ["it was not refused"] * status.startswith("2")
            note("tools over HTTP", problems, sent, told, f"HTTP: {status or 'hung up'}")
        held_connections(place, _call(world, f"{place[0]}:{place[1]}"), note, "tools over HTTP")


@contextmanager
def _over_http(command: list[str], environment: dict[str, str]) -> Generator[tuple[str, int]]:
    """Serve the tools on a port that is free; give where."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        place = free.getsockname()[:2]
    with subprocess.Popen([*command, "--http", str(place[1])], env=environment, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(600):
                try:
                    socket.create_connection(place).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield place
        finally:
            server.terminate()


def _call(world: World, host: str) -> tuple[bytes, ...]:
    """Return a call as clients of the protocol send it."""
    headers: dict[str, str | bytes] = {"host": host, "accept": "application/json, text/event-stream"}
    return request(world, "/mcp", _CALL, role="", headers=headers)


def _raw(world: World, host: str) -> Iterator[tuple[bytes, ...]]:
    """Give requests that no client of the protocol sends; none may succeed."""
    call = _CALL
    accept: dict[str, str | bytes] = {"host": host, "accept": "application/json, text/event-stream"}

    def sent(body: Any, method: str = "POST", path: str = "/mcp", **more: str) -> tuple[bytes, ...]:
        headers = accept | {name.replace("_", "-"): value for name, value in more.items()}
        return request(world, path, body, role="", method=method, headers=headers)

    for other in ("evil.example", "127.0.0.1.evil.example", "", "localhost@evil.example"):
        yield sent(call, host=other)
    for origin in ("http://evil.example", "null", "file://", "https://127.0.0.1.evil.example"):
        yield sent(call, origin=origin)
    for method in ("PUT", "PATCH", "HEAD", "TRACE", "GARBAGE"):
        yield sent(call, method)
    for path in ("/", "/sse", "/messages", "/mcp/../etc/passwd", "/mcp/%2e%2e/", "/docs", "/openapi.json"):
        yield sent(call, path=path)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        yield sent(call, content_type=kind)
    yield sent(call, accept="text/html")
    yield sent(call, mcp_protocol_version="9999-99-99")
    for body in (b"", b"{", b"\xff\xfe", b"[" * 100_000, b"null", b'"x"', b"[]", b'{"jsonrpc": "1.0"}'):
        yield sent(body)
    yield sent(json.dumps(call).encode() + b" " * 1_000_000)
    yield sent([call] * 1000)
    for more in ("\\ud800", '", "z": ' + "[" * 50_000 + "]" * 50_000 + ', "y": "'):
        yield sent(json.dumps(call).replace("how many", more).encode())
    for method in ("GET", "DELETE"):
        yield sent(None, method)
        yield sent(None, method, last_event_id="1", mcp_session_id="../x")


async def _attack(world: World, server: StdioServerParameters | str, category: str, note: Noted) -> None:
    async with Client(server) as client:
        for kind, arguments in (*_calls(world), *_resources(world)):
            sent = f"{kind} {json.dumps(arguments)}"
            try:
                if kind == "resource":
                    told, end = str(await asyncio.wait_for(client.read_resource(arguments["uri"]), 30)), "read"
                    refused = arguments["uri"] != "querent://schema/firm"
                else:
                    found = await asyncio.wait_for(client.call_tool(kind, arguments), 30)
                    told, end, refused = str(found), "error" if found.is_error else "result", False
            except TimeoutError:
                told, end, refused = "", "no answer", False
            except Exception as error:
                told, end, refused = f"{type(error).__name__}: {error}", "refused", False
            problems = [
                f"it tells {one}" for one in world.unsaid + world.hidden if one in told.lower() and one not in sent
            ]
            problems += ["it was not refused"] * refused + ["no answer"] * (end == "no answer")
            problems += [f"changed: {name}" for name in world.digests().items() ^ world.sums.items()]
            if not (await asyncio.wait_for(client.list_tools(), 30)).tools:
                problems.append("the server does not answer")
            note(category, problems, sent, told, f"tool: {end}")


def _calls(world: World) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give tools with what they get."""
    for name in (
        "/etc/passwd",
        "../other",
        "other",
        str(world.folder / "other.sqlite"),
        "sqlite:////etc/passwd",
        "http://127.0.0.1/",
        "firm' --",
        "FIRM",
        "\u0000",
        "x" * 201,
        "__class__",
        "firm.sqlite",
        "*",
        "~",
    ):
        yield "describe", {"database": name}
        yield "ask", {"question": "how many?", "database": name}
    for table in (
        world.table,
        world.column,
        f"{world.table}_view",
        world.table[:-1],
        "sqlite_master",
        "sqlite_schema",
        "customers; --",
        "customers",
        "orders",
        "CUSTOMERS",
        "",
        "pragma_table_info",
        "../x",
        "main.orders",
        "\u202e",
    ):
        yield "describe", {"table": table}
    for question in texts("questions", world):
        yield "ask", {"question": question}
    for sql, _, _ in own_queries(world)[::2]:
        if "\ud800" not in sql:
            yield "validate", {"sql": sql}
    for sql in (
        f"SELECT {world.column} FROM customers",
        f"SELECT COUNT(*) FROM {world.table[:-1]}",
        "SELECT * FROM customers",
        "x" * 20_001,
    ):
        yield "validate", {"sql": sql}
        yield "ask", {"question": "only those in Oslo", "turns": [{"question": "x", "sql": sql}]}
        yield "choose", {"place": 0, "turns": [{"question": "which customers?", "sql": sql}]}
    turn = {"question": "how many orders are there?", "sql": "SELECT COUNT(*) FROM orders"}
    for place in (-1, 99, 10**30, "0", "SELECT 1", 0.5, None, [0]):
        yield "choose", {"place": place, "turns": [turn]}
    for turns in (
        [turn] * 51,
        [{}],
        [{"question": 1, "sql": 2}],
        "x",
        [[]],
        [{**turn, "confidence": 2}],
        [{**turn, "version": "x"}],
        [{**turn, "x": {"x": {"x": [[[{}]]]}}, **{f"k{n}": n for n in range(5000)}}] * 10,
        None,
    ):
        yield "ask", {"question": "and by city?", "turns": turns}
    for rows in (0, -5, 1001, "all", None):
        yield "ask", {"question": "which orders are there?", "rows": rows}
    for kind in ("query", "execute", "../ask", "", "__init__"):
        yield kind, {"question": "x", "sql": "SELECT 1"}
    yield "ask", {"question": "x", "access": None, "database": "firm", "role": "boss"}


def _resources(world: World) -> Iterator[tuple[str, dict[str, Any]]]:
    for uri in (
        "querent://schema/firm",
        "querent://schema/other",
        "querent://schema/../other",
        "querent://schema/%2e%2e/other",
        "file:///etc/passwd",
        f"file://{world.firm}",
        "querent://schema/",
        "querent://other/firm",
        "http://127.0.0.1/",
        "querent://schema/firm?x",
        "querent://schema/firm%00",
        f"querent://schema/{world.table}",
        "querent:///etc/passwd",
        "querent://schema/FIRM",
    ):
        yield "resource", {"uri": uri}
