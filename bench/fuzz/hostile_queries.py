"""Hostile queries: calls, tables and statements that do more than read, spelled and placed so that lists miss them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["aims_of", "hostile_queries"]

_Ask = Callable[[str], Sequence[tuple[Any, ...]]]

_SAMPLES = {
    **dict.fromkeys(("text", "cstring", "name", "character varying", '"char"', "unknown"), "'{file}'"),
    **dict.fromkeys(("integer", "bigint", "smallint", "oid", "numeric", "real", "double precision", "xid"), "4242"),
    "boolean": "true",
    "regclass": "'vault.secret'",
    "bytea": "'x'::bytea",
    "json": "'{{}}'::json",
    "jsonb": "'{{}}'::jsonb",
    "text[]": "ARRAY['{file}']",
    "anyelement": "1",
    '"any"': "1",
    "timestamp with time zone": "now()",
    "interval": "'1 day'::interval",
}
"""An argument of each type that PostgreSQL's own functions take."""


@dataclass(frozen=True)
class Call:
    """A function call, its name apart, so that it can be spelled otherwise."""

    name: str
    arguments: str

    @classmethod
    def of(cls, text: str) -> Call:
        """Read ``name(arguments)``."""
        name, _, rest = text.partition("(")
        return cls(name, rest[:-1])


@dataclass(frozen=True)
class Aims:
    """What is tried on an engine; ``{file}`` and others stand for what a scene has.

    Attributes:
        places: where a call goes, in the place of ``{}``.
        froms: where a table goes.
        attributes: ways to write a call as a column.
    """

    calls: tuple[Call, ...]
    tables: tuple[str, ...]
    statements: tuple[str, ...]
    places: tuple[str, ...]
    froms: tuple[str, ...]
    attributes: tuple[str, ...]


def aims_of(dialect: str, ask: _Ask | None = None) -> Aims:
    """Return the aims of an engine.

    Args:
        dialect: sqlite, mysql or postgres.
        ask: asks PostgreSQL's catalogue for all functions of its own that are not immutable.
    """
    listed = _listed()
    kinds = {k: [*listed[f"{dialect} {k}"], *listed[f"all {k}"]] for k in ("calls", "tables", "statements", "places")}
    kinds["calls"] += _catalogued(ask) if dialect == "postgres" and ask is not None else []
    return Aims(
        tuple(map(Call.of, kinds["calls"])),
        tuple(kinds["tables"]),
        tuple(kinds["statements"]),
        tuple(kinds["places"]),
        tuple(listed["all froms"]),
        tuple(listed[f"{dialect} attributes"]),
    )


def _listed() -> dict[str, list[str]]:
    """Return the lines of each section of hostile_aims.txt."""
    sections: dict[str, list[str]] = defaultdict(list)
    for line in (Path(__file__).parent / "hostile_aims.txt").read_text("utf-8").split("\n")[3:]:
        if line.startswith("[") and line.endswith("]"):
            rows = sections[line[1:-1]]
        elif line:
            rows.append(line)
    return sections


def _catalogued(ask: _Ask) -> list[str]:
    """Return a call of each function of PostgreSQL that is not immutable, as far as its arguments go."""
    rows = ask(
        "SELECT proname, array_to_string(array(SELECT format_type(t, NULL) FROM unnest(proargtypes::oid[]) t), ';') "
        "FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND provolatile <> 'i' AND prokind = 'f' "
        "AND proname NOT LIKE 'pg\\_stat\\_get%' ORDER BY 1, 2"
    )
    given = [(name, [_SAMPLES.get(kind) for kind in kinds.split(";") if kind]) for name, kinds in rows]
    return [f"{name}({', '.join(map(str, values))})" for name, values in given if None not in values]


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
