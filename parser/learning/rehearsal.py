"""What a domain's network learns besides the domain's pairs, so that it keeps what its base knows."""

from __future__ import annotations

from typing import get_args

from ...data.databases.schema_readers import read_schema
from ...data.domains.collection import Pair
from ...data.domains.shipped import REHEARSED, shipped_database
from ...data.sampler.phrases import Language
from ...encoders import Encoder
from ..reader.context import DatabaseContext
from ..reader.schema.profile import Profile
from ..runs.options import AugmentOptions
from .dataset import with_clock
from .domain_dataset import DomainDataset
from .samples import sampled_examples, sampled_pairs
from .training_examples import TrainingExample
from .unanswerable import unanswerable_examples

__all__ = ["rehearsal_examples"]


def rehearsal_examples(
    dataset: DomainDataset, encoder: Encoder, options: AugmentOptions, *, seed: int
) -> list[list[TrainingExample]]:
    """Return examples of sampled queries on the domain's database and the shipped ones, and of strange questions.

    Sampling knows English and Chinese; for other languages there is nothing besides the domain's pairs.
    """
    domain = dataset.domain
    if domain.language not in get_args(Language):
        return []
    own = {domain.name: [dataset.context]}
    found: list[list[TrainingExample]] = []
    if domain.database is not None and options.sampled:
        pairs = sampled_pairs(domain.name, dataset.context, domain.database, count=options.sampled, seed=seed)
        found += sampled_examples(pairs, own, encoder)
    rehearsed = [name for name in REHEARSED if name != domain.name and options.rehearsed]
    others = {name: _shipped(name, domain.language) for name in rehearsed}
    pairs = [
        pair
        for name, context in others.items()
        for pair in sampled_pairs(name, context, shipped_database(name), count=options.rehearsed, seed=seed)
    ]
    found += sampled_examples(pairs, {name: [context] for name, context in others.items()}, encoder)
    count = len(dataset.examples) * options.strange // 100
    asked = pairs or [Pair(e.id, "", e.question, e.sql) for e in dataset.parts["train"]]
    return found + unanswerable_examples(asked, own, encoder, count=count, seed=seed)


def _shipped(name: str, language: str) -> DatabaseContext:
    file = str(shipped_database(name))
    profile = Profile.of(read_schema(file), dialect="sqlite", language=language, database=file)
    return with_clock(profile.context(file))
