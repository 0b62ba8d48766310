"""Training examples of pairs on many databases: pairs of collections, and sampled pairs with their follow-ups."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...data.databases.database import Database
from ...data.domains.collection import Collection, Pair, named_as
from ...data.domains.dialogues import ALONE, Dialogue, Turn
from ...data.errors import QuerentError, QueryError
from ...encoders import Encoder
from ...meaning.profiling import open_profile
from ...ner.index import ValueIndex
from ...ner.language.question import QuestionText
from ...sampler import STRUCTURES, sample
from ...sampler.follow_ups import follow_ups
from ...sampler.parts.draws import SamplingFrame
from ...sampler.sampling import clock_of
from ..reader.context import DatabaseContext
from ..reader.question import read_question
from ..reader.value_mentions import read_mentions
from .training_examples import GoldQuery, TrainingExample


def contexts_of(
    collection: Collection, *, cache: Path | None = None, names: Collection | None = None
) -> dict[str, list[DatabaseContext]]:
    """Return the contexts of each database: with names from descriptions, from identifiers, and in another language.

    Args:
        names: a collection that has some of the databases under names in another language.
    """
    other = {} if names is None else named_as(collection, names).schemas
    found: dict[str, list[DatabaseContext]] = {}
    for name, schema in collection.schemas.items():
        file = collection.databases.get(name)
        given: dict[str, Any] = {"dialect": "sqlite", "language": collection.language}
        index = None
        if file is not None:
            index = ValueIndex.open(file, schema, cache=cache)
            given["profile"] = open_profile(file, schema, cache=cache)
        ways = [DatabaseContext.of(schema, index, **given, described=named) for named in (True, False)]
        if name in other and other[name] is not schema:
            ways.append(DatabaseContext.of(other[name], index, **given))
        found[name] = [with_clock(one) for one in ways]
    return found


def with_clock(context: DatabaseContext) -> DatabaseContext:
    """Return a context with a clock, so that a training does not depend on its day.

    Where the database has no clock, «last month» is relative to the last day among its cells.
    """
    return replace(context, now=context.now or clock_of(context.profile))


def make_training_examples(
    pairs: Iterable[Pair],
    contexts: Mapping[str, list[DatabaseContext]],
    encoder: Encoder,
    *,
    progress: Callable[[], None] = lambda: None,
) -> tuple[list[list[TrainingExample]], Counter[str]]:
    """Return the examples of each pair, one for each context of its database, and the number of failures by reason."""
    examples, left_out = list[list[TrainingExample]](), Counter[str]()
    for pair in pairs:
        try:
            examples.append(_examples_of(pair, contexts[pair.database], encoder))
        except QuerentError as error:
            left_out[error.problem.split(" at ")[0][:60]] += 1
        except KeyError as error:
            left_out[f"no word {error}"] += 1
        progress()
    return examples, left_out


def _examples_of(pair: Pair, contexts: Sequence[DatabaseContext], encoder: Encoder) -> list[TrainingExample]:
    """Return the examples of a pair.

    Raises:
        QuerentError: the query has no normal form, or extracts a part of a time that no virtual column has.
        KeyError: it has a word that no network writes.
    """
    text = QuestionText(pair.question, contexts[0].language)
    question = read_question(text, contexts[0].values(text), encoder)
    golds = [GoldQuery.of(pair.sql, question, context) for context in contexts]
    if not all(gold.query.whole for gold in golds):
        raise QueryError("it extracts a part of a time that its question does not name")
    return [gold.example(pair.id) for gold in golds]


_WORDINGS = 3
"""The largest number of wordings of a sampled query; an epoch takes one of them."""


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
    """Return sampled queries of a database, each in up to `_WORDINGS` wordings.

    Queries relative to a clock take that of the context, and are not sampled where it has none.
    """
    options: dict[str, Any] = {"language": context.language, "now": context.now, "profile": context.profile or None}
    with Database.open(database) as opened:
        own = f"{seed}:{name}"  # few queries of each database are not the same few structures everywhere
        options |= {"structures": structures, "progress": progress}
        found = sample(context.items.schema, opened, count=count, seed=own, **options)
    return [
        Pair(f"{name}-sampled-{number}", name, wording, one.sql)
        for number, one in enumerate(found)
        for wording in one.sayings[:_WORDINGS]
    ]


def sampled_dialogues(
    pairs: Sequence[Pair], context: DatabaseContext, database: str | Path, *, count: int, seed: int
) -> list[Dialogue]:
    """Return dialogues that begin with a question of a pair and go on with follow-ups.

    Every third dialogue ends with a new topic: another question of a pair or a sampled one, and a follow-up to it.

    Args:
        pairs: the pairs of the database.
        count: the largest number of dialogues.
        seed: the seed that draws questions and follow-ups.
    """
    draw, found = random.Random(f"{seed}:{database}"), list[Dialogue]()
    options: dict[str, Any] = {"language": context.language, "now": context.now, "known": context.profile or None}
    chosen = draw.sample(pairs, min(count, len(pairs)))
    own = sampled_pairs(pairs[0].database, context, database, count=count, seed=seed)
    with Database.open(database) as opened:
        frame = SamplingFrame.of(context.items.schema, opened, **options)

        def turns(pair: Pair, first: str, more: int) -> list[Turn]:
            next_ones = follow_ups(pair.sql, frame, opened, count=more, seed=f"{seed}:{pair.id}:{first}")
            kinds = (first,) if first else ()
            return [Turn(pair.question, pair.sql, kinds), *(Turn(f.utterance, f.sql, (f.change,)) for f in next_ones)]

        for number, pair in enumerate(chosen):
            dialogue = turns(pair, "", 3)
            if not number % 3:
                dialogue += turns(draw.choice(own if own and draw.random() < 0.5 else pairs), ALONE, 1)
            found.append(Dialogue(f"{pair.id}-next", pair.database, tuple(dialogue)))
    return found


def sampled_examples(
    pairs: list[Pair],
    contexts: Mapping[str, list[DatabaseContext]],
    encoder: Encoder,
    *,
    progress: Callable[[], None] = lambda: None,
) -> list[list[TrainingExample]]:
    """Return training examples of sampled pairs; the wordings of one query are alternatives of one example.

    The contexts of a database, which differ in its names, take turns.
    """
    read_mentions(pair.question for pair in pairs)
    together: dict[str, list[TrainingExample]] = {}
    for number, pair in enumerate(pairs):
        ways = contexts[pair.database]
        one = {pair.database: [ways[number % len(ways)]]}
        for several in make_training_examples([pair], one, encoder, progress=progress)[0]:
            together.setdefault(pair.id, []).extend(several)
    return list(together.values())
