"""`querent mcp`: what its tools give a language model, over real standard input and output and in memory."""

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
from mcp import Client, StdioServerParameters
from starlette.testclient import TestClient
from warehouse import make_warehouse

from querent import Access, InputError, ToolServer

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mcp.md"
AND = {"question": "and?", "database": "shop"}
HIDDEN = Access(tables=("products", "categories"), columns={"customers": ("cust_id", "city")})


@pytest.fixture(scope="module")
def server(network: Any) -> Iterator[ToolServer]:
    """Serve the shop under two names."""
    made = ToolServer(["shop", "shop_2=shop"], rows=5, parser=network)
    yield made
    made.close()


@pytest.fixture(scope="module")
def role(network: Any) -> Iterator[ToolServer]:
    """Serve the shop to a role that may read three tables."""
    made = ToolServer(["shop"], access=HIDDEN, parser=network)
    yield made
    made.close()


def calls(server: ToolServer, *several: tuple[str, dict[str, Any]]) -> list[Any]:
    """Return what tools gave, one after the other; the text of an error."""

    async def run() -> list[Any]:
        async with Client(server.server) as client:
            found = [await client.call_tool(name, arguments) for name, arguments in several]
        return [one.content[0].text if one.is_error else one.structured_content for one in found]

    return asyncio.run(run())


def call(server: ToolServer, tool: str, **arguments: Any) -> Any:
    (found,) = calls(server, (tool, arguments))
    return found


def test_over_standard_input_and_output_nothing_but_the_protocol_is_said():
    """The client reads every line of standard output as a message, and would raise at another one."""
    odd: list[object] = []

    async def watch(message: object) -> None:
        if isinstance(message, Exception):
            odd.append(message)

    async def run() -> tuple[Any, ...]:
        shown = PAGE.read_text(encoding="utf-8").split("```json\n")[1].split("```")[0]
        told = json.loads(shown)["mcpServers"]["querent"]
        command = ["-c", "from querent.commands.cli import main; main()", *told["args"], "--rows", "2"]
        environment = {"OMP_NUM_THREADS": "1"} | {k: v for k, v in os.environ.items() if k == "QUERENT_CACHE"}
        parameters = StdioServerParameters(command=sys.executable, args=command, env=environment)
        async with Client(parameters, message_handler=watch) as client:
            tools = await client.list_tools()
            answer = await client.call_tool("ask", {"question": "how many customers are there?"})
            wrong = await client.call_tool("ask", {"question": ""})
        return tools.tools, answer, wrong

    tools, answer, wrong = asyncio.run(run())
    assert [tool.name for tool in tools] == ["ask", "choose", "validate", "describe"]
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert "`status`" in tools[0].description
    assert not answer.is_error
    assert answer.structured_content["rows"] == [[20]]
    assert answer.structured_content["status"] == "ok"
    assert json.loads(answer.content[0].text) == answer.structured_content
    assert wrong.is_error
    assert odd == []


def test_an_answer_has_what_there_is_to_choose_and_no_more_rows_than_asked_for(server):
    answer = call(server, "ask", question="which customers are there?", database="shop", rows=3)
    assert len(answer["rows"]) == 3
    assert answer["more_rows"]
    assert len(call(server, "ask", question="which customers are there?", database="shop", rows=900)["rows"]) == 5
    assert set(answer) == {
        *("status", "confidence", "reason", "sql", "columns", "rows", "more_rows", "notes", "clarification"),
        *("alternatives", "turns"),
    }


def test_another_reading_can_be_chosen(server):
    answer = call(server, "ask", question="how many orders are there by city?", database="shop")
    chosen = call(server, "choose", place=0, turns=answer["turns"], database="shop")
    assert chosen["sql"] == answer["alternatives"][0]["sql"]
    assert chosen["turns"][-1]["sql"] == chosen["sql"]
    assert "no alternative 100" in call(server, "choose", place=99, turns=answer["turns"], database="shop")
    assert "no option" in call(server, "choose", place=99, of="options", turns=answer["turns"], database="shop")


def test_databases_have_one_network(network, monkeypatch):
    read: list[Path] = []
    monkeypatch.setattr("querent.parser.network.saved.load_network", lambda folder: read.append(folder) or network)
    ToolServer(["shop", "shop_2=shop"]).close()
    assert len(read) == 1


