"""Domains in and out: schemas, examples, formats, databases, metrics.

Nothing heavy is imported before it is asked for: ``querent.data.schema`` alone needs the standard
library only, which keeps the grammar room light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .check import Report
    from .database import Database, Rows
    from .domain import Domain, Entity, load_domain
    from .examples import Example, Mention, Value
    from .schema import Column, ForeignKey, Schema, Table
    from .schema_readers import read_schema

__all__ = [
    "Column",
    "Database",
    "Domain",
    "Entity",
    "Example",
    "ForeignKey",
    "Mention",
    "Report",
    "Rows",
    "Schema",
    "Table",
    "Value",
    "load_domain",
    "read_schema",
]

_HOMES = {
    "check": ("Report",),
    "database": ("Database", "Rows"),
    "domain": ("Domain", "Entity", "load_domain"),
    "examples": ("Example", "Mention", "Value"),
    "schema": ("Column", "ForeignKey", "Schema", "Table"),
    "schema_readers": ("read_schema",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name from its module when it is first asked for (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
