"""The facts of each engine, by the name of its dialect."""

from __future__ import annotations

from collections.abc import Mapping

from .mariadb import MARIADB
from .postgres import POSTGRES
from .quirks import Quirks
from .sqlite import SQLITE

__all__ = ["QUIRKS"]

QUIRKS: Mapping[str, Quirks] = {"sqlite": SQLITE, "mysql": MARIADB, "postgres": POSTGRES}
