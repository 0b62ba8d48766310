"""Requests about databases on servers: queries that write, wait or look around there, and what a role may not read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attacked import World
from requests_sent import Attack, request, texts

__all__ = ["engine_attacks"]

_REFUSED = (
    "COPY customers TO '/tmp/x'",
    "COPY customers TO PROGRAM 'id'",
    "SELECT * INTO copied FROM customers",
    "SELECT name FROM customers INTO OUTFILE '/tmp/x'",
    "SELECT name FROM customers FOR UPDATE",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT LOAD_FILE('/etc/passwd')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT set_config('role', 'x', false)",
    "SELECT GET_LOCK('a', 10)",
    "SELECT pg_advisory_lock(1)",
    "SELECT pg_terminate_backend(1)",
    "SELECT query_to_xml('DELETE FROM orders', true, true, '')",
    "SELECT @a := 1",
    "SELECT 1; DELETE FROM orders",
    "WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x",
    "EXPLAIN ANALYZE DELETE FROM orders",
    "DO $$ BEGIN DELETE FROM orders; END $$",
    "SET GLOBAL max_connections = 1",
    "CALL nothing()",
    "KILL 1",
)
_SLOW = (
    "SELECT pg_sleep(1000)",
    "SELECT SLEEP(1000)",
    "SELECT BENCHMARK(1000000000000, SHA2('a', 512))",
    "SELECT COUNT(*) FROM orders a, orders b, orders c, orders d, orders e, orders f, orders g",
    "SELECT REPEAT('x', 2000000000)",
    "SELECT * FROM mysql.user",
    "SELECT * FROM pg_shadow",
    "SELECT no_such_column FROM customers",
)


def engine_attacks(world: World) -> Iterator[Attack]:
    """Give them for each server that there is."""
    for name in world.urls:
        yield from _own_queries(world, name)
        yield from _limited(world, name)


def _own_queries(world: World, name: str) -> Iterator[Attack]:
    """The boss runs what writes or waits."""
    turn = {"question": "how many orders are there?", "sql": "SELECT COUNT(*) FROM orders"}
    told: dict[str, Any] = {"database": name, "conversation": {"version": 1, "turns": [turn]}}
    for sql in (*_REFUSED, *_SLOW):
        sent = request(world, "/correct", {**told, "sql": sql}, role="boss")
        yield Attack(name, "boss", sent, refused=sql in _REFUSED, slow=sql in _SLOW)


def _limited(world: World, name: str) -> Iterator[Attack]:
    """The clerk asks for what is hidden."""
    yield Attack(name, "clerk", request(world, f"/schema?database={name}", method="GET"))
    for sql in texts("reading", world)[:15]:
        turn = {"question": "which customers are there?", "sql": sql}
        told: dict[str, Any] = {"database": name, "conversation": {"version": 1, "turns": [turn]}}
        yield Attack(name, "clerk", request(world, "/correct", {**told, "sql": sql}), refused=True)
        yield Attack(name, "clerk", request(world, "/validate", {"sql": sql, "database": name}))
        yield Attack(name, "clerk", request(world, "/ask", {**told, "question": "only those in Oslo"}), slow=True)
    for question in texts("questions", world)[:20]:
        yield Attack(name, "clerk", request(world, "/ask", {"question": question, "database": name}), slow=True)
