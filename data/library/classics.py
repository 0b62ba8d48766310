"""The few books and authors of the library that are known everywhere; what is said of them is true."""

from __future__ import annotations

from dataclasses import dataclass

from .catalogue import rows
from .people import Author

__all__ = ["Classic", "classic_authors", "classics"]


@dataclass(frozen=True)
class Classic:
    """A book as everybody knows it: its first edition's year, its subjects in the catalogue's words."""

    title: str
    author: str
    year: int
    language: str
    subjects: tuple[str, ...]


def classics() -> list[Classic]:
    """Return the books of ``classics.csv``."""
    return [
        Classic(r["title"], r["author"], int(r["year"]), r["language"], tuple(r["subjects"].split("; ")))
        for r in rows("classics.csv")
    ]


def classic_authors() -> list[Author]:
    """Return the authors of ``classic_authors.csv``, without school and teacher."""
    return [
        Author(
            name=row["name"],
            birth=int(row["birth"]),
            death=int(row["death"]) if row["death"] else None,
            country=row["country"],
            field=row["field"],
            spouse=row["spouse"] or None,
            awards=tuple(row["awards"].split("; ")) if row["awards"] else (),
        )
        for row in rows("classic_authors.csv")
    ]
