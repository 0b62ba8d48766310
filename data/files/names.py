"""Names for tables and columns out of what files call them: words joined by low lines, each there once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ..schema.plain_names import plain_name

__all__ = ["identifiers", "readable"]

_LONGEST = 60
"""Characters of a name; a heading that is a whole question goes on in the description."""

_BETWEEN = re.compile(r"[^\w]+|_+")


def identifiers(texts: Iterable[str], stem: str) -> list[str]:
    """Return a name for each text.

    Args:
        texts: headings, or names of files and sheets.
        stem: ``column`` or ``table``: begins the name of what has none, or begins with a digit.

    >>> identifiers(["Unit Price (€)", "unit price", "", "2019", "HireDate", "城市"], "column")
    ['unit_price', 'unit_price_2', 'column_3', 'column_2019', 'HireDate', '城市']
    """
    found: list[str] = []
    taken: set[str] = set()
    for place, text in enumerate(texts, start=1):
        first = _identifier(text, stem) or f"{stem}_{place}"
        name, number = first, 1
        while name.lower() in taken:
            number += 1
            name = f"{first}_{number}"
        taken.add(name.lower())
        found.append(name)
    return found


def _identifier(text: str, stem: str) -> str:
    said = unicodedata.normalize("NFKC", text).strip()
    name = _BETWEEN.sub("_", said).strip("_")
    if plain_name(name) == plain_name(name.lower()):  # HireDate tells its words by its capitals
        name = name.lower()
    if len(name) > _LONGEST:
        name = name[:_LONGEST].rpartition("_")[0] or name[:_LONGEST]
    return f"{stem}_{name}" if name[:1].isdecimal() or name.lower().startswith("sqlite_") else name


def readable(heading: str, name: str, unit: str) -> str:
    """Return what describes a column beside its name; nothing where the name says it all.

    Args:
        heading: as the file writes it.
        name: of the column.
        unit: of its numbers, which the cells do not tell any more.
    """
    said = " ".join(heading.split())
    if unit and unit not in said:
        return f"{said or name} in {unit}"
    return said if said and plain_name(name) != plain_name(said) else ""
