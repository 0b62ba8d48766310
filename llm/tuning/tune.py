"""A domain and a language model in, a folder with an adapter and its recipe out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path

from ...data.domains.domain import Domain
from ...data.domains.loading import load_domain
from ...data.errors import InputError
from ...knowledge.solved import Solved, retriever_ways, shot_store
from ..backends.causal_model import LanguageModel, load_model
from ..named_values import named_values
from ..prompting import Prompter
from ..prompts import load_prompts
from ..recipe import PROMPTS, Recipe
from .examples import TuningExample, shots_beside, tuning_examples
from .folder import begin, placed
from .training import TuningOptions, train_adapter

__all__ = ["tune"]


def tune(
    recipe: Recipe,
    out: Path,
    options: TuningOptions | None = None,
    *,
    progress: Callable[[float], object] = lambda _: None,
    say: Callable[[str], object] = lambda _: None,
) -> list[float]:
    """Tune a language model on a domain's solved questions, those of its parts train and dev.

    Args:
        recipe: what is tuned on what, and how its prompts look; ``training`` is filled in here.
        out: the folder, for `load_model`; a run that was killed there is gone on with.
        options: of the training; the defaults if None.
        progress: told the share of steps that are done.
        say: told what is being done where it takes a while.

    Returns:
        The mean loss of each tenth of the training; nothing if the folder holds this run, finished.

    Raises:
        InputError: the model or the domain cannot be read, a library is missing, or the folder holds something else.
        QueryError: the query of a solved question is none, and a program should be made of it.
    """
    options = options or TuningOptions()
    recipe = replace(placed(recipe), training=asdict(options))
    if recipe.examples is None:
        raise InputError("has collections and no domain", field="recipe", hint="use tune_stage")
    domain = load_domain(recipe.examples, language=recipe.language)
    if begin(recipe, out):
        return []
    say("loading the model")
    loaded = load_model(recipe.model)
    say("choosing what stands before each question")
    examples = _examples(loaded, domain, recipe, out / PROMPTS, options)
    say("")
    return train_adapter(loaded, examples, out, options, progress=progress)


def _examples(
    loaded: LanguageModel, domain: Domain, recipe: Recipe, prompts: Path, options: TuningOptions
) -> list[TuningExample]:
    """Return what is learnt; prompts tell what a connection tells, see `connect_llm`."""
    solved, language = Solved.of(domain), recipe.language
    with ExitStack() as stack:
        index = None
        if domain.database is not None:
            index = stack.enter_context(solved.index(domain.database, domain.schema))
        prompter = Prompter(
            load_prompts(prompts),
            domain.schema,
            domain.dialect,
            program=recipe.program,
            told=recipe.schema,
            named=None if index is None else named_values(index, language),
        )
        store = shot_store(solved.shots, language, index=index, ways=retriever_ways(recipe.retriever))
        beside = shots_beside(solved.shots, store, recipe.shots, distractors=options.distractors, seed=options.seed)
        return tuning_examples(loaded, prompter, beside)
