"""What a hostile query is after: calls, tables and statements of each engine that do more than read the schema."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Aims", "Call", "aims_of"]

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
