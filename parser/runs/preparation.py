"""What a training needs before its first step, made once and kept in the run folder for a run that is killed.

RUN/stages/examples/   training examples of the domain's pairs, and the queries that cannot be written
RUN/stages/besides/    training examples of sampled queries and of strange questions
RUN/stages/states/     what the frozen parts of the encoder say of them all
RUN/prepared.json      digests of what they were made from, beside the options in config.yaml
"""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import numpy as np
from rich.console import Console
from safetensors.torch import load_file, save_file

from ...data.databases.schema_readers import read_schema
from ...data.databases.schema_watch import fingerprint_of
from ...data.domains.collection import Pair
from ...data.domains.domain import Domain
from ...data.errors import RunError
from ...data.hashed_folder import read_json
from ...data.packages import VERSION
from ...data.shipped import REHEARSED, shipped_database
from ...data.whole_files import write_text
from ...encoders import Encoder
from ...encoders.text_vectors import TextVectors
from ...sampler.parts.phrases import Language
from ..base import parser_folder
from ..decoding.encoded_question import one_thread
from ..learning.batches import FrozenStates, TrainingSet, questions_of, texts_of
from ..learning.dataset import with_clock
from ..learning.domain_dataset import DomainDataset, open_domain, read_examples
from ..learning.packing import read_pickled
from ..learning.samples import sampled_examples, sampled_pairs
from ..learning.training_examples import TrainingExample
from ..learning.unanswerable import unanswerable_examples
from ..reader.context import DatabaseContext
from ..reader.profile import Profile
from ..settings.options import TrainConfig
from ..settings.progress import bar
from ..settings.run_folder import RunFolder

__all__ = ["prepare", "rehearsal_examples"]

_STAGES = ("examples", "besides", "states")
_TOGETHER = 512  # texts whose vectors are kept at once


@one_thread()
def prepare(
    config: TrainConfig, domain: Domain, encoder: Encoder, frozen: int, *, run: RunFolder, say: Console
) -> tuple[DomainDataset, TrainingSet]:
    """Return what there is to learn from, as an earlier start of the run prepared it or prepared now.

    A changed domain, database, base or version of Querent has it prepared anew, unless the run has a checkpoint: then
    it goes on with what it was begun with. Either is said.

    Args:
        config: the options in full.
        encoder, frozen: the ready-made encoder, and how many of its lower layers stay as they are.

    Raises:
        DomainError: there is nothing to train or to choose on.
        RunError: what was kept cannot be read.
    """
    _look_for_changes(run, _sources(config, domain), say)
    told: dict[str, Any] = {"split": config.data.split, "values": run.path / "values.sqlite"}
    dataset = open_domain(domain, **told, learn_dev=config.data.learn_dev)

    def read() -> tuple[Any, Any]:
        with bar("reading", len(dataset.parts["train"]), say) as step:
            made = read_examples(dataset, encoder, parts=("train",), level=config.constraint.promised, progress=step)
        return made.examples, made.unlearnt

    examples, unlearnt = _kept(run, "examples", read)
    dataset = replace(dataset, examples=examples, unlearnt=unlearnt)
    besides = _kept(run, "besides", lambda: rehearsal_examples(dataset, encoder, config, say=say))
    return dataset, _training_set([*examples, *besides], encoder, frozen, run, say)


def _sources(config: TrainConfig, domain: Domain) -> dict[str, str]:
    """Return digests of what the preparation depends on beside the options."""
    base = config.model.base
    hashes = "" if base == "none" else (parser_folder(str(base)) / "hashes.json").read_text(encoding="utf-8")
    told = (domain.language, domain.dialect, domain.schema.digest, domain.examples, domain.entities, domain.now)
    return {
        "the version of Querent": VERSION,
        "the base": sha256(hashes.encode()).hexdigest(),
        "the domain": sha256(repr((*told, domain.grouping)).encode()).hexdigest(),
        "the database": "" if domain.database is None else fingerprint_of(domain.database, domain.schema, ""),
    }


def _look_for_changes(run: RunFolder, now: dict[str, str], say: Console) -> None:
    """Remove what was prepared from something else, or say that the run goes on with it."""
    file = run.path / "prepared.json"
    then: dict[str, str] = read_json(file) if file.exists() else {}
    if then == now:
        return
    changed = ", ".join(name for name in now if then and then.get(name) != now[name])
    if changed and run.checkpoint_file.exists():
        said = f"changed since this run was begun: {changed}; it goes on with what it prepared then"
        say.print(f"{said} (another --out learns what there is now)", soft_wrap=True)
        return
    if changed:
        say.print(f"changed since it was prepared: {changed}; it is prepared anew", soft_wrap=True)
    for name in _STAGES:
        shutil.rmtree(run.stages / name, ignore_errors=True)
    write_text(file, json.dumps(now, indent=1))


def _kept(run: RunFolder, stage: str, make: Callable[[], Any]) -> Any:
    """Return what a stage of examples holds, made now unless an earlier start of the run finished it.

    Raises:
        RunError: it cannot be read.
    """

    def write(folder: Path) -> None:
        (folder / "examples.pickle").write_bytes(pickle.dumps(make()))

    file = run.stage(stage, write) / "examples.pickle"
    try:
        with file.open("rb") as stream:
            return read_pickled(stream)
    except (pickle.UnpicklingError, OSError, EOFError, AttributeError, ImportError) as error:
        problem = f"what was prepared cannot be read: {error}"
        raise RunError(problem, file=file, hint=f"remove {file.parent}, and it is prepared anew") from error


def _training_set(
    every: list[list[TrainingExample]], encoder: Encoder, frozen: int, run: RunFolder, say: Console
) -> TrainingSet:
    texts, questions = texts_of(every), questions_of(every)

    def read(folder: Path) -> None:
        with bar("names and questions", len(texts) + len(questions), say) as step:
            vectors = TextVectors(encoder)
            for start in range(0, len(texts), _TOGETHER):
                vectors.prepare_kept(some := texts[start : start + _TOGETHER])
                step(len(some))
            table = np.array([vectors[text] for text in texts])
            states = FrozenStates.of(questions, table, encoder.model, frozen, "cpu", progress=step)
        save_file({"pieces": states.pieces, "texts": states.texts}, folder / "states.safetensors")

    states = FrozenStates(**load_file(run.stage("states", read) / "states.safetensors"))
    examples = TrainingSet(every, states.texts[1:].numpy(), encoder.model, frozen)
    examples.states = states
    return examples


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
