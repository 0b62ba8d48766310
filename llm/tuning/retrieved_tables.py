"""Which tables a question of a collection is told: those that the schema retriever finds, the best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from ...data.domains.collection import Collection, Pair
from ...data.schema.schema import Schema
from ...parser.learning.table_lessons import catalogue_of
from ...parser.reader.table_retriever import TableRetriever
from ...retrieval.schema_retriever.table_scorer import shipped_scorer
from ..options import LlmOptions

__all__ = ["TablePicker", "retrieved_tables"]

TablePicker = Callable[[Pair, Schema], Sequence[str]]
"""Takes a question and its schema and returns names of tables, the one that is most likely needed first."""


def retrieved_tables(collection: Collection) -> TablePicker:
    """Return a picker of the tables that a question of a collection is likely to need, as many as a connection tells.

    Args:
        collection: its databases are opened one after the other, as their questions come.

    Raises:
        DatabaseError: by the picker; a database cannot be read.
    """

    @lru_cache(maxsize=1)
    def retriever(name: str) -> TableRetriever:
        return TableRetriever(catalogue_of(collection, name), shipped_scorer())

    def pick(pair: Pair, _: Schema) -> list[str]:
        return retriever(pair.database).ranked(pair.question).best_first[: LlmOptions.most_tables]

    return pick
