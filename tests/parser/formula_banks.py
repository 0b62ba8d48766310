"""A database with a bank of formulas beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

__all__ = ["write_bank"]


def write_bank(folder: Path, script: str, formulas: Mapping[str, tuple[str, str]], before: str = "") -> Path:
    """Write a SQLite file by a script, and ``knowledge.toml`` beside it; return the file.

    Args:
        formulas: kind and right side by name.
        before: what stands at the beginning of the bank.
    """
    with closing(sqlite3.connect(folder / "made.sqlite")) as connection:
        connection.executescript(script)
    bank = (
        f"[[formula]]\nname = '{name}'\nkind = '{kind}'\nis = '''{text}'''\n" for name, (kind, text) in formulas.items()
    )
    (folder / "knowledge.toml").write_text(before + "".join(bank), encoding="utf-8")
    return folder / "made.sqlite"
