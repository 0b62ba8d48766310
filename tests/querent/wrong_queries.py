"""Queries on the shop that ships, as language models write them wrongly, and what `querent validate` says of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Wrong:
    """A query as language models write it, and what is said of it; ``nearest`` None: nothing is a word away."""

    sql: str
    word: str
    rule: str
    problem: str
    nearest: str | None = None
    dialect: str = "sqlite"
    runs: bool | None = False


def _wrong() -> Iterator[Wrong]:
    """Read wrong_queries.sql, which says how it is written."""
    lines = Path(__file__).with_suffix(".sql").read_text("utf-8").splitlines()
    for told, marked, nearest in zip(lines, lines[1:], [*lines[2:], ""], strict=False):
        if found := re.fullmatch(r"-- (\w+), (\??)([\w ]+): (.+)", told):
            before, word, behind = re.split("[»«]", marked)
            yield Wrong(
                f"{before}{word}{behind}", word, found[3], found[4],
                nearest.removeprefix("= ") if nearest.startswith("= ") else None, found[1], None if found[2] else False,
            )  # fmt: skip


WRONG = list(_wrong())
