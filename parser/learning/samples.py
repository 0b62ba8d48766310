"""Training examples of queries sampled over a database, and of questions that it cannot answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...data.databases.database import Database
from ...data.domains.collection import Pair
from ...data.sampler import STRUCTURES, sample
from ...encoders import Encoder
from ..reader.context import DatabaseContext
from .dataset import make_training_examples
from .training_examples import TrainingExample

__all__ = ["WORDINGS", "sampled_examples", "sampled_pairs"]

WORDINGS = 3
"""Ways in which a sampled query is asked for; an epoch takes one of them."""


def sampled_pairs(
    name: str,
    context: DatabaseContext,
    database: str | Path,
    *,
    count: int,
    seed: int,
    structures: Sequence[str] = STRUCTURES,
) -> list[Pair]:
    """Return sampled queries of a database, each in up to `WORDINGS` wordings.

    Those that hang on a clock are seen from the context's, which reads their questions, too; where it has none there
    are none.
    """
    told: dict[str, Any] = {"language": context.language, "now": context.now, "profile": context.profile or None}
    with Database.open(database) as opened:
        own = f"{seed}:{name}"  # few queries of each database are not the same few structures everywhere
        found = sample(context.items.schema, opened, count=count, seed=own, structures=structures, **told)
    return [
        Pair(f"{name}-sampled-{number}", name, said, one.sql)
        for number, one in enumerate(found)
        for said in one.sayings[:WORDINGS]
    ]


def sampled_examples(
    pairs: list[Pair],
    contexts: Mapping[str, list[DatabaseContext]],
    encoder: Encoder,
    *,
    progress: Callable[[], None] = lambda: None,
) -> list[list[TrainingExample]]:
    """Return training examples of sampled pairs; the wordings of one query are alternatives of one example.

    They are read by turns in the ways that their database is named.
    """
    together: dict[str, list[TrainingExample]] = {}
    for number, pair in enumerate(pairs):
        ways = contexts[pair.database]
        one = {pair.database: [ways[number % len(ways)]]}
        for several in make_training_examples([pair], one, encoder, progress=progress).examples:
            together.setdefault(pair.id, []).extend(several)
    return list(together.values())
