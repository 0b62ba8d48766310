"""Attacks on the tools of `querent mcp`, over standard input and output as a client has them."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from typing import Any

from attacked import QUERENT, World
from body_attacks import own_queries
from mcp import Client, StdioServerParameters
from requests_sent import texts

__all__ = ["attack_tools"]

Noted = Callable[[list[str], str, str, str], None]


def attack_tools(world: World, note: Noted) -> None:
    """Call the tools of a limited role.

    Args:
        note: gets of each call what is wrong, what was sent, what came back, how it ended.
    """
    asyncio.run(_attack(world, note))


async def _attack(world: World, note: Noted) -> None:
    command = [*QUERENT[1:], "mcp", str(world.firm), "--access", str(world.folder / "clerk.toml")]
    environment = {**os.environ, "QUERENT_CACHE": str(world.folder / "cache"), "OMP_NUM_THREADS": "1"}
    parameters = StdioServerParameters(command=QUERENT[0], args=command, env=environment, cwd=str(world.folder / "cwd"))
    async with Client(parameters) as client:
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
            note(problems, sent, told, f"tool: {end}")


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
