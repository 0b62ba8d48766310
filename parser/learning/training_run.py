"""One training run, from a domain to a saved parser, in a folder from which a killed run resumes.

The examples are prepared again when a run resumes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import numpy as np
import torch
from joblib import cpu_count
from rich.console import Console

from ...classifiers.named_features import Calibration
from ...data.databases.schema_readers import read_schema
from ...data.databases.schema_watch import fingerprint_of
from ...data.domains.collection import Pair
from ...data.domains.domain import Domain, evenly
from ...data.errors import InputError
from ...data.packages import VERSION
from ...data.shipped import REHEARSED, shipped_database
from ...encoders import Encoder, load_encoder
from ...encoders.functions import one_thread
from ...encoders.text_vectors import TextVectors
from ...sampler import Language, TemplateBank, composed
from ..base import parser_folder
from ..network.network import NetworkConfig
from ..network.saved import load_network, save_network
from ..reader.context import DatabaseContext
from ..reader.profile import Profile
from ..settings.options import TrainConfig
from ..settings.progress import bar
from ..settings.run_folder import RunFolder
from .dataset import invented, invented_pairs, make_training_examples, with_clock
from .domain_dataset import PARTS, DomainDataset, read_domain
from .graphs import answering
from .network import TrainableNetwork
from .training import TeacherForcedMatch, Training
from .training_examples import TrainingExample, words_written
from .training_set import TrainingSet, texts_of
from .unanswerable import unanswerable_examples

_LEARNT = 3
"""The number of the encoder's layers that a new network trains."""

_TEMPLATES = 400
"""Of composed questions."""


@dataclass(frozen=True)
class Trained:
    """A run whose best network is saved, with its resolved options and the examples of its domain."""

    run: RunFolder
    config: TrainConfig
    dataset: DomainDataset


def fit(config: TrainConfig, domain: Domain, out: Path | str, *, resume: bool, say: Console) -> Trained | None:
    """Train a parser on a domain, and keep the best network of its epochs in ``best/``.

    An unfinished run of the same configuration is resumed, a finished run is left as it is.

    Args:
        config: the options; those left at None are filled in from the domain.
        domain: the domain to learn.
        out: the run folder.
        resume: whether the folder may hold a run already.
        say: the console for messages.

    Returns:
        None if the run was finished before.

    Raises:
        InputError: the base does not read the language, or the domain was read in another one.
        RunError: the folder holds something else, or the base does not exist.
    """
    if config.data.language not in (None, domain.language):
        problem = f"the domain was read in {domain.language!r}, not in {config.data.language!r}"
        raise InputError(problem, field="data.language", hint="load the domain in the language to train on")
    begun = RunFolder(Path(out))
    threads = config.threads or cpu_count()
    config = replace(config.resolved(domain=domain.source, language=domain.language), threads=threads)
    torch.manual_seed(config.seed)
    # before there is a folder, so that a wrong base leaves none behind that the right one would not go on with
    start = None if begun.finished else _Start.of(config)
    then = begun.options().get("data", {}).get("sources", {})
    sources = then if begun.finished else sources_of(config.model.base, domain)
    config = replace(config, data=replace(config.data, sources=sources))
    run = RunFolder.open(out, config, resume=resume)
    if start is None:
        return None
    where = f"domain {domain.name} ({domain.language}), {config.data.split} split"
    say.print(f"base {config.model.base}, encoder {start.encoder.name}, {where}", soft_wrap=True)
    torch.set_num_threads(1)  # the preparation's matrices are small
    dataset, examples = prepare(config, domain, start.encoder, start.frozen, values=run.path / "values.sqlite", say=say)
    say.print("questions: " + ", ".join(f"{len(dataset.parts[part])} {part}" for part in PARTS))
    torch.set_num_threads(threads)
    _learn(config, start, dataset, examples, run=run, say=say)
    queries = {found.query for found in dataset.unlearnt}
    if queries:
        say.print(f"{len(queries)} gold queries cannot be written: not trained on, misses elsewhere; see report.md")
    return Trained(run, config, dataset)


