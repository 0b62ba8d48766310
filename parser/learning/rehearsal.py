"""What a domain's network learns besides the domain's pairs, so that it keeps what its base knows."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from rich.console import Console

from ...data.databases.schema_readers import read_schema
from ...data.domains.collection import Pair
from ...data.domains.shipped import REHEARSED, shipped_database
from ...data.sampler.phrases import Language
from ...encoders import Encoder
from ..reader.context import DatabaseContext
from ..reader.schema.profile import Profile
from ..runs.options import TrainConfig
from ..runs.progress import bar
from .dataset import with_clock
from .domain_dataset import DomainDataset
from .samples import sampled_examples, sampled_pairs
from .training_examples import TrainingExample
from .unanswerable import unanswerable_examples

__all__ = ["rehearsal_examples"]


def rehearsal_examples(
    dataset: DomainDataset, encoder: Encoder, config: TrainConfig, *, say: Console
) -> list[list[TrainingExample]]:
    """Return examples of sampled queries on the domain's database and the shipped ones, and of strange questions.

    Sampling knows English and Chinese; for other languages there is nothing besides the domain's pairs.
    """
    domain, options, seed = dataset.domain, config.augment, config.seed
    if domain.language not in get_args(Language):
        return []
    others = {name: _shipped(name, domain.language) for name in REHEARSED if name != domain.name and options.rehearsed}
    wanted: list[tuple[str, DatabaseContext, str | Path, int]]
    wanted = [(name, context, shipped_database(name), options.rehearsed) for name, context in others.items()]
    if domain.database is not None and options.sampled:
        wanted.insert(0, (domain.name, dataset.context, domain.database, options.sampled))
    with bar("sampling queries", sum(count for *_, count in wanted), say) as step:
        drawn = [
            sampled_pairs(name, context, file, count=count, seed=seed, progress=step)
            for name, context, file, count in wanted
        ]
    found: list[list[TrainingExample]] = []
    contexts = {name: [context] for name, context, *_ in wanted}
    with bar("reading them", sum(map(len, drawn)), say) as step:
        for pairs in drawn:
            found += sampled_examples(pairs, contexts, encoder, progress=step)
    count = len(dataset.examples) * options.strange // 100
    asked = [pair for pairs in drawn for pair in pairs if pair.database != domain.name]
    asked = asked or [Pair(e.id, "", e.question, e.sql) for e in dataset.parts["train"]]
    return found + unanswerable_examples(asked, {domain.name: [dataset.context]}, encoder, count=count, seed=seed)


def _shipped(name: str, language: str) -> DatabaseContext:
    file = str(shipped_database(name))
    profile = Profile.of(read_schema(file), dialect="sqlite", language=language, database=file)
    return with_clock(profile.context(file))
