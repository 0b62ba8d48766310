"""The stages of a generator on collections of databases: supervised, then by preferences, then to correct itself.

After LitE-SQL (Piao et al. 2025): each stage is an adapter on the model of the one before, whose folder is its model.
"""

from __future__ import annotations

import json
import platform
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ...data.domains.collection import Collection, read_collection
from ...data.errors import InputError, did_you_mean
from ...data.packages import VERSION
from ..backends.batches import BatchWriter
from ..backends.causal_model import LanguageModel, load_model
from ..backends.chat_prompt import prompt_ids
from ..prompts import Prompts, load_prompts
from ..recipe import PROMPTS, Recipe
from .collection_questions import CollectionPrompts, TuningQuestion
from .corrections import correction_examples
from .examples import tuning_example
from .folder import begin, placed
from .preference_training import train_preferences
from .preferences import preferences
from .retrieved_tables import retrieved_tables
from .samples import CollectionRunner, SameRows, sampled
from .training import TuningOptions, train_adapter

__all__ = ["STAGE_RATES", "StageOptions", "StageReport", "stage_rate", "tune_stage"]

STAGE_RATES: Mapping[str, float] = {"sft": 1e-3, "dpo": 5e-5, "correct": 2e-4}
"""The stages, in the order in which they follow one another, with their usual learning rates: what was learnt before is
to be moved, not to be written over."""

_SAMPLES, _REPORT = "samples.jsonl", "stage.json"


@dataclass(frozen=True)
class StageOptions:
    """How a stage makes its lessons.

    Attributes:
        lessons: questions that are taken, drawn at random; None takes all.
        tokens: that tables may take in a prompt.
        samples: answers that the model writes to each question (dpo, correct).
        temperature: of these.
        write_batch: questions that it answers at a time.
        max_tokens: of each answer.
        timeout: seconds that a query may take.
        beta: how firmly preferences hold the model to what it was (dpo).
        alpha: weight of the likelihood of the better answer (dpo).
    """

    lessons: int | None = None
    tokens: int = 512
    samples: int = 4
    temperature: float = 0.8
    write_batch: int = 32
    max_tokens: int = 128
    timeout: float = 2.0
    beta: float = 0.1
    alpha: float = 1.0

    def __post_init__(self) -> None:
        for name, least in (("lessons", 1), ("samples", 1), ("write_batch", 1), ("max_tokens", 1)):
            if (value := getattr(self, name)) is not None and value < least:
                raise InputError(f"{value} is less than {least}", field=name)


@dataclass(frozen=True)
class StageReport:
    """What a stage did.

    Attributes:
        counts: of questions, answers, pairs and lessons, by kind; empty if the folder holds this run, finished.
        losses: the mean loss of each tenth of the training.
    """

    counts: dict[str, int]
    losses: list[float]


def stage_rate(stage: str) -> float:
    """Return a stage's usual learning rate.

    Raises:
        InputError: there is no such stage.
    """
    if stage not in STAGE_RATES:
        hint = did_you_mean(stage, STAGE_RATES) or f"use {', '.join(STAGE_RATES)}"
        raise InputError(f"no stage {stage!r}", field="stage", hint=hint)
    return STAGE_RATES[stage]


