"""Large schemas pruned to what a question may be about, so that reading them takes no minutes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....encoders.text_vectors import TextVectors
from ..question.question import QuestionWords, cells_of
from .items import SchemaItems
from .naming import match_names

__all__ = ["MAX_COLUMNS", "pruned"]

MAX_COLUMNS = 240
"""Columns that are read; the largest of Spider's training databases has 352, all others less than this."""

_CELL, _KEY = 3.0, 0.5


def pruned(question: QuestionWords, items: SchemaItems, vectors: TextVectors) -> NDArray[np.int64]:
    """Return the items to read, ascending: all, or the columns likeliest to be asked for, with their tables.

    Columns count by how their names and their tables' are said (as in ranking for RESDSQL, Li et al. 2023, though not
    learnt), by the values found, and by what the encoder says of question and name; keys of the tables come in.
    """
    if len(items) - items.tables <= MAX_COLUMNS:
        return np.arange(len(items))
    vectors.prepare([question.text, *(item.name for item in items.items)])
    meant = np.array([vectors[item.name] for item in items.items]) @ vectors[question.text]
    said = match_names(question.stems, items.names).max(0, initial=0).astype(np.float64)
    scores = said + meant
    scores += 0.5 * scores[items.owner] + _CELL * cells_of(question, items).any(0) + _KEY * (items.marks > 0)
    scores[: items.tables] = -np.inf
    columns = np.sort(np.argsort(-scores, kind="stable")[:MAX_COLUMNS])
    return np.concatenate([np.unique(items.owner[columns]), columns])
