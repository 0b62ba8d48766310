"""A domain and a language model in, a folder with an adapter and its recipe out."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path

from ...data.domains.domain import Domain
from ...data.domains.loading import load_domain
from ...data.domains.shipped import is_shipped
from ...data.errors import InputError
from ...knowledge.solved import Solved, retriever_ways, shot_store
from ..backends.causal_model import ADAPTER, LanguageModel, load_model
from ..named_values import named_values
from ..prompting import Prompter
from ..prompts import load_prompts, shipped_prompts
from ..recipe import PROMPTS, Recipe, read_recipe
from .examples import TuningExample, shots_beside, tuning_examples
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
    recipe = replace(_placed(recipe), training=asdict(options))
    domain = load_domain(recipe.examples, language=recipe.language)
    if _begin(recipe, out):
        return []
    say("loading the model")
    loaded = load_model(recipe.model)
    say("choosing what stands before each question")
    examples = _examples(loaded, domain, recipe, out / PROMPTS, options)
    say("")
    return train_adapter(loaded, examples, out, options, progress=progress)


def _placed(recipe: Recipe) -> Recipe:
    """Return a recipe that holds wherever it is read from: with the full paths of folders and files."""
    model, examples, retriever = recipe.model, recipe.examples, recipe.retriever
    return replace(
        recipe,
        model=_place(model),
        examples=examples if is_shipped(examples) else _place(examples),
        retriever=None if retriever is None else _place(retriever),
    )


def _place(name: str) -> str:
    kind, colon, path = name.rpartition(":")  # a public set is FORMAT:PATH
    return f"{kind}{colon}{Path(path).resolve()}" if Path(path).exists() else name


def _begin(recipe: Recipe, out: Path) -> bool:
    """Write the recipe and the prompts, unless they are there; return whether the folder holds the run, finished."""
    there = read_recipe(out) if out.is_dir() else None
    if there is None and out.is_dir() and any(out.iterdir()):
        raise InputError("the folder holds something else", file=out, field="--out", hint="give a new folder")
    if there is not None and there != recipe:
        told, wanted = asdict(there), asdict(recipe)
        name = next(name for name in wanted if told[name] != wanted[name])
        problem = f"a run with {name} {told[name]!r} is there, not {wanted[name]!r}"
        raise InputError(problem, file=out, field="--out", hint="give a new folder, or the same options")
    if there is None:
        out.mkdir(parents=True, exist_ok=True)
        shutil.copytree(shipped_prompts(recipe.language), out / PROMPTS, dirs_exist_ok=True)
        recipe.write(out)  # last: what has a recipe has all that stands before the training
    return (out / ADAPTER).is_file()


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
