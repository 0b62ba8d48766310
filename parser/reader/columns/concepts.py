"""What a reader lends to knowledge: the kinds of columns, and how alike its encoder finds texts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from ....data.schema.schema import Schema
from ....encoders.functions import Floats
from ....encoders.text_vectors import TextVectors
from ....knowledge.formulas.bank import Bank
from ....knowledge.grounding.grounder import Grounder
from ....knowledge.grounding.projection import projection_of
from ....knowledge.linked_formulas import FormulaLinker
from ....ner.index import ValueIndex
from ..context import DatabaseContext
from ..schema.items import column_kind

__all__ = ["formula_linker", "formulas_on"]


def formula_linker(bank: Bank, context: DatabaseContext, vectors: TextVectors) -> FormulaLinker:
    """Return what finds the formulas of a bank that questions on a parser's database need."""
    told: dict[str, Any] = {"index": context.index, "now": context.now, "language": context.language}
    return formulas_on(context.items.schema, bank, vectors, **told)


def formulas_on(
    schema: Schema,
    bank: Bank,
    vectors: TextVectors,
    *,
    language: str,
    index: ValueIndex | None = None,
    now: datetime | None = None,
) -> FormulaLinker:
    """Return what finds the formulas of a bank that questions on a database need.

    Args:
        schema: the part of it that may be read, with likely keys.
        language: that the encoder behind ``vectors`` is for.
        index: of its values, None where there is none.
        now: what «today» is, the database's own clock if None.
    """

    projection = projection_of(vectors.encoder)
    if projection is not None:
        vectors.lend(projection.known)

    def at(texts: Sequence[str]) -> Floats:
        found = np.array([vectors[text] for text in texts])
        if projection is None:
            return found
        moved = found @ projection.matrix
        return moved / np.linalg.norm(moved, axis=1, keepdims=True)

    def likeness(texts: Sequence[str], names: Sequence[str]) -> Floats:
        vectors.prepare([*texts, *names])
        return at(texts) @ at(names).T

    grounder = Grounder(schema, bank, likeness, kind_of=column_kind, index=index, now=now, language=language)
    return FormulaLinker(bank, grounder)
