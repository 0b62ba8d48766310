"""Requests with bodies that are no questions, and queries of people's own that write or take too much."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from attacked import World
from requests_sent import Attack, request, texts

__all__ = ["body_attacks", "own_queries"]


def body_attacks(world: World) -> Iterator[Attack]:
    """Give them."""
    yield from _bodies(world)
    yield from _queries(world)


def _bodies(world: World) -> Iterator[Attack]:
    deep = [b"[" * 10_000 + b"]" * 10_000, b'{"a":' * 10_000 + b"1" + b"}" * 10_000, b"[" * 100_000]
    raw = [
        *deep,
        b"",
        b"null",
        b"[]",
        b'"x"',
        b"1",
        b"NaN",
        b"{",
        b"\xff\xfe\x00",
        b"\xef\xbb\xbf{}",
        b"{}",
        b'{"question": NaN}',
        b'{"question": "how many orders?", "question": "x", "database": "other", "database": "firm"}',
        b'{"question": ' + b"9" * 5000 + b"}",
        b'{"question": "\\ud800", "database": "firm"}',
        b'{"question": "\\u0000", "database": "firm"}',
        b'{"question": "x", "database": "\\udfff"}',
        b'{"question": "x", "database": {"$ne": 1}}',
        b'{"question": ["x"], "database": "firm"}',
        b'{"question": "x", "database": "firm", "beam": 1e400}',
        b'{"question": "x", "database": "firm", "rows": -1}',
        b'{"question": "x", "database": "firm", "rows": ' + b"9" * 4300 + b"}",
        b'{"question": "x", "database": "firm", "stream": "yes", "explain": 2}',
        b'{"question": "x", "database": "firm", "access": null, "role": "boss"}',
        b'{"__proto__": {"role": "boss"}, "question": "x"}',
        json.dumps({"question": "x" * 3000, "database": "firm"}).encode(),
        json.dumps({"question": "x", "database": "firm" * 200_000}).encode(),
        json.dumps({"question": "q " * 1000, "database": "firm"}).encode(),
        json.dumps({"question": "(" * 1999, "database": "firm"}).encode(),
        json.dumps({"question": "orders", "evidence": "x = " + "(" * 1900, "database": "firm"}).encode(),
        b"x" * 1_000_001,
        json.dumps({"question": "\u202e\u0000\ufffd\U0001f600" * 50, "database": "firm"}).encode(),
        json.dumps({f"k{n}": n for n in range(50_000)}).encode(),
    ]
    for one in raw:
        yield Attack("bodies", "clerk", request(world, "/ask", one))
    turn: dict[str, Any] = {"question": "how many orders are there?", "sql": "SELECT COUNT(*) FROM orders"}
    nested: Any = 1
    for _ in range(400):
        nested = {"x": nested}
    conversations: list[Any] = [
        None,
        [],
        {},
        {"version": 2, "turns": [turn]},
        {"version": 1, "turns": []},
        {"version": 1, "turns": [None]},
        {"version": 1, "turns": {}},
        {"version": 1, "turns": [turn] * 201},
        {"version": 1, "turns": [turn] * 200},
        {"version": 1, "turns": [{**turn, "confidence": "1"}]},
        {"version": 1, "turns": [{**turn, "confidence": float("nan")}]},
        {"version": 1, "turns": [{**turn, "confidence": 10**400}]},
        {"version": 1, "turns": [{**turn, "x": nested}]},
        {"version": 1, "turns": [{**turn, "sql": "\ud800"}]},
        {"version": 1, "turns": [{**turn, "question": "\ud800"}]},
        {"version": 1, "turns": [{**turn, "question": ""}]},
        {"version": 1, "turns": [{**turn, "sql": ""}]},
        {"version": 1, "turns": [{**turn, "sql": "\x00"}]},
        {"version": 1, "turns": [{**turn, "sql": "(" * 19_000}]},
        {"version": 1, "turns": [{**turn, "sql": "SELECT " + "-" * 9_000 + "1"}]},
        {"version": 1, "turns": [{**turn, "sql": "SELECT 1" + " UNION SELECT 1" * 1200}]},
        {"version": 1, "turns": [{**turn, "sql": "SELECT " + "NOT " * 4900 + "1"}]},
        {"version": 1.5, "turns": [turn]},
        {"version": True, "turns": [turn]},
        {"version": 10**30, "turns": [turn]},
        {"version": 1, "turns": [{"sql": 1, "question": 2}]},
        {"version": 1, "turns": [turn], "access": None, "user": "boss"},
        {"version": 1, "turns": [{**turn, "sql": "SELECT " + "(SELECT " * 900 + "1" + ")" * 900}]},
    ]
    for role in ("clerk", "boss"):
        for one in conversations:
            told = {"conversation": one, "database": "firm"}
            yield Attack(
                "bodies", role, request(world, "/ask", {"question": "and by city?", **told}, role=role), slow=True
            )
            yield Attack("bodies", role, request(world, "/choose", {"place": 0, **told}, role=role), slow=True)
            yield Attack(
                "bodies", role, request(world, "/feedback", {"verdict": "wrong", **told}, role=role), slow=True
            )
            if role == "boss":
                yield Attack(
                    "bodies", role, request(world, "/correct", {"sql": "SELECT 1", **told}, role=role), slow=True
                )
    talk = json.dumps({"version": 1, "turns": [turn]})
    for place in (
        "-1",
        "99",
        "1e9",
        "9" * 4300,
        "9" * 4301,
        "null",
        '"0"',
        "0.5",
        "true",
        "NaN",
        "[0]",
        "1" + "0" * 30,
    ):
        for of in ("alternatives", "options", "__class__"):
            body = f'{{"database": "firm", "conversation": {talk}, "place": {place}, "of": "{of}"}}'.encode()
            yield Attack("bodies", "clerk", request(world, "/choose", body))
    large = {"content-length": "100000000"}
    yield Attack("bodies", "clerk", (request(world, "/ask", b"{}", headers=large)[0], *[b"x" * 65536] * 40), True)
    chunked = request(world, "/ask", b"", headers={"transfer-encoding": "chunked"})[0].replace(
        b"content-length: 0\r\n", b""
    )
    yield Attack("bodies", "clerk", (chunked, *[b"10000\r\n" + b"x" * 65536 + b"\r\n"] * 1600, b"0\r\n\r\n"), True)
    yield Attack("bodies", "clerk", (chunked, b"zz\r\nx\r\n0\r\n\r\n"), True)
    yield Attack("bodies", "clerk", (chunked, b"-5\r\nx\r\n0\r\n\r\n"), True)
    yield Attack("bodies", "clerk", (chunked, b"2\r\n{}\r\n0\r\nauthorization: x\r\n\r\n"), True)


def own_queries(world: World) -> list[tuple[str, bool, bool]]:
    """Return queries that a person hands in, whether each must be refused whoever asks, and whether it may be slow."""
    slow = [
        "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT COUNT(*) FROM x",
        "SELECT COUNT(*) FROM orders a, orders b, orders c, orders d, orders e, orders f, orders g",
        "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT n FROM x",
        "SELECT zeroblob(9999999) FROM orders a, orders b",
        "SELECT hex(zeroblob(4999999)) FROM orders a, orders b",
        "SELECT hex(randomblob(4999999)) AS x FROM orders a, orders b ORDER BY x",
        "SELECT " + ", ".join(f"zeroblob(9000000) AS c{n}" for n in range(300)),
        "SELECT zeroblob(2000000000)",
        "SELECT replace(hex(zeroblob(100000)), '00', hex(zeroblob(100000)))",
        "SELECT printf('%.*c', 2000000000, 'x')",
        "SELECT group_concat(hex(zeroblob(900000))) FROM orders",
        "SELECT 'a' LIKE '" + "%a" * 9000 + "'",
        "SELECT " + "1+" * 9000 + "1",
        "SELECT " + "(" * 9000 + "1" + ")" * 9000,
        "SELECT " + ", ".join(f"1 AS c{n}" for n in range(1900)),
        "SELECT 9e999, -9e999, 9e999 - 9e999, x'00ff', 9223372036854775807, char(55296), char(0)",
    ]
    return [
        *((sql, True, False) for sql in (*texts("writing", world), "\ud800")),
        *((sql, False, True) for sql in slow),
    ]


def _queries(world: World) -> Iterator[Attack]:
    """The boss runs what writes; the clerk runs nothing at all."""
    turn = {"question": "how many orders are there?", "sql": "SELECT COUNT(*) FROM orders"}
    told: dict[str, Any] = {"database": "firm", "conversation": {"version": 1, "turns": [turn]}}
    for sql, refused, slow in own_queries(world):
        yield Attack(
            "own queries", "boss", request(world, "/correct", {**told, "sql": sql}, role="boss"), refused, slow
        )
    for sql in ("SELECT 1", "SELECT * FROM customers", *texts("reading", world)):
        yield Attack("own queries", "clerk", request(world, "/correct", {**told, "sql": sql}), True)