def test_of_many_tables_the_names_are_told_and_those_asked_for_are_read(network, tmp_path):
    with ToolServer([str(make_warehouse(tmp_path / "warehouse.sqlite"))], parser=network) as tools:
        tables = call(tools, "describe")["tables"]
        assert {"singer", "concert"} <= set(tables)
        assert not isinstance(tables, dict)  # thousands of columns would fill a model's context
        (note,) = call(tools, "ask", question="How many singers are from Iceland?", tables=["concert"])["notes"]
        assert note.endswith("tables: concert")


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("ask", {"question": "how many?"}, "which database?"),
        ("ask", {"question": "how many?", "database": "shpo"}, "did you mean 'shop'?"),
        ("ask", {"question": "how many?", "database": "/etc/passwd"}, "no database '/etc/passwd'"),
        ("ask", {"question": "how many?", "database": "../shop.sqlite"}, "no database"),
        ("ask", {"question": "x" * 3000, "database": "shop"}, "3000 characters"),
        ("ask", {"question": "x" * 50_000, "database": "shop"}, "at most 4000 "),
        ("ask", {**AND, "turns": [{"question": "a"}]}, "argument turns.0.sql: field required"),
        ("ask", {**AND, "turns": [{"question": "a", "sql": "x" * 25000}]}, "at most 20000"),
        ("ask", {**AND, "turns": [{"question": "a", "sql": "b"}] * 51}, "at most 50"),
        ("ask", {**AND, "turns": [{"question": "a" * 5000, "sql": ""}]}, "at most 4000"),
        ("ask", {**AND, "rows": 0}, "argument rows: input should be greater than or equal to 1"),
        ("ask", {**AND, "rows": 10**9}, "less than or equal to 1000"),
        ("ask", {"question": "a", "database": "shop", "tables": ["custmers"]}, "did you mean 'customers'?"),
        ("ask", {"question": "a", "database": "shop", "tables": "customers"}, "sequence"),
        ("ask", {}, "question"),
        ("choose", {"place": 0, "turns": [], "database": "shop"}, "the last answer has none"),
        ("choose", {"place": 0, "turns": [], "database": "shop", "of": "__class__"}, "'alternatives' or 'options'"),
        ("validate", {"sql": "SELECT " + "1," * 20_000, "database": "shop"}, "at most 20000"),
        ("describe", {"table": "custmers", "database": "shop"}, "did you mean 'customers'?"),
        ("describe", {"table": "sqlite_master", "database": "shop"}, "no table"),
    ],
)  # fmt: skip
def test_hostile_arguments_are_one_clear_line(server, tool, arguments, said):
    found = call(server, tool, **arguments)
    assert isinstance(found, str)
    assert said in found
    assert "Traceback" not in found and "\n" not in found


def test_a_role_sees_its_own_alone(role):
    hidden = ("cust_name", "orders", "suppliers")
    every, refused, judged, starred, told = calls(
        role,
        ("describe", {}),
        ("describe", {"table": "orders"}),
        ("validate", {"sql": "SELECT cust_name FROM customers"}),
        ("validate", {"sql": "SELECT * FROM customers"}),
        ("ask", {"question": "what are the names and emails of customers and their orders?"}),
    )
    assert every["tables"]["customers"] == ["cust_id", "city"]
    assert "no table 'orders'" in refused
    assert judged["runs"] is starred["runs"] is False
    for found in (every, judged["allowed"], judged["nearest"], told["sql"], told["alternatives"]):
        assert not any(f'{name}"' in json.dumps(found) or f".{name}" in json.dumps(found) for name in hidden)

    leaning = [{"question": "what are their names?", "sql": "SELECT customers.cust_name FROM customers"}]
    answer = call(role, "ask", question="only those of Oslo", turns=leaning)
    assert "cust_name" not in (answer["sql"] or "")


def test_a_role_has_one_database():
    with pytest.raises(InputError, match="one database to a role"):
        ToolServer(["shop", "plant"], access=HIDDEN)


def test_over_http_nothing_is_kept_of_a_client(server):
    told = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": told}
    headers = {"accept": "application/json, text/event-stream", "host": "127.0.0.1:8900"}
    with TestClient(server.app) as client:
        for _ in range(20):
            found = client.post("/mcp", json=body, headers=headers)
            assert found.status_code == 200
            assert "mcp-session-id" not in found.headers
        assert client.post("/mcp", json={**body, "more": "x" * 1_000_000}, headers=headers).status_code == 413
        assert client.post("/mcp", json=body, headers={**headers, "host": "evil.example"}).status_code == 421
        for more in ({}, {"last-event-id": "1"}):  # no stream of events is held open
            assert client.get("/mcp", headers={**headers, **more}).status_code == 405


def test_calls_that_find_no_place_in_the_line_are_told_so(network, monkeypatch):
    monkeypatch.setattr("querent.serving.tool_server._WAITING", 1)
    made = ToolServer(["shop"], parser=network)

    async def run() -> list[Any]:
        async with Client(made.server) as client:
            several = (client.call_tool("ask", {"question": "how many orders are there?"}) for _ in range(5))
            return list(await asyncio.gather(*several))

    found = asyncio.run(run())
    made.close()
    assert sorted(one.is_error for one in found) == [False] * 2 + [True] * 3
    assert all("too many questions at once" in one.content[0].text for one in found if one.is_error)
