"""Training examples of queries sampled over a database, and what people may ask next."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...data.databases.database import Database
from ...data.domains.collection import Pair
from ...data.domains.dialogues import ALONE, Dialogue, Turn
from ...encoders import Encoder
from ...sampler import STRUCTURES, sample
from ...sampler.follow_ups import follow_ups
from ...sampler.parts.draws import SamplingFrame
from ..reader.context import DatabaseContext
from ..reader.value_mentions import read_mentions
from .dataset import make_training_examples
from .training_examples import TrainingExample

__all__ = ["WORDINGS", "sampled_dialogues", "sampled_examples", "sampled_pairs"]

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
    progress: Callable[[], None] = lambda: None,
) -> list[Pair]:
    """Return sampled queries of a database, each in up to `WORDINGS` wordings.

    Those that hang on a clock are seen from the context's, which reads their questions, too; where it has none there
    are none.
    """
    told: dict[str, Any] = {"language": context.language, "now": context.now, "profile": context.profile or None}
    told["progress"] = progress
    with Database.open(database) as opened:
        own = f"{seed}:{name}"  # few queries of each database are not the same few structures everywhere
        found = sample(context.items.schema, opened, count=count, seed=own, structures=structures, **told)
    return [
        Pair(f"{name}-sampled-{number}", name, said, one.sql)
        for number, one in enumerate(found)
        for said in one.sayings[:WORDINGS]
    ]


def sampled_dialogues(
    pairs: Sequence[Pair], context: DatabaseContext, database: str | Path, *, count: int, seed: int
) -> list[Dialogue]:
    """Return dialogues that begin with some of a database's questions, and go on with follow-ups to them.

    Every third has a new topic behind: another question, or a sampled one, with a follow-up to that.

    Args:
        pairs: of the database.
        count: of dialogues, at most.
        seed: draws questions and follow-ups.
    """
    draw, found = random.Random(f"{seed}:{database}"), list[Dialogue]()
    told: dict[str, Any] = {"language": context.language, "now": context.now, "known": context.profile or None}
    chosen = draw.sample(pairs, min(count, len(pairs)))
    own = sampled_pairs(pairs[0].database, context, database, count=count, seed=seed)
    with Database.open(database) as opened:
        frame = SamplingFrame.of(context.items.schema, opened, **told)

        def turns(pair: Pair, first: str, more: int) -> list[Turn]:
            next_ones = follow_ups(pair.sql, frame, opened, count=more, seed=f"{seed}:{pair.id}:{first}")
            kinds = (first,) if first else ()
            return [Turn(pair.question, pair.sql, kinds), *(Turn(f.utterance, f.sql, (f.change,)) for f in next_ones)]

        for number, pair in enumerate(chosen):
            said = turns(pair, "", 3)
            if not number % 3:
                said += turns(draw.choice(own if own and draw.random() < 0.5 else pairs), ALONE, 1)
            found.append(Dialogue(f"{pair.id}-next", pair.database, tuple(said)))
    return found


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
    read_mentions(pair.question for pair in pairs)
    together: dict[str, list[TrainingExample]] = {}
    for number, pair in enumerate(pairs):
        ways = contexts[pair.database]
        one = {pair.database: [ways[number % len(ways)]]}
        for several in make_training_examples([pair], one, encoder, progress=progress).examples:
            together.setdefault(pair.id, []).extend(several)
    return list(together.values())
