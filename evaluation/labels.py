"""How well the classifiers choose what a query needs, and what the hard global constraint would leave (ChESQL)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..encoders.functions import sigmoid
from ..parser.decoding.parsing import Reading
from ..parser.decoding.wanted import GlobalConstraint, functions
from ..parser.learning.lessons import Lesson, places_in
from ..parser.reader.context import DatabaseContext
from ..parser.reader.words import ROLES, UNKNOWN, fixed_words

__all__ = ["Labels", "labels_of", "shares"]

_CHOSEN = 0.5
"""Probability from which a label counts as chosen."""


@dataclass(frozen=True)
class Labels:
    """What the classifiers say of one question.

    Attributes:
        hits: by kind (tables, columns, functions): labels that are chosen and needed, chosen, and needed.
        found: every value of the gold query is among those found.
        inside: every gold word is open under the hard global constraint.
        left: share of the vocabulary that it leaves.
    """

    hits: dict[str, tuple[int, int, int]]
    found: bool
    inside: bool
    left: float


def labels_of(read: Reading, lesson: Lesson, context: DatabaseContext, *, seen: NDArray[np.bool_]) -> Labels:
    """Compare the classifiers with a gold query.

    Args:
        read: the question.
        lesson: the same question with its gold words.
        seen: the fixed words that the network learnt, (fixed words,).
    """
    gold = places_in(lesson, read.input, read.states.items)
    fixed = len(fixed_words())
    nodes = np.unique((gold[gold >= fixed] - fixed) // ROLES)
    needed = np.zeros(len(read.classes.used), np.bool_)
    needed[nodes] = True
    chosen = sigmoid(read.classes.used) > _CHOSEN
    tables = (context.items.owner[read.input.kept] == read.input.kept).nonzero()[0]
    columns = (context.items.owner[read.input.kept] != read.input.kept).nonzero()[0]
    called = functions() & seen
    written = np.zeros(fixed, np.bool_)
    written[gold[(gold >= 0) & (gold < fixed)]] = True
    said = sigmoid(read.classes.fixed) > _CHOSEN
    hits = {
        "table": _hits(chosen[tables], needed[tables]),
        "column": _hits(chosen[columns], needed[columns]),
        "function": _hits(said[called], written[called]),
    }
    bias = GlobalConstraint("hard").bias(read.classes)
    assert bias is not None
    open_ = np.append(~np.isneginf(bias), False)
    # what the network could write, whatever the constraint that the question was read under closes of it
    writable = read.readable[np.append(seen, True)[np.clip(read.readable, 0, fixed)] & (read.readable >= 0)]
    known = gold[gold != UNKNOWN]
    left = float(open_[writable].sum() / max(1, len(writable)))
    inside = bool((known >= 0).all() and open_[np.minimum(known, len(open_) - 1)].all())
    return Labels(hits, bool((gold != UNKNOWN).all()), inside, left)


def _hits(chosen: NDArray[np.bool_], needed: NDArray[np.bool_]) -> tuple[int, int, int]:
    return int((chosen & needed).sum()), int(chosen.sum()), int(needed.sum())


def shares(labels: list[Labels], questions: int) -> dict[str, float]:
    """Return F1 over all labels of each kind, and the shares of questions; those without labels are outside."""
    if not labels:
        return {}
    found: dict[str, float] = {}
    for kind in ("table", "column", "function"):
        both, chosen, needed = (sum(one.hits[kind][i] for one in labels) for i in range(3))
        found[f"{kind}_f1"] = 2 * both / max(1, chosen + needed)
    found["all_values_found"] = sum(one.found for one in labels) / questions
    found["inside_global"] = sum(one.inside for one in labels) / questions
    found["share_left"] = sum(one.left for one in labels) / len(labels)
    return found
