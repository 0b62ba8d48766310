"""Hostile queries: aims of `hostile_attacks`, spelled and placed in ways that pass by lists of what is refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

from hostile_attacks import Aims

__all__ = ["hostile_queries"]

_WIDE = {ord(c): ord(c) + 0xFEE0 for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"}

_NAMES: dict[str, tuple[Callable[[str, random.Random], str], ...]] = {
    "all": (
        lambda name, _: name,
        lambda name, _: name.upper(),
        lambda name, rng: "".join(rng.choice((c.upper(), c.lower())) for c in name),
        lambda name, _: f"{name} ",
        lambda name, _: f"{name}/**/",
        lambda name, _: f"{name} -- x\n",
        lambda name, _: f"{name}\t\n",
        lambda name, _: name.translate(_WIDE),
        lambda name, _: f"{name}\u200b",
        lambda name, _: f"/*x*/{name}",
    ),
    "postgres": (
        lambda name, _: f'"{name}"',
        lambda name, _: f"pg_catalog.{name}",
        lambda name, _: f'"pg_catalog"."{name}"',
        lambda name, _: f"pg_catalog . {name}",
        lambda name, _: f'U&"{_escaped(name, 4)}"',
        lambda name, _: f'u&"{_escaped(name, 6)}"',
        lambda name, _: f"U&\"{_escaped(name, 4).replace(chr(92), '!')}\" UESCAPE '!'",
        lambda name, _: f"/* /* */ {name} */{name}",
        lambda name, _: f"public.{name}",
        lambda name, _: f'"Pg_Catalog".{name}',
    ),
    "mysql": (
        lambda name, _: f"`{name}`",
        lambda name, _: f"/*!{name}*/",
        lambda name, _: f"/*!50000{name}*/",
        lambda name, _: f"/*M!100100 {name}*/",
        lambda name, _: f"/*! {name} */",
        lambda name, _: f'"{name}"',
        lambda name, _: f"{name}#x\n",
        lambda name, _: f"mysql.{name}",
    ),
    "sqlite": (lambda name, _: f'"{name}"', lambda name, _: f"[{name}]", lambda name, _: f"`{name}`"),
}


def hostile_queries(rng: random.Random, dialect: str, aims: Aims, scene: Mapping[str, str]) -> Iterator[str]:
    """Yield hostile queries without end.

    Args:
        dialect: sqlite, mysql or postgres.
        aims: what is tried.
        scene: what stands for ``{file}``, ``{target}`` and the like.
    """
    while True:
        draw = rng.random()
        if draw < 0.55:
            text = _called(rng, dialect, aims)
        elif draw < 0.75:
            text = rng.choice(aims.froms).replace("{}", _table(rng, rng.choice(aims.tables)))
        else:
            text = _statement(rng, rng.choice(aims.statements))
        for name, value in scene.items():
            text = text.replace(f"{{{name}}}", value)
        yield text.replace("{{}}", "{}")


def _called(rng: random.Random, dialect: str, aims: Aims) -> str:
    call = rng.choice(aims.calls)
    if aims.attributes and rng.random() < 0.2:
        text = rng.choice(aims.attributes)
        return text.replace("{name}", call.name).replace("{arguments}", call.arguments or "1")
    name = rng.choice(_NAMES["all"] + _NAMES[dialect])(call.name, rng)
    return rng.choice(aims.places).replace("{}", f"{name}({call.arguments})")


def _table(rng: random.Random, name: str) -> str:
    return rng.choice((name, name, name.upper(), f"/**/{name}", f"{name} ", name.replace(".", " . ")))


def _statement(rng: random.Random, text: str) -> str:
    return rng.choice(
        (
            text,
            text,
            text.lower(),
            f"{text};",
            f"/* */ {text}",
            f"SELECT 1; {text}",
            f"{text} -- x",
            f"({text})",
            f"\ufeff{text}",
            f"WITH a AS ({text}) SELECT * FROM a",
        )
    )


def _escaped(name: str, digits: int) -> str:
    """Return a name in Unicode escapes, of four or six digits."""
    return "".join(f"\\{'+' * (digits == 6)}{ord(c):0{digits}x}" for c in name)
