"""The names of a schema that questions are compared with: each table's name, then its columns', and the keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...data.schema.plain_names import spoken
from ...data.schema.schema import Schema, Table
from ...ner.language.words import SCHEMA_STOP_WORDS, stems_of

Others = Mapping[tuple[str, str | None], Sequence[str]]
"""Further names of tables (their column is None) and columns."""

Ids = NDArray[np.int64]

_CJK = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True)
class SchemaNames:
    """The names of a schema.

    Attributes:
        schema: with its likely keys.
        texts: the different names, in plain words.
        text_of: the text of each name, (names,); those of a table stand side by side, its own first.
        starts: where each table's begin, (tables,).
        own: which are those of tables, (names,).
        places: the names of each table (its column is None) and column.
        links: which tables are linked by a key, both ways, (links, 2), ascending by the second.
    """

    schema: Schema
    texts: tuple[str, ...]
    text_of: Ids
    starts: Ids
    own: NDArray[np.bool_]
    places: Mapping[tuple[str, str | None], tuple[int, ...]]
    links: Ids

    @classmethod
    def of(cls, schema: Schema, others: Others | None = None) -> SchemaNames:
        """Collect the names of a schema.

        Args:
            schema: with its likely keys.
            others: further names of tables and columns.
        """
        named = [(place, name) for table in schema.tables for place, name in _named(table, others or {})]
        texts = {name: n for n, name in enumerate(dict.fromkeys(name for _, name in named))}
        places: dict[tuple[str, str | None], list[int]] = {}
        for n, (place, _) in enumerate(named):
            places.setdefault(place, []).append(n)
        return cls(
            schema,
            tuple(texts),
            np.array([texts[name] for _, name in named], np.int64),
            np.array([places[table.name, None][0] for table in schema.tables], np.int64),
            np.array([column is None for (_, column), _ in named], np.bool_),
            {place: tuple(found) for place, found in places.items()},
            _links(schema),
        )

    @cached_property
    def table_of(self) -> Ids:
        """Return the number of the table of each name, (names,)."""
        return np.searchsorted(self.starts, np.arange(len(self.text_of)), side="right") - 1

    @cached_property
    def terms(self) -> tuple[frozenset[str], ...]:
        """Return the terms of each text."""
        return tuple(frozenset().union(*terms_of(stems_of(text))) for text in self.texts)

    @cached_property
    def texts_with(self) -> Mapping[str, Sequence[int]]:
        """Return the texts that have each term."""
        found: dict[str, list[int]] = {}
        for n, terms in enumerate(self.terms):
            for term in terms:
                found.setdefault(term, []).append(n)
        return found

    @cached_property
    def rarity(self) -> Mapping[str, float]:
        """Return the inverse document frequency of each term, a table being a document."""
        of_text: dict[int, set[int]] = {}
        for text, table in zip(self.text_of.tolist(), self.table_of.tolist(), strict=True):
            of_text.setdefault(text, set()).add(table)
        holding = {term: len(set[int]().union(*(of_text[n] for n in some))) for term, some in self.texts_with.items()}
        return {term: float(np.log(len(self.starts) / count)) for term, count in holding.items()}


def terms_of(stems: Sequence[str]) -> list[set[str]]:
    """Return the terms by which each word can be found: itself unless it is a stop word; in Chinese the pairs it is in.

    >>> terms_of(["the", "city"])
    [set(), {'city'}]
    """
    found: list[set[str]] = []
    for n, word in enumerate(stems):
        if _CJK.match(word):
            pairs = (stems[n - 1 : n + 1] if n else [], stems[n : n + 2])
            joined = {"".join(pair) for pair in pairs if len(pair) == 2 and all(map(_CJK.match, pair))}
            found.append(joined or ({word} if len(stems) == 1 else set()))
        else:
            found.append({word} if word not in SCHEMA_STOP_WORDS and (len(word) > 1 or word.isdigit()) else set())
    return found


def _named(table: Table, others: Others) -> Iterator[tuple[tuple[str, str | None], str]]:
    names: dict[str | None, str] = {None: spoken(table.name, table.description)}
    names |= {column.name: spoken(column.name, column.description) for column in table.columns}
    for column, name in names.items():
        place = (table.name, column)
        yield from ((place, one) for one in dict.fromkeys([name, *others.get(place, ())]))


def _links(schema: Schema) -> Ids:
    number = {table.name: n for n, table in enumerate(schema.tables)}
    pairs: set[tuple[int, int]] = set()
    for n, table in enumerate(schema.tables):
        for key in table.foreign_keys:
            other = schema.by_name.get(key.table)
            if other is not None and other is not table:
                pairs.add((n, number[other.name]))
    both = sorted({(other, one) for one, other in pairs} | pairs, key=lambda pair: pair[::-1])
    return np.array(both, np.int64).reshape(-1, 2)
