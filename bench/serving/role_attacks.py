"""Requests of a limited role for what it may not read: named, guessed, leant on, completed, learnt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attacked import HOSTILE, WEIRD_COLUMN, WEIRD_TABLE, World
from body_attacks import own_queries
from requests_sent import Attack, request, texts

__all__ = ["role_attacks"]


def role_attacks(world: World) -> Iterator[Attack]:
    """Give them, those that teach something last."""
    for kind in (_validated, _asked, _leaning, _completed, _cells, _taught):
        yield from kind(world)


def _validated(world: World) -> Iterator[Attack]:
    for sql in texts("reading", world):
        yield Attack("validate", "clerk", request(world, "/validate", {"sql": sql, "database": "firm"}))
    for sql, _, _ in own_queries(world):
        yield Attack("validate", "clerk", request(world, "/validate", {"sql": sql, "database": "firm"}), slow=True)
    near = [world.table[:-1], world.table[1:], world.column[:-1], world.number[:-1], world.other[:-1]]
    for word in near:
        for sql in (
            f"SELECT COUNT(*) FROM {word}",
            f"SELECT {word} FROM customers",
            f"SELECT customers.{word} FROM customers",
            f"SELECT name FROM customers WHERE {word} =",
        ):
            yield Attack("validate", "clerk", request(world, "/validate", {"sql": sql, "database": "firm"}))
    for sql in texts("reading", world):
        yield _twins(world, "/validate", sql=sql)


def _twins(world: World, path: str, **body: Any) -> Attack:
    """Return a request to the database that hides something, and the same to the one that has no more to hide."""
    firm, twin = (request(world, path, {**body, "database": name}) for name in ("firm", "twin"))
    return Attack("twins", "clerk", firm, twin=twin)


def _asked(world: World) -> Iterator[Attack]:
    for question in texts("questions", world):
        told = {"question": question, "database": "firm"}
        for more in ({"explain": True}, {"stream": True}):
            yield Attack("questions", "clerk", request(world, "/ask", {**told, **more, "beam": 8}), slow=True)
    for evidence in (
        f"good refers to {world.column} = 'x'",
        f"rich = {world.number} > 7000",
        f"x refers to {world.table}.{world.other} = 1",
        f"worth = SUM({world.number}) / COUNT({world.column})",
        f"good = (SELECT {world.other} FROM {world.table})",
    ):
        for question in ("how many good customers are there?", "what is the worth of rich customers?"):
            yield Attack(
                "questions",
                "clerk",
                request(
                    world, "/ask", {"question": question, "evidence": evidence, "database": "firm", "explain": True}
                ),
            )
    for question in texts("questions", world):
        yield _twins(world, "/ask", question=question, explain=True)


def _leaning(world: World) -> Iterator[Attack]:
    for sql in (*texts("reading", world), "DELETE FROM customers", f"ATTACH '{world.folder}/pwned.db' AS x"):
        turns = [{"question": "which customers are there?", "sql": sql}]
        told = {"database": "firm", "conversation": {"version": 1, "turns": turns}}
        yield Attack("conversations", "clerk", request(world, "/ask", {"question": "how many are they?", **told}))
        yield Attack(
            "conversations", "clerk", request(world, "/ask", {"question": "only those in Oslo", "stream": True, **told})
        )
        yield Attack("conversations", "clerk", request(world, "/choose", {"place": 0, **told}))
        conversation = {"version": 1, "turns": turns}
        yield _twins(world, "/ask", question="only those in Oslo", conversation=conversation)


def _completed(world: World) -> Iterator[Attack]:
    begun = [
        one[:length] for one in (*world.cells[:3], world.table, world.column, world.other) for length in (1, 3, 5, 40)
    ]
    for text in (
        *begun,
        "",
        " ",
        "%",
        "_",
        "*",
        "'",
        '"',
        "\\",
        "\x00",
        "\ud800",
        "NEAR(a b)",
        "a* OR b*",
        "person' --",
        "x" * 200,
        "x" * 201,
        "7000.25",
    ):
        yield Attack("complete and schema", "clerk", request(world, "/complete", {"text": text, "database": "firm"}))
        yield _twins(world, "/complete", text=text)
    firm, twin = (request(world, f"/schema?database={name}", method="GET") for name in ("firm", "twin"))
    yield Attack("twins", "clerk", firm, twin=twin)
    for role in ("clerk", "temp"):
        yield Attack("complete and schema", role, request(world, "/schema?database=firm", role=role, method="GET"))
        yield Attack("complete and schema", role, request(world, "/about", role=role, method="GET"))


def _cells(world: World) -> Iterator[Attack]:
    for cell in HOSTILE:
        for question in (f"which orders have the remark {cell}?", f"how many orders have {cell}"):
            for role in ("clerk", "boss"):
                yield Attack(
                    "cells and names",
                    role,
                    request(world, "/ask", {"question": question, "database": "firm", "explain": True}, role=role),
                    slow=True,
                )
    for name in (WEIRD_TABLE, WEIRD_COLUMN):
        for question in (f"show all {name}", f"how many {name} are there?", f"the {name} of each odd box"):
            yield Attack(
                "cells and names",
                "clerk",
                request(world, "/ask", {"question": question, "database": "firm", "explain": True}),
            )
        quoted = name.replace('"', '""')
        yield Attack(
            "cells and names",
            "clerk",
            request(world, "/validate", {"sql": f'SELECT "{quoted}" FROM "{quoted}"', "database": "firm"}),
        )


def _taught(world: World) -> Iterator[Attack]:
    """What the boss says is right of hidden things, and what any role says is wrong, and what others learn of it."""

    def said(role: str, question: str, sql: str, verdict: str, refused: bool = False) -> Attack:
        told = {
            "database": "firm",
            "conversation": {"version": 1, "turns": [{"question": question, "sql": sql}]},
            "verdict": verdict,
        }
        return Attack("feedback", role, request(world, "/feedback", told, role=role), refused, slow=True)

    taught = [
        ("which customers are the best?", f"SELECT {world.column} FROM customers"),
        ("how many orders are there?", f"SELECT COUNT(*), MAX({world.other}) FROM {world.table}"),
        (
            f"the {world.column} of customers like {world.cells[2]}",
            f"SELECT {world.column} FROM customers WHERE {world.column} = '{world.cells[2]}'",
        ),
        ("show all customers", "SELECT * FROM customers"),
        ("which tables?", "SELECT name FROM sqlite_master"),
        ("count the people", f"SELECT COUNT(*) FROM customers WHERE name <> '{world.cells[6]}'"),
        ("odd ones", "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 5) SELECT n FROM x"),
        ("values", "VALUES (1)"),
        ("plans", "EXPLAIN SELECT 1"),
        ("deep", "SELECT " + "(" * 150 + "1" + ")" * 150),
        ("windows", "SELECT ROW_NUMBER() OVER () FROM orders"),
    ]
    asked = [
        *(question for question, _ in taught),
        "which customers are the best ones?",
        "show me all customers",
        "count all the people",
        "most loved customers",
    ]
    for question, sql in taught:
        yield said("boss", question, sql, "right")
    for role in ("clerk", "temp"):
        for question in asked:
            for more in ({"explain": True}, {"stream": True}):
                yield Attack(
                    "feedback",
                    role,
                    request(world, "/ask", {"question": question, "database": "firm", **more}, role=role),
                    slow=True,
                )
    for question, sql in taught[:7]:
        yield said("clerk", question, sql, "right", refused=True)
    for sql in (
        "\ud800",
        "(" * 19_000,
        "\x00",
        "",
        "DELETE FROM orders",
        f"SELECT {world.column} FROM customers",
        "{{",
        "SELECT '" + "x" * 19_000,
    ):
        for role in ("clerk", "boss"):
            yield said(role, "how many orders are there?", sql, "wrong")
            yield Attack(
                "feedback",
                role,
                request(world, "/ask", {"question": "how many orders are there?", "database": "firm"}, role=role),
            )
            yield said(role, "how many orders are there?", sql, "taken back")
    for verdict in ("corrected", "", "RIGHT", None, ["right"]):
        yield said("clerk", "how many orders are there?", "SELECT COUNT(*) FROM orders", verdict, refused=True)  # type: ignore[arg-type]
    yield said("clerk", "\ud800", "SELECT 1", "wrong")
    yield said("clerk", "", "SELECT 1", "wrong")
