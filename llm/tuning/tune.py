"""Tunes a language model on a domain, or in stages on collections; each is an adapter on the one before."""

import json
import platform
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from importlib.metadata import version
from itertools import compress
from pathlib import Path
from typing import Any

from ...data.domains.collection import Collection, read_collection
from ...data.domains.loading import load_domain
from ...data.errors import InputError, did_you_mean
from ...data.packages import VERSION
from ...knowledge.solved import Solved, shot_store
from ..backends.causal_model import LanguageModel, load_model
from ..named import named_values
from ..prompting import Prompter
from ..prompts.templates import Prompts, load_prompts
from ..recipe import PROMPTS, Recipe, begin, placed
from .lessons import (
    SameRows,
    TuningQuestion,
    answer_lesson,
    corrections,
    judged,
    preferences,
    sampled,
    tuning_questions,
)
from .training import Lesson, TuningOptions, train_adapter

_STAGE_RATES: Mapping[str, float] = {"": 1e-3, "sft": 1e-3, "dpo": 5e-5, "correct": 2e-4}
"""The learning rates of the stages, in their order: later ones adjust the model and must not overwrite it. The stage
without a name is that of a domain."""

_SAMPLES, _REPORT = "samples.jsonl", "stage.json"


def tune(
    recipe: Recipe,
    out: Path,
    options: TuningOptions | None = None,
    *,
    same: SameRows | None = None,
    progress: Callable[[float], object] = lambda _: None,
    say: Callable[[str], object] = lambda _: None,
) -> tuple[dict[str, int], list[float]]:
    """Tune a language model on the solved questions of a domain, or in one stage on the training part of collections.

    Args:
        recipe: the model, its lessons, and the form of its prompts; ``training`` is filled in here.
        out: the folder, for `load_model`. A run that was killed there is resumed.
        options: the defaults if None.
        same: decides whether the rows of a query are the gold ones; the stage dpo needs it.
        progress: called with the share of training steps that are done.
        say: a callback for messages about steps that take a while.

    Returns:
        How many questions, answers, pairs and lessons of each kind there were, and the mean loss of each tenth of the
        training; nothing if the folder holds this run, finished.

    Raises:
        InputError: the model, a domain, collection or database cannot be read, there is no such stage, it has nothing
            to learn, a library is missing, or the folder holds something else.
    """
    if recipe.stage not in _STAGE_RATES:
        hint = did_you_mean(recipe.stage, _STAGE_RATES) or "use sft, dpo or correct"
        raise InputError(f"no stage {recipe.stage!r}", field="stage", hint=hint)
    if recipe.stage == "dpo" and same is None:
        raise InputError("the stage dpo needs to know which rows are right", field="same", hint="give rows_match")
    options = options or TuningOptions()
    options = replace(options, rate=_STAGE_RATES[recipe.stage] if options.rate is None else options.rate)
    training = {name: value for name, value in asdict(options).items() if value is not None}
    recipe = replace(placed(recipe), training=training)
    collections = [read_collection(spec).part("train") for spec in recipe.collections]
    if other := next((one.language for one in collections if one.language != recipe.language), None):
        problem = f"there are questions in {other}, not {recipe.language}"
        raise InputError(problem, field="collections", hint="tune on collections of one language")
    solved = recipe.examples and Solved.of(load_domain(recipe.examples, language=recipe.language))
    if begin(recipe, out):
        return {}, []
    say("loading the model")
    loaded, prompts = load_model(recipe.model), load_prompts(out / PROMPTS)
    say("reading the databases")
    if solved:
        lessons = list(_of_domain(loaded, solved, recipe, prompts))
        counts = Counter({"questions": len(lessons)})
    else:
        how: dict[str, Any] = {"stage": recipe.stage, "out": out, "options": options, "same": same, "say": say}
        questions = list(_questions(collections, loaded, prompts, options))
        lessons, counts = _of_stage(loaded, questions, **how)
    say("")
    losses = train_adapter(loaded, lessons, out, options, progress=progress)
    packages = ("torch", "transformers", "peft", "trl")
    versions = {"python": platform.python_version(), "querent": VERSION} | {name: version(name) for name in packages}
    report = {"recipe": asdict(recipe), "counts": counts, "losses": losses, "versions": versions}
    (out / _REPORT).write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return dict(counts), losses


def _of_domain(loaded: LanguageModel, solved: Solved, recipe: Recipe, prompts: Prompts) -> Iterator[Lesson]:
    """Yield the solved questions of a domain, each behind the most similar others, as in the prompts of a session."""
    domain = solved.domain
    assert domain is not None
    with ExitStack() as stack:
        index = None
        if domain.database is not None:
            index = stack.enter_context(solved.index(domain.database, domain.schema))
        named = None if index is None else named_values(index, recipe.language)
        how: dict[str, Any] = {"program": recipe.program, "with_schema": recipe.schema, "named": named}
        prompter = Prompter(prompts, domain.schema, domain.dialect, **how)
        store = shot_store(solved.shots, recipe.language, index=index, retriever=recipe.retriever)
        for shot in solved.shots:
            near = store.similar(shot.question, recipe.shots + 1) if recipe.shots else []
            others = [other for other in near if other != shot][: recipe.shots]
            lesson = answer_lesson(loaded, prompter.messages(shot.question, others), prompter.answer(shot))
            if loaded.context is not None and (longest := len(lesson["input_ids"])) > loaded.context:
                problem = f"an example takes {longest} tokens and the model reads {loaded.context}"
                raise InputError(problem, field="shots", hint="show fewer solved questions, or tell no tables")
            yield lesson


def _questions(
    collections: Sequence[Collection], loaded: LanguageModel, prompts: Prompts, options: TuningOptions
) -> Iterator[TuningQuestion]:
    """Yield the questions of collections, all or a random sample."""
    every = [(n, pair) for n, one in enumerate(collections) for pair in one.pairs if pair.database in one.databases]
    if options.lessons is not None and options.lessons < len(every):
        every = random.Random(options.seed).sample(every, options.lessons)
    for number, one in enumerate(collections):
        part = replace(one, pairs=tuple(pair for n, pair in every if n == number))
        yield from tuning_questions(part, loaded.tokenizer, prompts, tokens=options.tokens, seed=options.seed)


def _of_stage(
    loaded: LanguageModel,
    questions: Sequence[TuningQuestion],
    *,
    stage: str,
    out: Path,
    options: TuningOptions,
    same: SameRows | None,
    say: Callable[[str], object],
) -> tuple[list[Lesson], Counter[str]]:
    """Return the lessons of a stage, and how many questions and lessons of each kind there are."""
    lessons = [answer_lesson(loaded, one.messages(), one.answer) for one in questions]
    room = sys.maxsize if loaded.context is None else loaded.context - options.max_tokens
    short = [len(one["input_ids"]) <= room for one in lessons]
    counts = Counter({"questions": sum(short), "questions that are too long": len(short) - sum(short)})
    if stage == "sft":
        return list(compress(lessons, short)), counts
    questions = list(compress(questions, short))
    texts = sampled(loaded, questions, out / _SAMPLES, options, progress=lambda share: say(f"answering: {share:.0%}"))
    answers = judged(questions, texts, options.timeout)
    made = preferences(loaded, answers, same) if same and stage == "dpo" else corrections(loaded, answers)
    return made[0], counts + made[1]
