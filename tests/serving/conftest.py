"""The application on the shipped shop, with the shipped network read once."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

TOKENS = {name: f"a-token-of-the-{name}-people" for name in ("sales", "boss")}


@pytest.fixture(scope="session")
def network() -> Any:
    """Return the shipped network."""
    from querent.parser.network.saved import network_of

    return network_of(None)


@pytest.fixture(scope="session")
def application(network: Any) -> Callable[..., Any]:
    """Return what makes an application of settings."""
    pytest.importorskip("fastapi", reason="pip install '.[serve]'")
    from querent.parser.answering.asking import ConnectOptions
    from querent.serving.app import application as made
    from querent.serving.open_databases import OpenDatabases
    from querent.serving.settings import ServingSettings, databases_named

    def make(*databases: str, **settings: Any) -> Any:
        told = ConnectOptions(parser=network)
        served = ServingSettings(databases_named(databases or ["shop"]), connecting=told, **settings)
        return made(served, OpenDatabases(served))

    return make


@pytest.fixture(scope="module")
def client_of(application: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Return what makes clients of applications that run until the file is done."""
    pytest.importorskip("httpx", reason="needs httpx")
    from fastapi.testclient import TestClient

    with ExitStack() as stack:

        def make(*databases: str, **settings: Any) -> TestClient:
            client = TestClient(application(*databases, **settings), base_url="http://127.0.0.1")
            return stack.enter_context(client)

        yield make


@pytest.fixture(scope="module")
def served() -> Iterator[Callable[[Any], str]]:
    """Return what serves an application until the file is done, and its address."""
    uvicorn = pytest.importorskip("uvicorn", reason="pip install '.[serve]'")
    with ExitStack() as stack:

        def serve(app: Any) -> str:
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
            thread.start()
            stack.callback(thread.join)
            stack.callback(setattr, server, "should_exit", True)
            return f"http://127.0.0.1:{listening.getsockname()[1]}/"

        yield serve


@pytest.fixture(scope="module")
def two_roles(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return roles of the shop: one sees names and cities of customers, and orders; the other all."""
    from querent.serving.roles import read_roles, token_digest

    folder = tmp_path_factory.mktemp("roles")
    access = '[tables]\nwhole = ["orders"]\n\n[columns]\ncustomers = ["cust_id", "cust_name", "city"]\n'
    (folder / "sales.toml").write_text(access, encoding="utf-8")
    digest = {name: token_digest(token).hex() for name, token in TOKENS.items()}
    roles = (
        f'[sales]\ntoken_sha256 = "{digest["sales"]}"\naccess = {{ shop = "sales.toml" }}\nfeedback = "sales.jsonl"\n'
        f'[boss]\ntoken_sha256 = "{digest["boss"]}"\n'
    )
    (folder / "roles.toml").write_text(roles, encoding="utf-8")
    return read_roles(folder / "roles.toml", ["shop", "plant"])
