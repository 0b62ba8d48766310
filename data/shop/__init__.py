"""A shipped database to ask: a shop's customers, products, orders, payments and reviews; made up."""

from __future__ import annotations

from pathlib import Path

from ..databases.new_database import new_database

__all__ = ["build"]


def build(path: Path, *, seed: int = 0) -> None:
    """Write the database as a SQLite file; there is nothing to draw, so ``seed`` changes nothing."""
    with new_database(path) as database:
        database.executescript((Path(__file__).parent / "shop.sql").read_text(encoding="utf-8"))