def tune_stage(
    recipe: Recipe,
    out: Path,
    options: TuningOptions | None = None,
    lessons: StageOptions | None = None,
    *,
    same: SameRows,
    writing: Callable[[float], object] = lambda _: None,
    progress: Callable[[float], object] = lambda _: None,
    say: Callable[[str], object] = lambda _: None,
) -> StageReport:
    """Tune a language model, in one stage, on the training part of collections of databases.

    Args:
        recipe: the model, the collections and the stage; ``training`` is filled in here.
        out: the folder, for `load_model`; a run that was killed there is gone on with.
        options: of the training; the defaults if None.
        lessons: how they are made; the defaults if None.
        same: says whether a query's rows are the gold ones.
        writing: told the share of questions that the model has answered (dpo, correct).
        progress: told the share of training steps that are done.
        say: told what is being done where it takes a while.

    Raises:
        InputError: the model cannot be read, there is no such stage, it has nothing to learn, a library is missing, or
            the folder holds something else.
        DomainError: a collection cannot be read.
        DatabaseError: a database cannot be read.
    """
    options, lessons = options or TuningOptions(distractors=0.0), lessons or StageOptions()
    stage_rate(recipe.stage)  # is there such a stage?
    recipe = replace(placed(recipe), training=_training(options, lessons))
    collections = [read_collection(spec).part("train") for spec in recipe.collections]
    _check_languages(collections, recipe)
    if begin(recipe, out):
        return StageReport({}, [])
    say("loading the model")
    loaded, prompts = load_model(recipe.model), load_prompts(out / PROMPTS)
    say("reading the databases")
    taken = _taken(collections, lessons.lessons, options.seed)
    asked = list(_questions(taken, loaded, lessons, options.seed))
    fitting = [one for one in asked if _fits(loaded, one, prompts, lessons.max_tokens)]
    say("")
    counts = Counter({"questions": len(fitting), "questions that are too long": len(asked) - len(fitting)})
    training: dict[str, Any] = {"options": options, "progress": progress}
    if recipe.stage == "sft":
        examples = [tuning_example(loaded, one.messages(prompts), one.answer(prompts)) for one in fitting]
        train = partial(train_adapter, loaded, examples, out, **training)
    else:
        texts = _written(loaded, fitting, prompts, out, lessons=lessons, seed=options.seed, progress=writing)
        judged: dict[str, Any] = {"progress": lambda share: say(f"running what it wrote: {share:.0%}")}
        with CollectionRunner(lessons.timeout) as runner:
            written = list(zip(fitting, texts, strict=True))
            if recipe.stage == "dpo":
                pairs, more = preferences(loaded, written, prompts, runner, same, **judged)
                balance: dict[str, Any] = {"beta": lessons.beta, "alpha": lessons.alpha}
                train = partial(train_preferences, loaded, pairs, out, **training, **balance)
            else:
                examples, more = correction_examples(loaded, written, prompts, runner, **judged)
                train = partial(train_adapter, loaded, examples, out, **training)
        say("")
        counts += more
    _write(StageReport(dict(counts), []), recipe, out)  # so that a kill behind the training leaves the counts
    report = StageReport(dict(counts), train())
    _write(report, recipe, out)
    return report


def _training(options: TuningOptions, lessons: StageOptions) -> dict[str, float]:
    told = {**asdict(options), **asdict(lessons)}
    return {name: value for name, value in told.items() if value is not None}


def _check_languages(collections: Sequence[Collection], recipe: Recipe) -> None:
    for spec, one in zip(recipe.collections, collections, strict=True):
        if one.language != recipe.language:
            hint = "tune on collections of one language"
            raise InputError(
                f"{spec} has questions in {one.language}, not {recipe.language}", field="collections", hint=hint
            )


def _taken(collections: Sequence[Collection], most: int | None, seed: int) -> list[Collection]:
    """Return the collections with so many of their questions as are wanted, those of databases with a file alone."""
    there = [
        (number, pair) for number, one in enumerate(collections) for pair in one.pairs if pair.database in one.databases
    ]
    if most is not None and most < len(there):
        there = [there[i] for i in sorted(random.Random(seed).sample(range(len(there)), most))]
    return [
        replace(one, pairs=tuple(pair for place, pair in there if place == number))
        for number, one in enumerate(collections)
    ]


def _questions(
    collections: Sequence[Collection], loaded: LanguageModel, lessons: StageOptions, seed: int
) -> list[TuningQuestion]:
    return [
        question
        for one in collections
        for question in CollectionPrompts(
            one,
            loaded.tokenizer,
            retrieved_tables(one),
            tokens=lessons.tokens,
            strangers=sorted(one.databases),
            seed=seed,
        ).questions(lessons=True)
    ]


def _fits(loaded: LanguageModel, question: TuningQuestion, prompts: Prompts, answer: int) -> bool:
    if loaded.context is None:
        return True
    return len(prompt_ids(loaded.tokenizer, question.messages(prompts))) + answer <= loaded.context


def _written(
    loaded: LanguageModel,
    questions: Sequence[TuningQuestion],
    prompts: Prompts,
    out: Path,
    *,
    lessons: StageOptions,
    seed: int,
    progress: Callable[[float], object],
) -> list[tuple[str, ...]]:
    writer = BatchWriter(loaded, batch=lessons.write_batch, max_tokens=lessons.max_tokens)
    drawn: dict[str, Any] = {"n": lessons.samples, "temperature": lessons.temperature, "seed": seed}
    return sampled(writer, questions, prompts, out / _SAMPLES, **drawn, progress=progress)


def _write(report: StageReport, recipe: Recipe, out: Path) -> None:
    """Write what was done beside the adapter."""
    packages = ("torch", "transformers", "peft", "trl")
    versions = {"python": platform.python_version(), "querent": VERSION} | {name: version(name) for name in packages}
    content = {"recipe": asdict(recipe), "counts": report.counts, "losses": report.losses, "versions": versions}
    (out / _REPORT).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
