"""What a training needs before its first step: the examples, and what the frozen parts of the encoder say of them.

It is prepared at every start of a run, also of one that was killed.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

from rich.console import Console

from ...data.databases.schema_readers import read_schema
from ...data.databases.schema_watch import fingerprint_of
from ...data.domains.collection import Pair
from ...data.domains.domain import Domain, evenly
from ...data.packages import VERSION
from ...data.shipped import REHEARSED, shipped_database
from ...encoders import Encoder
from ...encoders.text_vectors import TextVectors
from ...sampler.parts.phrases import Language
from ..base import parser_folder
from ..decoding.encoded_question import one_thread
from ..learning.dataset import sampled_examples, sampled_pairs, with_clock
from ..learning.domain_dataset import DomainDataset, read_domain
from ..learning.training_examples import TrainingExample
from ..learning.training_set import TrainingSet, texts_of
from ..learning.unanswerable import unanswerable_examples
from ..reader.context import DatabaseContext
from ..reader.profile import Profile
from ..settings.options import TrainConfig
from ..settings.progress import bar

__all__ = ["prepare", "rehearsal_examples", "sources_of"]


@one_thread()
def prepare(
    config: TrainConfig, domain: Domain, encoder: Encoder, frozen: int, *, values: Path, say: Console
) -> tuple[DomainDataset, TrainingSet]:
    """Return a domain that is read, and what there is to learn and to judge by.

    Args:
        config: the options in full.
        encoder, frozen: the ready-made encoder, and how many of its lower layers stay as they are.
        values: the index file of known values, written here.

    Raises:
        DomainError: there is nothing to train or to choose on.
    """
    with bar("reading", len(domain.examples), say) as step:
        how: dict[str, Any] = {"split": config.data.split, "learn_dev": config.data.learn_dev, "progress": step}
        dataset = read_domain(domain, encoder, values=values, level=config.constraint.promised, **how)
    chosen = evenly(dataset.parts["dev"], config.eval.dev_examples)
    judged = [dataset.judged[one.id] for one in chosen if one.id in dataset.judged]
    learnt = [*dataset.examples, *rehearsal_examples(dataset, encoder, config, say=say)]
    vectors = TextVectors(encoder)
    vectors.prepare_kept(texts_of([*learnt, judged]))  # a run that is taken up finds them in the cache
    return dataset, TrainingSet.of(learnt, encoder, frozen, held_out=judged, vectors=vectors)


def sources_of(base: str | None, domain: Domain) -> dict[str, str]:
    """Return digests of what the preparation depends on beside the options, so that a run goes on with the same."""
    hashes = "" if base == "none" else (parser_folder(str(base)) / "hashes.json").read_text(encoding="utf-8")
    told = (domain.language, domain.dialect, domain.schema.digest, domain.examples, domain.entities, domain.now)
    return {
        "version": VERSION,
        "base": sha256(hashes.encode()).hexdigest(),
        "domain": sha256(repr((*told, domain.grouping)).encode()).hexdigest(),
        "database": "" if domain.database is None else fingerprint_of(domain.database, domain.schema, ""),
    }


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