@dataclass(frozen=True)
class _Start:
    """The network to start from, with its encoder."""

    network: TrainableNetwork
    encoder: Encoder
    frozen: int
    calibration: Calibration | None

    @classmethod
    def of(cls, config: TrainConfig) -> _Start:
        """Load the base, or make a new network, whose weights depend on the seed alone."""
        model = config.model
        if model.base != "none":
            loaded = load_network(parser_folder(str(model.base)))
            if config.data.language not in loaded.languages:
                known = ", ".join(map(repr, loaded.languages))
                problem = f"the base reads {known}, the questions are in {config.data.language!r}"
                raise InputError(problem, field="model.base", hint="take a base of their language, or none")
            base = loaded.network
            return cls(TrainableNetwork.of(base), base.encoder, base.frozen, loaded.calibration)
        encoder = load_encoder(str(model.encoder))
        frozen = max(0, encoder.model.layers - _LEARNT) if model.frozen is None else model.frozen
        sizes = {name: getattr(model, name) for name in ("width", "layers", "decoder_layers", "heads", "dropout")}
        about = NetworkConfig(encoder=encoder.name, hidden=encoder.hidden, **sizes)
        network = TrainableNetwork(about, encoder.model, frozen)
        network.writes(())
        return cls(network, encoder, frozen, None)


def _learn(
    config: TrainConfig, start: _Start, dataset: DomainDataset, examples: TrainingSet, *, run: RunFolder, say: Console
) -> None:
    """Train the network, and keep the best one in ``best/``."""
    network = start.network
    network.writes({*np.flatnonzero(network.seen.numpy()).tolist(), *words_written(examples.examples)})
    judge = _Judge(config, dataset, examples, start, run)
    # a new network is pulled towards zero, another one towards its base
    optim = replace(config.optim, **({"anchor": 0.0} if config.model.base == "none" else {"weight_decay": 0.0}))
    options: dict[str, Any] = {"every": config.eval.every, "seed": config.seed}
    training = Training(network, examples, optim, run.path, judge=judge, **options)
    with bar("training", training.steps, say, "loss {task.fields[loss]}  dev EM {task.fields[dev_em]}") as step:
        for row in training.run(step):
            step(0, **{name: f"{row[name]:.3f}" for name in ("loss", "dev_em") if name in row})
            if "dev_em" in row and not say.is_terminal:
                say.print(f"epoch {row['epoch']}  loss {row['loss']:.3f}  dev EM {row['dev_em']:.3f}")


class _Judge:
    """Measures a network on the dev part, and saves it unless an earlier one was better."""

    def __init__(
        self, config: TrainConfig, dataset: DomainDataset, examples: TrainingSet, start: _Start, run: RunFolder
    ) -> None:
        self.config, self.dataset, self.start, self.run = config, dataset, start, run
        self.measure = TeacherForcedMatch(examples)

    def __call__(self, network: TrainableNetwork) -> dict[str, float]:
        found = {"dev_em": self.measure(network)["exact"]}
        earlier = [row["dev_em"] for row in self.run.curve() if "dev_em" in row]
        # of equal networks the last is kept, which has seen more: the dev part is small
        if found["dev_em"] >= max(earlier, default=0.0) or not self.run.best.exists():
            self._save(network)
        return found

    def _save(self, network: TrainableNetwork) -> None:
        profile, start = self.dataset.profile, self.start
        card = _model_card(self.config, profile, network)
        saved = answering(network, start.encoder, start.frozen)
        about: dict[str, Any] = {"languages": [profile.language], "card": card}
        save_network(saved, self.run.best, **about, calibration=start.calibration, profile=profile)


def _model_card(config: TrainConfig, profile: Profile, network: TrainableNetwork) -> str:
    """Return the model card as Markdown."""
    rows = {
        "language": profile.language,
        "dialect": profile.dialect,
        "grouping": profile.grouping,
        "tables": ", ".join(table.name for table in profile.schema.tables),
        "base": config.model.base,
        "encoder": network.config.encoder,
        "parameters that were trained": f"{sum(p.numel() for p in network.parameters()):,}",
        "split": config.data.split,
        "epochs": config.optim.epochs,
        "seed": config.seed,
        "longest query": f"{profile.budget} words",
        "widest FROM": f"{profile.sources} tables",
    }
    table = "\n".join(f"| {name} | {_cell(value)} |" for name, value in rows.items())
    return f"""---
library_name: querent
language: {profile.language}
tags: [text-to-sql]
---
# A parser of questions on {profile.name}

It turns questions on one database into SQL. Under Querent's constraint every query runs; it can still be the wrong
one: look at it, and at the confidence, before you rely on its rows.

| | |
|---|---|
{table}

```python
import querent

answer = querent.connect("my.sqlite", parser="path/to/this/folder").ask("...")
print(answer.sql, answer.rows)
```
"""


