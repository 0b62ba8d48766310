"""A request that attacks, and the texts that it may have."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from attacked import World

__all__ = ["Attack", "request", "texts"]


@dataclass(frozen=True)
class Attack:
    """One request.

    Attributes:
        role: whose token it has: what that role may read is no secret to it.
        parts: its bytes.
        refused: no success will do.
        slow: it may run out of its time (504), as docs/page.md has it.
        twin: the same request to the database that has nothing hidden: what comes back must not differ.
    """

    category: str
    role: str
    parts: tuple[bytes, ...]
    refused: bool = False
    slow: bool = False
    twin: tuple[bytes, ...] = ()


def request(
    world: World,
    target: str | bytes,
    body: Any = None,
    *,
    role: str = "clerk",
    method: str = "POST",
    headers: dict[str, str | bytes] | None = None,
) -> tuple[bytes, ...]:
    """Return a request; a body that is no bytes is sent as JSON."""
    sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    usual: dict[str, str | bytes] = {"host": "127.0.0.1", "connection": "close", "content-length": str(len(sent))}
    if body is not None:
        usual["content-type"] = "application/json"
    if role:
        usual["authorization"] = f"Bearer {world.tokens[role]}"
    usual |= headers or {}
    told = b"".join(
        f"{name}: ".encode() + (value if isinstance(value, bytes) else value.encode("utf-8")) + b"\r\n"
        for name, value in usual.items()
    )
    first = (
        method.encode() + b" " + (target if isinstance(target, bytes) else target.encode("utf-8")) + b" HTTP/1.1\r\n"
    )
    return (first + told + b"\r\n" + sent,)


@cache
def _all_texts() -> dict[str, list[str]]:
    return tomllib.loads(Path(__file__).with_name("hostile_texts.toml").read_text(encoding="utf-8"))


def texts(kind: str, world: World) -> list[str]:
    """Return the hostile texts of a kind, with the names of a world."""
    names = {"table": world.table, "column": world.column, "number": world.number, "other": world.other}
    names |= {name.upper(): value.upper() for name, value in names.items()}
    names |= {"cell": world.cells[3], "folder": str(world.folder)}
    found = list(_all_texts()[kind])
    for name, value in names.items():
        found = [text.replace(f"«{name}»", value) for text in found]
    return found
