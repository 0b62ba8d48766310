"""How a run of tuning begins: its recipe and prompts in its folder, or what a killed run left there."""

from __future__ import annotations

import shutil
from dataclasses import asdict, replace
from pathlib import Path

from ...data.domains.shipped import is_shipped
from ...data.errors import InputError
from ..backends.causal_model import ADAPTER
from ..prompts import shipped_prompts
from ..recipe import PROMPTS, Recipe, read_recipe

__all__ = ["begin", "placed"]


def placed(recipe: Recipe) -> Recipe:
    """Return a recipe that holds wherever it is read from: with the full paths of folders and files."""
    model, examples, retriever = recipe.model, recipe.examples, recipe.retriever
    return replace(
        recipe,
        model=_place(model),
        examples=examples if examples is None or is_shipped(examples) else _place(examples),
        retriever=None if retriever is None else _place(retriever),
        collections=tuple(map(_place, recipe.collections)),
    )


def _place(name: str) -> str:
    kind, colon, path = name.rpartition(":")  # a public set is FORMAT:PATH
    return f"{kind}{colon}{Path(path).resolve()}" if Path(path).exists() else name


def begin(recipe: Recipe, out: Path) -> bool:
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
