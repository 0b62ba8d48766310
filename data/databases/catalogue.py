"""The queries for a server's catalogue and its lists of functions: ``postgres.toml`` and ``mysql.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from typing import Any, TypeAlias

__all__ = ["Ask", "catalogue"]

Ask: TypeAlias = Callable[[str], Sequence[Sequence[Any]]]
"""Runs a query of this package and returns its rows."""


@cache
def catalogue(dialect: str) -> dict[str, Any]:
    """Return the queries and the lists of functions for a server, by their names.

    Args:
        dialect: postgres or mysql, which is MariaDB's as well.
    """
    text = (resources.files(__package__ or __name__) / f"{dialect}.toml").read_text("utf-8")
    return {name: told.strip() if isinstance(told, str) else told for name, told in tomllib.loads(text).items()}
