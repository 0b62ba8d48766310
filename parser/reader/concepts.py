"""What a parser lends to knowledge: the items of its database, and how alike its encoder finds texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...encoders.functions import Floats
from ...knowledge.formulas.bank import Bank
from ...knowledge.grounding.grounder import GROUNDED, Grounder
from ...knowledge.needed import NeededFormulas
from .context import DatabaseContext
from .items import column_kind
from .vectors import TextVectors

__all__ = ["needed_formulas"]


def needed_formulas(
    bank: Bank, context: DatabaseContext, vectors: TextVectors, *, threshold: float = GROUNDED
) -> NeededFormulas:
    """Return what finds the formulas of a bank that questions on a database need.

    Args:
        threshold: confidence from which a concept is grounded.
    """

    def likeness(texts: Sequence[str], names: Sequence[str]) -> Floats:
        vectors.prepare([*texts, *names])
        return np.array([vectors[text] for text in texts]) @ np.array([vectors[name] for name in names]).T

    grounder = Grounder(
        context.items.schema,
        bank,
        likeness,
        kind_of=column_kind,
        index=context.index,
        threshold=threshold,
        now=context.now,
    )
    return NeededFormulas(bank, grounder)
