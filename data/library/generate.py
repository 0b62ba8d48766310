"""Fill the library's database: 100,000 books and 12,000 authors from a seed, and the classics among them."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..databases.new_database import new_database
from .books import Book, books, edition
from .catalogue import HERE
from .classics import classic_authors, classics
from .people import Author, people

__all__ = ["BOOKS", "build"]

BOOKS = 100_000
"""Made-up books and classics together."""

_ISBN_FROM = 1970


def build(path: Path, *, seed: int = 0) -> None:
    """Write the SQLite database to ``path``; what stands there is replaced once the new one is whole."""
    with new_database(path) as database:
        database.executescript((HERE / "schema.sql").read_text(encoding="utf-8"))
        _fill(database, seed)


def _fill(database: sqlite3.Connection, seed: int) -> None:
    known, famous = classic_authors(), classics()
    authors = people(random.Random(f"{seed}:people"), [author.name for author in known])
    rng = random.Random(f"{seed}:books")
    titles = [classic.title for classic in famous]
    shelved = [edition(classic, rng) for classic in famous]
    shelved += books(authors, BOOKS - len(famous), titles, rng)
    rng.shuffle(shelved)  # the catalogue numbers books as they came
    database.executemany(f"INSERT INTO authors VALUES ({', '.join('?' * 9)})", map(_author_row, [*known, *authors]))
    database.executemany(f"INSERT INTO books VALUES ({', '.join('?' * 13)})", _book_rows(shelved))


def _author_row(author: Author) -> tuple[Any, ...]:
    awards = "; ".join(author.awards) or None
    return (
        *(author.name, author.birth, author.death, author.country),
        *(author.school, author.teacher, author.spouse, author.field, awards),
    )


def _book_rows(shelved: Iterable[Book]) -> Iterator[tuple[Any, ...]]:
    for number, book in enumerate(shelved, start=1):
        yield (
            *(number, book.title, book.author, book.publisher, book.year, book.pages, book.language),
            *("; ".join(book.subjects), book.rating, book.ratings, book.series, book.shelf),
            _isbn(number) if book.year >= _ISBN_FROM else None,
        )


def _isbn(number: int) -> str:
    """Return an ISBN-13 with its check digit, in the group 979-9, which no country has."""
    body = f"9799{number * 7919 % 10**8:08d}"
    weighed = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(body))
    return f"{body}{-weighed % 10}"