def _cell(value: Any) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


@one_thread()
def prepare(
    config: TrainConfig, domain: Domain, encoder: Encoder, frozen: int, *, values: Path, say: Console
) -> tuple[DomainDataset, TrainingSet]:
    """Return the examples of a domain, and the training set with rehearsal and held-out examples.

    Args:
        config: the resolved options.
        encoder, frozen: the ready-made encoder, and the number of its frozen layers.
        values: the file that the index of the domain's values is written to.

    Raises:
        DomainError: the training part or the dev part is empty.
    """
    with bar("reading", len(domain.examples), say) as step:
        level, split = config.constraint.promised, config.data.split
        dataset = read_domain(domain, encoder, split=split, values=values, level=level, progress=step)
    chosen = evenly(dataset.parts["dev"], config.eval.dev_examples)
    judged = [dataset.judged[one.id] for one in chosen if one.id in dataset.judged]
    learnt = [*dataset.examples, *_rehearsal_examples(dataset, encoder, config, say=say)]
    vectors = TextVectors(encoder)
    vectors.prepare_kept(texts_of([*learnt, judged]))  # a resumed run finds them in the cache
    return dataset, TrainingSet.of(learnt, encoder, frozen, held_out=judged, vectors=vectors)


def sources_of(base: str | None, domain: Domain) -> dict[str, str]:
    """Return digests of the inputs of a run, which must be the same when it resumes."""
    hashes = "" if base == "none" else (parser_folder(str(base)) / "hashes.json").read_text(encoding="utf-8")
    parts = (domain.language, domain.dialect, domain.schema.digest, domain.examples, domain.entities, domain.now)
    return {
        "version": VERSION,
        "base": sha256(hashes.encode()).hexdigest(),
        "domain": sha256(repr((*parts, domain.grouping)).encode()).hexdigest(),
        "database": "" if domain.database is None else fingerprint_of(domain.database, domain.schema, ""),
    }


def _rehearsal_examples(
    dataset: DomainDataset, encoder: Encoder, config: TrainConfig, *, say: Console
) -> list[list[TrainingExample]]:
    """Return examples of composed questions about the domain's and the shipped databases, and unanswerable questions.

    Languages in which nothing is composed get no such examples.
    """
    domain, options, seed = dataset.domain, config.augment, config.seed
    if domain.language not in get_args(Language):
        return []
    others = {name: _shipped(name, domain.language) for name in REHEARSED if name != domain.name and options.rehearsed}
    wanted: list[tuple[str, DatabaseContext, str | Path, int]]
    wanted = [(name, context, shipped_database(name), options.rehearsed) for name, context in others.items()]
    if domain.database is not None and options.sampled:
        wanted.insert(0, (domain.name, dataset.context, domain.database, options.sampled))
    rng = random.Random(f"{seed}:{domain.language}")
    drawn, found = list[Pair](), list[list[TrainingExample]]()
    with bar("composing questions", sum(count for *_, count in wanted), say) as step:
        bank = TemplateBank([composed(domain.language, rng) for _ in range(_TEMPLATES)] if wanted else [])
        for name, context, file, count in wanted:
            pairs = invented_pairs(name, invented(name, context, file, bank, count=count, seed=seed))
            drawn += pairs
            found += make_training_examples(pairs, {name: [context]}, encoder, progress=step)[0]
    count = len(dataset.examples) * options.strange // 100
    foreign = [pair for pair in drawn if pair.database != domain.name]
    foreign = foreign or [Pair(e.id, "", e.question, e.sql) for e in dataset.parts["train"]]
    return found + unanswerable_examples(foreign, {domain.name: [dataset.context]}, encoder, count=count, seed=seed)


def _shipped(name: str, language: str) -> DatabaseContext:
    file = str(shipped_database(name))
    profile = Profile.of(read_schema(file), dialect="sqlite", language=language, database=file)
    return with_clock(profile.catalogue(file).whole)
