"""What the schema retriever learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...encoders.functions import Floats
from .schema_names import SchemaNames
from .table_scorer import Asked

__all__ = ["RetrieverLesson", "TaughtSchema"]


@dataclass(frozen=True)
class RetrieverLesson:
    """A question, and the numbers of the tables that its query needs."""

    asked: Asked
    tables: tuple[int, ...]


@dataclass(frozen=True)
class TaughtSchema:
    """A database's names, what the encoder says of their texts, (texts, hidden), and questions on it."""

    names: SchemaNames
    vectors: Floats
    lessons: Sequence[RetrieverLesson]
