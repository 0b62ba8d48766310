"""Databases of more than tables, a script an engine: enumerations, views, partitions, virtual tables."""

from __future__ import annotations

from pathlib import Path

__all__ = ["statements"]

_SCRIPTS = Path(__file__).with_name("objects")


def statements(engine: str) -> list[str]:
    """Return the statements that make an engine's objects."""
    text = (_SCRIPTS / f"{engine.removesuffix('-loose')}.sql").read_text("utf-8")
    return [statement for statement in text.split(";\n") if statement.strip()]
