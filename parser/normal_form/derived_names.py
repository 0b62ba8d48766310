"""What the normal form calls derived tables and what they show: ``t1``, ``c1``, numbered past tables and columns.

SELECT MAX(t1.c1) FROM (SELECT COUNT(*) AS c1 FROM Album GROUP BY Album.ArtistId) AS t1
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count, islice

from ...data.schema.later_uses import names_in
from ...data.schema.schema import Schema

__all__ = ["DERIVED", "OUTPUTS", "derived_name", "derived_words", "output_name"]

DERIVED = 2
"""Derived tables of a query that the vocabulary has names for."""

OUTPUTS = 4
"""What each of them may show."""


def derived_name(number: int, known: Collection[str]) -> str:
    """Return the name of the ``number``-th derived table of a query, counted from 1."""
    return _nth("t", number, known)


def output_name(number: int, known: Collection[str]) -> str:
    """Return the name of the ``number``-th output of a derived table, counted from 1; ``known`` are in lower case."""
    return _nth("c", number, known)


def derived_words(schema: Schema) -> Iterator[tuple[str, str, str | None]]:
    """Yield the text, the terminal and the output's name of each word of derived tables, in the same order always.

    None is the name of what is an alias: of outputs first, then of each derived table, before its columns.
    """
    tables, columns = names_in(schema), {column.name.lower() for _, column in schema.columns()}
    outputs = [output_name(number, columns) for number in range(1, OUTPUTS + 1)]
    yield from ((output, "ALIAS", None) for output in outputs)
    for name in (derived_name(number, tables) for number in range(1, DERIVED + 1)):
        yield name, "ALIAS", None
        yield from ((f"{name}.{output}", "QCOLUMN", output) for output in outputs)


def _nth(letter: str, number: int, known: Collection[str]) -> str:
    names = (name for name in (f"{letter}{n}" for n in count(1)) if name not in known)
    return next(islice(names, number - 1, None))
