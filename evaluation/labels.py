"""What the heads say of a question beside its gold query (ChESQL)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..classifiers.global_constraint import GlobalConstraint
from ..classifiers.scores import Labels, hits
from ..parser.decoding.encoded_question import EncodedQuestion
from ..parser.learning.training_examples import TrainingExample, places_in
from ..parser.reader.context import DatabaseContext
from ..parser.reader.schema.output_vocabulary import ROLES, UNKNOWN, fixed_words, function_words

__all__ = ["labels_of"]


def labels_of(
    read: EncodedQuestion, example: TrainingExample, context: DatabaseContext, *, seen: NDArray[np.bool_]
) -> Labels:
    """Compare the heads with a gold query.

    Args:
        read: the question.
        example: the same question with its gold words.
        seen: the fixed words that the network learnt, (fixed words,).
    """
    gold = places_in(example, read.input, read.states.items)
    fixed = len(fixed_words())
    nodes = np.unique((gold[gold >= fixed] - fixed) // ROLES)
    needed = np.zeros(len(read.classes.used), np.bool_)
    needed[nodes] = True
    tables = (context.items.owner[read.input.kept] == read.input.kept).nonzero()[0]
    columns = (context.items.owner[read.input.kept] != read.input.kept).nonzero()[0]
    called, used = function_words() & seen, read.classes.used
    written = np.zeros(fixed, np.bool_)
    written[gold[(gold >= 0) & (gold < fixed)]] = True
    compared = {
        "table": hits(used[tables], needed[tables]),
        "column": hits(used[columns], needed[columns]),
        "function": hits(read.classes.fixed[called], written[called]),
    }
    bias = GlobalConstraint("hard").bias(read.classes, function_words(), ROLES)
    assert bias is not None
    open_ = np.append(~np.isneginf(bias), False)
    # what the network could write, whatever the constraint that the question was read under closes of it
    writable = read.readable[np.append(seen, True)[np.clip(read.readable, 0, fixed)] & (read.readable >= 0)]
    known = gold[gold != UNKNOWN]
    left = float(open_[writable].sum() / max(1, len(writable)))
    inside = bool((known >= 0).all() and open_[np.minimum(known, len(open_) - 1)].all())
    return Labels(compared, bool((gold != UNKNOWN).all()), inside, left)
